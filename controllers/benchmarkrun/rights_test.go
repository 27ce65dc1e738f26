package benchmarkrun

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// rightsRow is a command of the guide's table, and the rights that it takes.
var rightsRow = regexp.MustCompile("(?m)^\\| `([a-z -]+?)(?: [[A-Z-].*?)?`.*\\| ([^|]*) \\|$")

// Each command that shows a run works with the rights that the guide says, and not with fewer.
func TestCommandsWorkWithTheRightsOfTheGuide(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(9))})
	run := newRun(t, ns)
	create(t, run)
	await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	runs := rbacv1.PolicyRule{APIGroups: []string{"assay.dev"}, Resources: []string{"benchmarkruns"}, Verbs: []string{"get"}}
	maps := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}}
	allowRules(t, ns, "runs", runs)
	allowRules(t, ns, "runs-and-maps", runs, maps)

	page, err := os.ReadFile("../../docs/guide/kubectl-assay.md")
	if err != nil {
		t.Fatal(err)
	}
	rights := map[string]string{}
	table, _, _ := strings.Cut(string(page), "\n## ") // a later one has the schemas
	for _, row := range rightsRow.FindAllStringSubmatch(table, -1) {
		rights[row[1]] = row[2]
	}
	folder := t.TempDir()
	for name, args := range map[string][]string{
		"get": {"get", "run"}, "why": {"why", "run"}, "watch": {"watch", "run"},
		"report": {"report", "run", "-o", filepath.Join(folder, "run.html")}, "verify": {"verify", "run"}, "rerun": {"rerun", "run"},
		"export": {"export", "run", "--format", "csv", "-o", filepath.Join(folder, "run.csv")}, "baseline promote": {"baseline", "promote", "run", "--reason", "test"},
	} {
		var enough, fewer string
		switch said := rights[name]; {
		case strings.Contains(said, "`get` of runs and ConfigMaps"):
			enough, fewer = "runs-and-maps", "runs"
		case strings.Contains(said, "`get` of runs"):
			enough, fewer = "runs", "nobody"
		default:
			t.Errorf("the guide says of %s: %q", name, said)
			continue
		}
		if got := assay(t.Context(), append(args, "--kubeconfig", server.Kubeconfig(t, enough, ns))...); got.code != exit.OK {
			t.Errorf("%s with %q ends with %d: %s%s", name, rights[name], got.code, got.out, got.problems)
		}
		if got := assay(t.Context(), append(args, "--kubeconfig", server.Kubeconfig(t, fewer, ns))...); got.code == exit.OK || !strings.Contains(got.problems, "forbidden") {
			t.Errorf("%s needs fewer rights than %q: it ends with %d: %s%s", name, rights[name], got.code, got.out, got.problems)
		}
	}
}

// allowRules of a namespace to a user, who has the name of the role.
func allowRules(t *testing.T, namespace, user string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: user}
	for _, obj := range []client.Object{
		&rbacv1.Role{ObjectMeta: meta, Rules: rules},
		&rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
			Subjects: []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: user}},
		},
	} {
		if err := server.API.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
}
