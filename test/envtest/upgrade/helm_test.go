package upgrade

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/inputs"
)

// top of the repository.
const top = "../../.."

var server apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.MainBare(m, &server))
}

// helm calls Helm as an administrator does; it waits for no pod, because nothing here runs them.
type helm struct {
	t          *testing.T
	kubeconfig string
}

func newHelm(t *testing.T) helm {
	t.Helper()
	inputs.Read(t, top+"/charts", top+"/hack/tools/helm")
	if out, err := exec.Command(top+"/hack/tool.sh", "helm").CombinedOutput(); err != nil {
		t.Fatalf("hack/tool.sh helm: %v\n%s", err, out)
	}
	return helm{t, server.Kubeconfig(t, "", "")}
}

// try a command of Helm on the release assay, and return what it says.
func (h helm) try(command string, args ...string) (string, error) {
	h.t.Helper()
	args = append(append(strings.Fields(command), "assay", "--namespace=assay-system", "--kubeconfig="+h.kubeconfig), args...)
	out, err := exec.CommandContext(h.t.Context(), top+"/bin/helm", args...).CombinedOutput()
	return string(out), err
}

func (h helm) must(command string, args ...string) string {
	h.t.Helper()
	out, err := h.try(command, args...)
	if err != nil {
		h.t.Fatalf("helm %s %v: %v\n%s", command, args, err, out)
	}
	return out
}

// definitions of Assay in the API server, by name.
func definitions(t *testing.T) map[string]apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	if err := apiextensionsv1.AddToScheme(server.Scheme); err != nil {
		t.Fatal(err)
	}
	var list apiextensionsv1.CustomResourceDefinitionList
	if err := server.API.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]apiextensionsv1.CustomResourceDefinition{}
	for _, d := range list.Items {
		if d.Spec.Group == "assay.dev" {
			out[d.Name] = d
		}
	}
	return out
}

// chartDefinitions are those of a tree's chart.
func chartDefinitions(t *testing.T, tree string) map[string]apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(tree, "charts/assay/generated/crds/*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs in the chart of %s: %v", tree, err)
	}
	out := map[string]apiextensionsv1.CustomResourceDefinition{}
	for _, file := range files {
		var d apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(read(t, file), &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out[d.Name] = d
	}
	return out
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// documents of a file in YAML.
func documents(text []byte) []string {
	var out []string
	for doc := range strings.SplitSeq("\n"+string(text), "\n---\n") {
		if strings.Contains(doc, "\nkind: ") {
			out = append(out, doc)
		}
	}
	return out
}

// key of an object in the messages of the tests.
func key(o client.Object) string {
	return fmt.Sprintf("%s %s/%s", o.GetObjectKind().GroupVersionKind().Kind, o.GetNamespace(), o.GetName())
}
