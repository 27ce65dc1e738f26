package plugin

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// storedNamespace is that of the runs of test/helpers/finished.
const storedNamespace = "ns"

// store a run that has ended, with all of its objects, in the API server.
func store(t *testing.T, name string, level float64, changes ...func(*finished.Run)) {
	t.Helper()
	err := server.API.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: storedNamespace}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	object := &v1alpha1.BenchmarkRun{}
	complete := func(run *v1alpha1.BenchmarkRun) {
		run.UID = object.UID // the results name it
		run.Spec.Clients.Shape = &v1alpha1.ShapeRef{Name: "small"}
		for i := range run.Spec.Targets[:2] {
			run.Spec.Targets[i].Shape = &v1alpha1.ShapeRef{Name: "large"}
		}
		run.Spec.Targets[2].Published.ConfigMap.Name = "theirs"
		run.Spec.Deadline = metav1.Duration{Duration: 24 * time.Hour}
		shape := v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("2"), Memory: resource.MustParse("8Gi")}
		run.Status.Resolved = &v1alpha1.Resolved{AgentImage: "agent:1", ClientShape: shape, Targets: []v1alpha1.ResolvedTarget{
			{Name: "a", Image: "mysql:9.7", Shape: &shape}, {Name: "b", Image: "mysql:9.7", Shape: &shape},
		}}
		for i := range run.Status.Conditions {
			run.Status.Conditions[i].LastTransitionTime = metav1.Now()
		}
	}
	of := finished.Options{Name: name, Level: level, Change: complete}
	object = finished.New(t, of).Object
	object.UID = ""
	create(t, object)
	run := finished.New(t, of)
	for _, change := range changes {
		change(run)
	}
	object.Status = run.Object.Status
	if err := server.API.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(run.Maps)) {
		create(t, run.Maps[name])
	}
}

// right to a resource.
type right struct{ group, resource, verb string }

func (r right) String() string { return r.verb + " of " + r.group + "/" + r.resource }

func (r right) rule() rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{r.group}, Resources: []string{r.resource}, Verbs: []string{r.verb}}
}

var (
	getRuns  = right{"assay.dev", "benchmarkruns", "get"}
	listRuns = right{"assay.dev", "benchmarkruns", "list"}
	getMaps  = right{"", "configmaps", "get"}
	listPods = right{"", "pods", "list"}

	getSchedules   = right{"assay.dev", "benchmarkschedules", "get"}
	listSchedules  = right{"assay.dev", "benchmarkschedules", "list"}
	patchSchedules = right{"assay.dev", "benchmarkschedules", "patch"}
)

// weekly is a schedule without times, of a run that is never started: there is no manager.
func weekly() *v1alpha1.BenchmarkSchedule {
	of := &v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: storedNamespace, Name: "weekly"}}
	spec := &of.Spec.RunTemplate.Spec
	spec.Targets = []v1alpha1.Target{{Name: "db", Shape: &v1alpha1.ShapeRef{Name: "large"}, MySQL: &v1alpha1.MySQLTarget{Flavor: "MySQL", Version: "9.7"}}}
	spec.Clients.Shape = &v1alpha1.ShapeRef{Name: "small"}
	spec.Workload.TPCC = &v1alpha1.TPCCWorkload{}
	spec.Deadline = metav1.Duration{Duration: time.Hour}
	return of
}

