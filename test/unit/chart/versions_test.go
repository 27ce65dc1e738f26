package chart

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// minor of Kubernetes that a file pins, such as 1.34.
func minor(t *testing.T, path, pattern string) string {
	t.Helper()
	text, err := os.ReadFile(root + path)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(pattern).FindStringSubmatch(string(text))
	if found == nil {
		t.Fatalf("%s has nothing like %s", path, pattern)
	}
	return "1." + found[1]
}

// The API servers of `make envtest` and `make test-versions` are those that the chart names: the oldest one that it installs on, the one of the
// local cluster, and the one of the client libraries that the manager is built from. The guide names the same.
func TestTestedVersionsOfKubernetes(t *testing.T) {
	const server = `(?m)^\s*(?:require )?k8s\.io/kubernetes v1\.(\d+)\.`
	text, err := os.ReadFile(root + "charts/assay/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		KubeVersion string
		Annotations map[string]string
	}
	if err := yaml.Unmarshal(text, &chart); err != nil {
		t.Fatal(err)
	}
	oldest, newest := minor(t, "hack/apiservers/oldest/go.mod", server), minor(t, "hack/apiservers/newest/go.mod", server)
	local := minor(t, "hack/tools/kubernetes/go.mod", server)
	if want := ">=" + oldest + ".0-0"; chart.KubeVersion != want {
		t.Errorf("the chart installs on %s, and the oldest API server that it is tested with is %s", chart.KubeVersion, oldest)
	}
	if libraries := minor(t, "go.mod", `(?m)^\s*k8s\.io/client-go v0\.(\d+)\.`); libraries != newest {
		t.Errorf("the manager is built from client libraries of %s, and the newest API server that it is tested with is %s: renew hack/apiservers/newest", libraries, newest)
	}
	if diff := cmp.Diff(oldest+", "+local+", "+newest, chart.Annotations["assay.dev/tested-kubernetes"]); diff != "" {
		t.Errorf("Chart.yaml (-want +got):\n%s", diff)
	}
	guide, err := os.ReadFile(root + "docs/guide/install.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("Kubernetes %s, %s and %s", oldest, local, newest); !strings.Contains(string(guide), want) {
		t.Errorf("docs/guide/install.md does not name %s", want)
	}
}

// Helm refuses an API server that is too old, and none that is newer than any test.
func TestOldKubernetesIsRefused(t *testing.T) {
	for version, want := range map[string]bool{
		"1.29.14": false, "1.30.0": false, "1.30.99": false, "1.31.0": true, "1.31.14": true, "1.34.0": true, "1.37.2": true, "1.99.0": true,
	} {
		out, err := helm(t, "--kube-version="+version)
		refused := strings.Contains(out, "chart requires kubeVersion: >=1.31.0-0 which is incompatible with Kubernetes v"+version)
		if want && err != nil || !want && (err == nil || !refused) {
			t.Errorf("%s: %v, want it installed: %v\n%.300s", version, err, want, out)
		}
	}
}
