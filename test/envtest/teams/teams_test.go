package teams

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// top of the repository.
const top = "../../.."

var server apiserver.Server

func TestMain(m *testing.M) { os.Exit(apiserver.MainBare(m, &server)) }

// The administrator installs the part Cluster, and two teams the part Team. Each has a schedule, whose runs its own manager carries out, on its own
// nodes. Neither team nor manager reaches the namespaces of the other, and one that is upgraded or removed disturbs nobody.
func TestTeamsWithoutRightsInTheCluster(t *testing.T) {
	operate := pages.Open(t, top, "docs/guide/operate.md", shell(t, server.Kubeconfig(t, "", "")))
	operate.Next()
	server.Aggregate(t)
	a, b := newTeam(t, "team-a"), newTeam(t, "team-b")
	checkWhatATeamCannotCreate(t, a)
	for _, tm := range []*team{a, b} {
		pages.Open(t, top, "docs/guide/install.md", tm.shell).Replace("team-a", tm.name).Next()
		tm.start(t)
		tm.machines(t)
		tm.schedule(t)
	}
	for _, tm := range []*team{a, b} {
		tm.await(t, 1)
		tm.checkShape(t)
	}
	checkApart(t, a, b)
	checkApart(t, b, a)
	checkPolicies(t, b)

	a.run(t, "helm upgrade assay charts/assay --namespace team-a-assay --reset-then-reuse-values --set workers=2")
	if d, err := a.deployment(t); err != nil || !slices.Contains(d.Spec.Template.Spec.Containers[0].Args, "--workers=2") {
		t.Errorf("the upgrade by the team: %v", err)
	}
	a.stop()
	a.run(t, "helm uninstall assay --namespace team-a-assay")
	if _, err := a.deployment(t); !apierrors.IsNotFound(err) {
		t.Errorf("the manager of a team that has removed it: %v", err)
	}
	b.runNow(t)
	b.await(t, 2)
	a.await(t, 1) // what a team has measured stays
	for _, tm := range []*team{a, b} {
		tm.stop()
		if denied := regexp.MustCompile(`.*(forbidden|Unauthorized).*`).FindString(tm.said(t)); denied != "" {
			t.Errorf("the manager of %s was denied something: %s", tm.name, denied)
		}
	}
}

// checkWhatATeamCannotCreate: of the chart as one release, these kinds, and the manager's Role. The part Team has none of them.
func checkWhatATeamCannotCreate(t *testing.T, tm *team) {
	t.Helper()
	text := tm.run(t, "helm template assay charts/assay --namespace team-a-assay --kube-version=1.34.0 --set rbac.scope=Namespaced --set 'watchNamespaces={team-a}'")
	var refused []string
	for doc := range strings.SplitSeq("\n"+text, "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &o.Object); err != nil {
			t.Fatal(err)
		}
		if o.GetKind() == "" {
			continue
		}
		err := tm.api.Create(t.Context(), o, client.DryRunAll)
		if !apierrors.IsForbidden(err) {
			continue
		}
		refused = append(refused, o.GetKind())
		if lacks := "benchmarkruns/status"; o.GetKind() == "Role" && !strings.Contains(err.Error(), lacks) {
			t.Errorf("%s is refused, and not for want of the right to %s: %v", o.GetName(), lacks, err)
		}
	}
	want := []string{"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Role", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
	slices.Sort(refused)
	if diff := cmp.Diff(want, slices.Compact(refused)); diff != "" {
		t.Errorf("what a team cannot create (-want +got):\n%s", diff)
	}
}

// checkApart: neither a member of the team nor its manager reads or writes anything in the namespaces of another.
func checkApart(t *testing.T, tm, other *team) {
	t.Helper()
	for who, api := range map[string]client.Client{"a member of " + tm.name: tm.api, "the manager of " + tm.name: tm.manager} {
		if err := api.List(t.Context(), &v1alpha1.BenchmarkRunList{}, client.InNamespace(tm.name)); err != nil {
			t.Errorf("%s, in its own namespace: %v", who, err)
		}
		for _, namespace := range []string{other.name, other.name + "-assay"} {
			meta := metav1.ObjectMeta{Namespace: namespace, Name: "x"}
			for what, err := range map[string]error{
				"lists runs":          api.List(t.Context(), &v1alpha1.BenchmarkRunList{}, client.InNamespace(namespace)),
				"reads a Secret":      api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "x"}, &corev1.Secret{}),
				"writes a ConfigMap":  api.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta}, client.DryRunAll),
				"binds the manager":   api.Create(t.Context(), binding(namespace, "assay-manager-namespaces"), client.DryRunAll),
				"removes the release": api.DeleteAllOf(t.Context(), &corev1.Secret{}, client.InNamespace(namespace), client.DryRunAll),
			} {
				if !apierrors.IsForbidden(err) {
					t.Errorf("%s %s in %s: %v", who, what, namespace, err)
				}
			}
		}
	}
	// Beyond its namespaces a manager reads nodes and shapes, and a member nothing.
	if err := tm.manager.List(t.Context(), &corev1.NodeList{}); err != nil {
		t.Errorf("the manager of %s reads nodes: %v", tm.name, err)
	}
	for who, api := range map[string]client.Client{"a member of " + tm.name: tm.api, "the manager of " + tm.name: tm.manager} {
		if err := api.List(t.Context(), &corev1.SecretList{}); !apierrors.IsForbidden(err) {
			t.Errorf("%s lists all Secrets: %v", who, err)
		}
	}
	role := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "x"}, RoleRef: binding("", "assay-manager-namespaces").RoleRef}
	if err := tm.api.Create(t.Context(), role, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Errorf("a member of %s binds in the whole cluster: %v", tm.name, err)
	}
}

// checkPolicies: those of the part Cluster ask in the namespaces of teams.
func checkPolicies(t *testing.T, tm *team) {
	t.Helper()
	if err := admissionregistrationv1.AddToScheme(server.Scheme); err != nil {
		t.Fatal(err)
	}
	b := binding(tm.name, "assay-edit")
	b.Subjects = []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "measures"}}
	mustCreate(t, tm.api, b) // who administers a namespace lets others measure there
	user := as(t, "measures")
	within(t, "a run by somebody with assay-edit", func() bool {
		return user.Create(t.Context(), parse(t, tm.name, "BenchmarkRun", "plain", spec(tm.name, catalogued)), client.DryRunAll) == nil
	})
	within(t, "the policies", func() bool {
		err := user.Create(t.Context(), parse(t, tm.name, "BenchmarkRun", "image", spec(tm.name, "image: i")), client.DryRunAll)
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "measures may not create pods in namespace "+tm.name)
	})
}