// Each command does its work with the rights that docs/guide/kubectl-assay.md names and no other, uses each of them, and without
// one says which is missing.
func TestRightsOfCommands(t *testing.T) {
	for i, level := range []float64{0.99, 1, 1.01, 1.005} {
		store(t, fmt.Sprintf("run-%d", i), level)
	}
	store(t, "logged", 1, func(run *finished.Run) {
		cm := run.Maps["logged-trial-00000-result-0"]
		cm.BinaryData, cm.Data = nil, map[string]string{contract.KeyLog: "runner: killed"}
	})
	create(t, weekly())
	page := filepath.Join(t.TempDir(), "page.html")
	commands := map[string]struct {
		args   []string
		rights []right
	}{
		"list":      {[]string{"get"}, []right{listRuns}},
		"get":       {[]string{"get", "run-0"}, []right{getRuns}},
		"watch":     {[]string{"watch", "run-0"}, []right{getRuns}},
		"why":       {[]string{"why", "run-0"}, []right{getRuns}},
		"logs":      {[]string{"logs", "logged", "--trial", "0"}, []right{getRuns, listPods, getMaps}},
		"report":    {[]string{"report", "run-0", "-o", page}, []right{getRuns, getMaps}},
		"compare":   {[]string{"compare", "run-0", "run-1"}, []right{getRuns, getMaps}},
		"verify":    {[]string{"verify", "run-0"}, []right{getRuns, getMaps}},
		"export":    {[]string{"export", "run-0", "--format", "csv"}, []right{getRuns, getMaps}},
		"bundle":    {[]string{"export", "run-0", "--bundle", "-o", filepath.Join(t.TempDir(), "run.assay.tar")}, []right{getRuns, getMaps}},
		"rerun":     {[]string{"rerun", "run-0"}, []right{getRuns, getMaps}},
		"check":     {[]string{"rerun", "run-0", "run-1", "run-2", "--check", "run-3"}, []right{getRuns, getMaps}},
		"promote":   {[]string{"baseline", "promote", "run-0", "--reason", "release", "--author", "ada"}, []right{getRuns, getMaps}},
		"new":       {[]string{"new", "--target", "MySQL:8.4", "--tool", "sysbench"}, nil},
		"plan":      {[]string{"plan", "-f", manifest(t, "planned", "")}, nil},
		"explain":   {[]string{"explain", "design.blocks"}, nil},
		"schedules": {[]string{"schedule", "get"}, []right{listSchedules}},
		"schedule":  {[]string{"schedule", "get", "weekly"}, []right{getSchedules}},
		"history":   {[]string{"schedule", "history", "weekly"}, []right{getSchedules, getMaps}},
		"now":       {[]string{"schedule", "run-now", "weekly", "--timeout", "0s"}, []right{getSchedules, patchSchedules}},
		"complete":  {[]string{"__complete", "get", "run-"}, []right{listRuns}},
	}
	for name, tt := range commands {
		t.Run(name, func(t *testing.T) {
			user := "only-" + name
			var rules []rbacv1.PolicyRule
			for _, r := range tt.rights {
				rules = append(rules, r.rule())
			}
			bind(t, storedNamespace, user, rules...)
			kubeconfig := as(t, user, storedNamespace, "")
			var got said
			within(t, "the rights are known", func() bool {
				got = call(t.Context(), kubeconfig, tt.args...)
				return !strings.Contains(got.problems, "is forbidden") && (name != "complete" || strings.Contains(got.out, "run-0"))
			})
			if got.code != exit.OK || name != "bundle" && name != "report" && got.out == "" {
				t.Fatalf("with %v: %s", tt.rights, got)
			}
			used, err := server.CallsOf(user)
			if err != nil {
				t.Fatal(err)
			}
			want := map[apiserver.Call]bool{}
			for _, r := range tt.rights {
				want[apiserver.Call{Resource: r.group + "/" + r.resource, Verb: r.verb}] = true
			}
			if !maps.Equal(used, want) {
				t.Errorf("it used %v, and the guide names %v", used, want)
			}
			if name == "complete" {
				return // who may not list gets no names
			}
			for i, missing := range tt.rights {
				user := fmt.Sprintf("%s-without-%d", name, i)
				bind(t, storedNamespace, user, slices.Delete(slices.Clone(rules), i, i+1)...)
				var got said
				within(t, "the rights are known", func() bool { // but for the one that is missing
					got = call(t.Context(), as(t, user, storedNamespace, ""), tt.args...)
					return !slices.ContainsFunc(tt.rights, func(r right) bool {
						return r != missing && strings.Contains(got.problems, "cannot "+r.verb+" resource \""+r.resource+"\"")
					})
				})
				if missing == listPods { // what a trial has delivered is in its ConfigMap
					if got.code != exit.OK {
						t.Errorf("without %v: %s", missing, got)
					}
					continue
				}
				if got.code != exit.Problem || !strings.Contains(got.problems, `cannot `+missing.verb+` resource "`+missing.resource+`"`) {
					t.Errorf("without %v: %s", missing, got)
				}
			}
		})
	}
}

