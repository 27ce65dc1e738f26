package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/output"
)

// Deployments with the labels of the chart are managers, whatever their names, and no others are.
func TestManagers(t *testing.T) {
	deployment := func(name, chart, image string) *appsv1.Deployment {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "bench", Name: name, Labels: map[string]string{
			"app.kubernetes.io/component": "manager", "helm.sh/chart": chart, "app.kubernetes.io/version": "0.2.0",
		}}}
		d.Spec.Template.Spec.Containers = []corev1.Container{{Image: image}}
		d.Status.ReadyReplicas = 1
		return d
	}
	scheme := runtime.NewScheme()
	if err := appsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(deployment("mine-manager", "assay-0.2.0", "r.example/manager@sha256:1"), deployment("other", "other-1.0", "x")).Build()
	got, err := managersIn(t.Context(), api)
	want := []output.Manager{{Namespace: "bench", Name: "mine-manager", Release: "0.2.0", Image: "r.example/manager@sha256:1", Ready: 1, Wanted: 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var out bytes.Buffer
	if err := tellVersion(&out, output.Version{Command: output.Program{Version: "0.2.0", Commit: "abc", Go: "go1", Platform: "a/b"}, Managers: got}); err != nil ||
		out.String() != "command: 0.2.0 (commit abc), go1, a/b\nmanager: 0.2.0, bench/mine-manager, image r.example/manager@sha256:1, 1 of 1 pods ready\n" {
		t.Errorf("%v: %q", err, out.String())
	}
}

// Without a cluster the command says which version it is, and that no more is known.
func TestVersionWithoutACluster(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	var out, problems bytes.Buffer
	if code := Main([]string{"version", "-o", "json"}, &out, &problems); code != exit.OK || problems.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, problems.String())
	}
	var doc output.Version
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc.Command.Version == "" || !strings.HasPrefix(doc.Command.Go, "go1.") || !strings.Contains(doc.Unknown, "there is no cluster") {
		t.Errorf("%v: %+v", err, doc)
	}
	inSchema(t, "cli-version.v1", out.Bytes())
}
