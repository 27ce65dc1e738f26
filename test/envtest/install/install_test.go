package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/inputs"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// top of the repository.
const top = "../../.."

var server apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.MainBare(m, &server))
}

// From nothing: Helm installs the chart and upgrades it, a team gets its namespace, the metrics and Argo CD's health are set up, all is removed, and nothing
// stays. Then the same without Helm.
func TestThePagesAboutTheInstallation(t *testing.T) {
	shell := administrator(t)
	install, operate := pages.Open(t, top, "docs/guide/install.md", shell), pages.Open(t, top, "docs/guide/operate.md", shell)
	if n := definitions(t); n > 0 {
		t.Fatalf("the API server has %d CRDs of Assay already", n)
	}

	install.Next() // by Helm
	want := definitions(t)
	if _, err := manager(t); err != nil || want == 0 {
		t.Fatalf("helm install: %d CRDs; the manager: %v", want, err)
	}
	operate.Next() // the upgrade
	if d, err := manager(t); err != nil || d.Generation != 1 {
		t.Errorf("helm upgrade of a chart that did not change changes the manager: %v, %v", d, err)
	}
	for team := pages.Open(t, top, "docs/guide/platform-team.md", shell); team.Left() > 0; {
		team.Next()
	}
	if quota := get(t, &corev1.ResourceQuota{}, client.ObjectKey{Namespace: "team-a", Name: "assay"}); len(quota.Spec.Hard) != 2 {
		t.Errorf("the quota of a team: %v", quota.Spec.Hard)
	}
	pages.Open(t, top, "docs/guide/monitoring.md", shell).Next()
	reader := get(t, &rbacv1.ClusterRoleBinding{}, client.ObjectKey{Name: "prometheus-assay"}).RoleRef.Name
	get(t, &rbacv1.ClusterRole{}, client.ObjectKey{Name: reader})
	if err := server.API.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "argocd"}}); err != nil {
		t.Fatal(err)
	}
	pages.Open(t, top, "docs/guide/gitops.md", shell).Next()
	if settings := get(t, &corev1.ConfigMap{}, client.ObjectKey{Namespace: "argocd", Name: "argocd-cm"}); len(settings.Data) == 0 {
		t.Error("Argo CD has no script for the health of a run")
	}

	operate.Next() // uninstalls
	if d, err := manager(t); !apierrors.IsNotFound(err) {
		t.Errorf("helm uninstall leaves the manager: %v, %v", d, err)
	}
	if n := definitions(t); n != want {
		t.Errorf("helm uninstall leaves %d CRDs, and the page says that all %d stay", n, want)
	}
	operate.Next() // the CRDs, and all results
	if n := definitions(t); n != 0 {
		t.Errorf("%d CRDs are left, and the page says that everything is removed", n)
	}
	operate.Next() // who may read the metrics

	install.Next() // without Helm
	if _, err := manager(t); err != nil || definitions(t) != want {
		t.Errorf("without Helm: %d CRDs, and by Helm %d; the manager: %v", definitions(t), want, err)
	}
}

// administrator is a shell in this tree, with kubectl and Helm.
func administrator(t *testing.T) pages.Shell {
	t.Helper()
	inputs.Read(t, top+"/charts", top+"/config", top+"/hack/tools/helm")
	if out, err := exec.Command(top+"/hack/tool.sh", "helm").CombinedOutput(); err != nil {
		t.Fatalf("hack/tool.sh helm: %v\n%s", err, out)
	}
	root, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	programs := strings.Join([]string{os.Getenv("KUBEBUILDER_ASSETS"), filepath.Join(root, "bin"), os.Getenv("PATH")}, ":")
	return pages.Shell{Dir: root, Env: []string{"KUBECONFIG=" + server.Kubeconfig(t, "", ""), "PATH=" + programs}}
}

// definitions is how many CRDs of Assay there are.
func definitions(t *testing.T) int {
	t.Helper()
	if err := apiextensionsv1.AddToScheme(server.Scheme); err != nil {
		t.Fatal(err)
	}
	var list apiextensionsv1.CustomResourceDefinitionList
	if err := server.API.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, d := range list.Items {
		if d.Spec.Group == "assay.dev" {
			n++
		}
	}
	return n
}

// manager as it was installed.
func manager(t *testing.T) (*appsv1.Deployment, error) {
	t.Helper()
	d := &appsv1.Deployment{}
	err := server.API.Get(t.Context(), client.ObjectKey{Namespace: "assay-system", Name: "assay-manager"}, d)
	return d, err
}

func get[T client.Object](t *testing.T, into T, key client.ObjectKey) T {
	t.Helper()
	if err := server.API.Get(t.Context(), key, into); err != nil {
		t.Fatal(err)
	}
	return into
}