// grant binds a user to ClusterRoles in a namespace.
func grant(t *testing.T, namespace, user string, roles ...string) {
	t.Helper()
	for _, role := range roles {
		create(t, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "b-"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		})
	}
}

// userRoles creates the roles for users; test/unit/chart compares them with those of the chart. What Kubernetes puts together to
// view and edit is bound by its parts, because no controller does that here.
func userRoles(t *testing.T) {
	t.Helper()
	path := "../../../config/rbac/user_roles.yaml"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for doc := range strings.SplitSeq(string(data), "\n---\n") {
		role := &rbacv1.ClusterRole{}
		if err := yaml.UnmarshalStrict([]byte(doc), role); err != nil {
			t.Fatal(err)
		}
		create(t, role)
	}
}

// Whoever has the role view of Kubernetes, which the chart adds Assay's objects to, reads with every command, but for the nodes of
// the cluster; edit starts a run.
func TestRolesOfUsers(t *testing.T) {
	userRoles(t)
	store(t, "seen", 1)
	viewer, editor := "viewer", "editor"
	grant(t, storedNamespace, viewer, "assay-view", "system:aggregate-to-view")
	grant(t, storedNamespace, editor, "assay-edit", "system:aggregate-to-view", "system:aggregate-to-edit")
	waiting := &v1alpha1.BenchmarkRun{}
	for _, args := range [][]string{
		{"get"}, {"get", "seen"}, {"watch", "seen"}, {"why", "seen"}, {"report", "seen", "-o", "-"}, {"verify", "seen"}, {"export", "seen", "--format", "csv"},
		{"rerun", "seen"}, {"schedule", "get"}, {"version"}, {"baseline", "promote", "seen", "--reason", "release"},
	} {
		var got said
		within(t, "the roles are known", func() bool {
			got = call(t.Context(), as(t, viewer, storedNamespace, ""), args...)
			return !strings.Contains(got.problems, "is forbidden")
		})
		if got.code != exit.OK {
			t.Errorf("%v: %s", args, got)
		}
	}
	file := manifest(t, "mine", "")
	if got := call(t.Context(), as(t, viewer, storedNamespace, ""), "run", "-f", file, "--timeout", hang.Limit.String()); got.code != exit.Problem || !strings.Contains(got.problems, `cannot patch resource "benchmarkruns"`) {
		t.Errorf("view starts a run: %s", got)
	}
	// timing: it has to run out, and counts from when the run was made: nobody carries it out
	if got := call(t.Context(), as(t, editor, storedNamespace, ""), "run", "-f", file, "--timeout", "1s"); got.code != exit.Problem || !strings.Contains(got.problems, "has not ended within 1s, and goes on") {
		t.Errorf("edit starts no run: %s", got)
	}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: storedNamespace, Name: "mine"}, waiting); err != nil {
		t.Fatal(err)
	}
	got := call(t.Context(), as(t, viewer, storedNamespace, ""), "why", "mine")
	if got.code != exit.OK || !strings.Contains(got.out, "no manager has seen the run yet") || strings.Contains(got.out, "pods: not known") {
		t.Errorf("why of a run that goes on: %s", got)
	}
	if got := call(t.Context(), as(t, viewer, storedNamespace, ""), "shapes"); got.code != exit.Problem || !strings.Contains(got.problems, `listing nodes: nodes is forbidden`) {
		t.Errorf("%s", got)
	}
}
