package admission

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/internal/cli"
)

// What `kubectl assay new` prints is accepted for every tool, with one target and with eight: with the names of shapes from
// somebody who may edit runs and nothing else, and with cpu and memory from somebody who may create pods.
func TestManifestsOfThePluginAreAccepted(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	user, power := grant(t, ns, "editor", "assay-edit"), grant(t, ns, "power", "assay-edit")
	allow(t, ns, "power", "pods", "create")
	many := []string{}
	for i := range 8 {
		many = append(many, "--target", fmt.Sprintf("t%d=MariaDB:10.11", i))
	}
	for name, args := range map[string][]string{
		"sysbench": {"--target", "MySQL:8.4", "--target", "MySQL:9.7"},
		"ycsb":     {"--target", "MySQL:9.7", "--tool", "ycsb", "--name", "my-"},
		"tpcc":     {"--target", "Percona:8.4", "--target", "TiDB:8.5", "--tool", "tpcc"},
		"tpch":     {"--target", "MySQL:9.7", "--tool", "tpch"},
		"eight":    many,
	} {
		t.Run(name, func(t *testing.T) {
			named := printed(t, ns, append(args, "--target-shape", "big", "--client-shape", "small"))
			if err := client.WithFieldValidation(user, "Strict").Create(t.Context(), named, client.DryRunAll); err != nil {
				t.Errorf("with shapes by their names: %v", err)
			}
			if err := client.WithFieldValidation(power, "Strict").Create(t.Context(), printed(t, ns, args), client.DryRunAll); err != nil {
				t.Errorf("with cpu and memory: %v", err)
			}
		})
	}
}

// printed manifest of `kubectl assay new`.
func printed(t *testing.T, namespace string, args []string) *unstructured.Unstructured {
	t.Helper()
	var out, problems bytes.Buffer
	if code := cli.Run(t.Context(), append([]string{"new"}, args...), cli.Streams{In: strings.NewReader(""), Out: &out, Problems: &problems}); code != 0 {
		t.Fatalf("%d: %s", code, problems.String())
	}
	u := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict(out.Bytes(), &u.Object); err != nil {
		t.Fatal(err)
	}
	u.SetNamespace(namespace)
	return u
}
