package accept

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/runners/custom"
	"github.com/assay-bench/assay/runners/runner"
)

// Every state of a run that is not placed yet, with what happens to it.
func TestDecide(t *testing.T) {
	const done = "done: 2 trials planned: 1 cell x 1 target x 2 blocks"
	lua := map[string]string{"my.lua": "x"}
	ofRun := func(*corev1.ConfigMap) {}
	tests := map[string]struct {
		given []change
		// state as it begins.
		state string
		// asked are the objects that the room asks for.
		asked   []string
		actions []string
	}{
		"a new run, which names nothing": {nil, done, nil, []string{"mark", "run-plan-0000"}},
		"the next pass":                  {[]change{accepted(t)}, done, []string{"ConfigMap run-plan-0000"}, nil},
		"the mark was lost":              {[]change{accepted(t), func(w *world) { w.in.Run.Annotations = nil }}, done, []string{"ConfigMap run-plan-0000"}, []string{"mark"}},
		"a new run that is suspended": {
			[]change{suspended}, "wait Suspended: spec.suspend holds the run back; nothing was started", nil, []string{"mark"},
		},
		"it goes on being suspended": {
			[]change{suspended, accepted(t)}, "wait Suspended: spec.suspend holds the run back; nothing was started", nil, nil,
		},
		"it is resumed: only now is the plan written": {
			[]change{suspended, accepted(t), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Suspend = false })}, done, nil, []string{"run-plan-0000"},
		},
		"suspended after the start": {[]change{accepted(t), suspended, func(w *world) { w.in.Started = true }}, done, []string{"ConfigMap run-plan-0000"}, nil},

		"the plan of another version": {
			[]change{accepted(t), otherPlan(t, true)}, "done: 1 trial planned: 1 cell x 1 target x 2 blocks", []string{"ConfigMap run-plan-0000"}, nil,
		},
		"the plan of another version, deleted": {
			[]change{accepted(t), otherPlan(t, false)},
			"fail JournalLost: ConfigMap run-plan-0000 with the plan of this run was deleted, and this version of Assay would plan otherwise: create a new run",
			[]string{"ConfigMap run-plan-0000"}, nil,
		},
		"the plan of another version, known from an earlier pass": {
			[]change{accepted(t), func(w *world) { w.in.Planned = w.decide(t).Planned }, otherPlan(t, false)}, done, []string{"ConfigMap run-plan-0000"}, nil,
		},
		"a plan that was accepted is not checked again": {
			[]change{accepted(t), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Deadline.Duration = time.Minute })}, done, []string{"ConfigMap run-plan-0000"}, nil,
		},
		"the plan of this version, deleted": {
			[]change{accepted(t), func(w *world) { clear(w.objects) }}, done, []string{"ConfigMap run-plan-0000"}, nil,
		},

		"a spec that gives no plan is refused before anything is read": {
			[]change{script, spec(func(s *v1alpha1.BenchmarkRunSpec) {
				s.Matrix = []v1alpha1.Axis{{Name: "colour", Values: []intstr.IntOrString{intstr.FromInt32(1)}}}
			})},
			"fail InvalidSpec: spec.matrix[colour]: the tool has no field and no option colour", nil, nil,
		},
		"a deadline before the end of the plan": {
			[]change{spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Deadline.Duration = time.Minute })},
			"fail InvalidSpec: spec.deadline: 1m0s is shorter than the plan: 2 trials of at least 1m0s each take 2m0s: raise deadline, or measure less", nil, nil,
		},
		"a version that is not in the catalogue": {
			[]change{spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Targets[0].MySQL.Version = "1" })},
			"fail VersionNotInCatalogue: spec.targets[0].mysql.version: the engine catalogue has no MySQL \"1\"; it has: 8.4. " +
				"Add it to the chart value engines.MySQL, or set image; kubectl assay explain VersionNotInCatalogue says more", nil, nil,
		},
		"a tool that this operator does not have": {
			[]change{spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Workload = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{}} })},
			"fail InvalidSpec: spec.workload: this operator has no runner \"ycsb\"", nil, nil,
		},

		"a shape that does not exist": {
			[]change{spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Targets[0].Shape = &v1alpha1.ShapeRef{Name: "big"} })},
			"fail ShapeNotFound: spec.targets[0].shape.name: there is no InstanceShape \"big\": create it (kubectl get instanceshapes lists those that exist), " +
				"or give the shape inline", []string{"InstanceShape big"}, nil,
		},
		"settings in a ConfigMap": {
			[]change{configMap("cnf", map[string]string{"max_connections": "500"}), spec(func(s *v1alpha1.BenchmarkRunSpec) {
				s.Targets[0].MySQL.ConfigFrom = []corev1.LocalObjectReference{{Name: "cnf"}}
			})}, done, []string{"ConfigMap cnf"}, []string{"mark", "run-plan-0000"},
		},
		"an external target without its Secret": {
			[]change{spec(func(s *v1alpha1.BenchmarkRunSpec) {
				s.Targets[0] = v1alpha1.Target{Name: "db", External: &v1alpha1.ExternalTarget{TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true, Host: "h", Port: 1, Credentials: corev1.LocalObjectReference{Name: "login"}}}
			})},
			"fail SecretNotFound: spec.targets[0].external.credentials: there is no Secret \"login\" in namespace ns: create it with the keys username and password",
			[]string{"Secret login"}, nil,
		},

		"a script: what the user may change is copied first": {
			[]change{script, configMap("scripts", lua)}, done, []string{"ConfigMap scripts", "ConfigMap run-inputs"}, []string{"run-inputs", "mark", "run-plan-0000"},
		},
		"a script that is not there": {
			[]change{script, configMap("scripts", map[string]string{"a": "x"})},
			"fail ConfigMapNotFound: spec.workload.sysbench.script.configMap: ConfigMap \"scripts\" has no key \"my.lua\"; it has: [\"a\"]",
			[]string{"ConfigMap scripts", "ConfigMap run-inputs"}, nil,
		},
		"a copy of a pass that died counts, though the user's object is gone": {
			[]change{script, copied(lua, ofRun)}, done, []string{"ConfigMap scripts", "ConfigMap run-inputs"}, []string{"mark", "run-plan-0000"},
		},
		"a copy of another run does not": {
			[]change{script, configMap("scripts", lua), copied(lua, func(cm *corev1.ConfigMap) { cm.OwnerReferences[0].UID = "other" })}, done,
			[]string{"ConfigMap scripts", "ConfigMap run-inputs"}, []string{"run-inputs", "mark", "run-plan-0000"},
		},
		"a copy that is being deleted does not": {
			[]change{script, configMap("scripts", lua), copied(lua, func(cm *corev1.ConfigMap) { cm.DeletionTimestamp = &metav1.Time{Time: now} })}, done,
			[]string{"ConfigMap scripts", "ConfigMap run-inputs"}, []string{"run-inputs", "mark", "run-plan-0000"},
		},
		"an accepted run reads nothing that it named": {
			[]change{script, configMap("scripts", lua), accepted(t), func(w *world) { clear(w.objects) }}, done, []string{"ConfigMap run-plan-0000"}, nil,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(tt.given...)
			before := w.in.Run.DeepCopy()
			got := w.decide(t)
			if state := words(got.State); !strings.HasPrefix(state, tt.state) {
				t.Errorf("state %q, want %q", state, tt.state)
			}
			if diff := cmp.Diff(tt.asked, w.asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
			for i, a := range tt.actions {
				if a != "mark" {
					tt.actions[i] = "create " + a
				}
			}
			if diff := cmp.Diff(tt.actions, actions(got.Actions)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, w.in.Run); diff != "" {
				t.Errorf("the room changed the run:\n%s", diff)
			}
		})
	}
}

// What the room says of the status does not change from pass to pass, and the copies bear
// the hash.
func TestStatusIsOfTheFirstPass(t *testing.T) {
	w := newWorld(script, configMap("scripts", map[string]string{"my.lua": "x"}))
	first := w.decide(t)
	want := v1alpha1.BenchmarkRunStatus{
		Resolved: &v1alpha1.Resolved{
			AgentImage: "agent:1", AgentResources: v1alpha1.AgentResources{CPU: resource.MustParse("250m"), Memory: resource.MustParse("512Mi")}, RunnerImage: "sysbench:1", SeparateFromTargets: v1alpha1.SeparationNone,
			ClientShape: *w.in.Run.Spec.Clients.Shape.Inline,
			Inputs:      &v1alpha1.ResolvedInputs{ConfigMap: "run-inputs", SHA256: resources.DigestOf(map[string][]byte{"my.lua": []byte("x")})},
			Targets:     []v1alpha1.ResolvedTarget{{Name: "db", Image: "mysql:8.4", Shape: w.in.Run.Spec.Targets[0].Shape.Inline}},
		},
		AcceptedTime: &metav1.Time{Time: now},
		SpecHash:     first.Status.SpecHash,
		Results:      first.Status.Results,
		Plan:         &v1alpha1.PlanStatus{TrialCount: 2, CellCount: 1, SHA256: first.Planned.Plan.SHA256(), ConfigMapCount: 1, Seed: &first.Planned.Plan.Seed},
		Integrity:    &v1alpha1.IntegrityStatus{PlanSHA256: first.Planned.Chain, Head: first.Planned.Chain},
	}
	if diff := cmp.Diff(want, first.Status); diff != "" || len(first.Status.SpecHash) != 64 {
		t.Errorf("hash %q (-want +got):\n%s", first.Status.SpecHash, diff)
	}
	stored := first.Actions[len(first.Actions)-1].(decision.Create).Object
	if got := stored.GetLabels()[v1alpha1.LabelSpecHash]; got == "" || !strings.HasPrefix(first.Status.SpecHash, got) {
		t.Errorf("the plan has the label %q", got)
	}
	if plan := stored.(*corev1.ConfigMap); contract.Digest(plan.BinaryData[contract.KeyPlan]) != first.Planned.Chain {
		t.Errorf("the chain begins with %q, which is not the stored plan", first.Planned.Chain)
	}
	w.then(t)
	w.in.Now = now.Add(time.Hour)
	second := w.decide(t)
	first.Status.Results = nil // only in the pass that resolves the references
	if diff := cmp.Diff(first.Status, second.Status); diff != "" {
		t.Errorf("the second pass (-first +second):\n%s", diff)
	}
	if len(second.Findings) != 0 {
		t.Errorf("findings again: %+v", second.Findings)
	}
}

// Files of a run that was accepted stay what they were.
func TestCheckFiles(t *testing.T) {
	cm := &corev1.ConfigMap{Data: map[string]string{"a": "1"}}
	want := v1alpha1.ResolvedInputs{ConfigMap: "run-inputs", SHA256: resources.FilesDigest(cm)}
	other := &corev1.ConfigMap{Data: map[string]string{"a": "2"}}
	for name, tc := range map[string]struct {
		fact decision.Fact[*corev1.ConfigMap]
		want string
	}{
		"the same":    {decision.Fact[*corev1.ConfigMap]{Known: true, Exists: true, Value: cm}, "done: "},
		"deleted":     {decision.Fact[*corev1.ConfigMap]{Known: true}, "fail InputsLost: ConfigMap run-inputs with the files of the workload was deleted"},
		"another one": {decision.Fact[*corev1.ConfigMap]{Known: true, Exists: true, Value: other}, "fail InputsLost: ConfigMap run-inputs with the files of the workload is another one"},
	} {
		if got := words(CheckFiles(want, tc.fact)); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// Every error of the room is one that only the user can mend.
func TestErrorsAreRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want decision.State
	}{
		"a refusal":         {experiment.Refuse("R", "m %d", 1), decision.Failed{Reason: "R", Message: "m 1"}},
		"a refusal, within": {fmt.Errorf("x: %w", experiment.Refuse("R", "m")), decision.Failed{Reason: "R", Message: "m"}},
		"any other":         {errors.New("m"), decision.Failed{Reason: v1alpha1.ReasonInvalidSpec, Message: "m"}},
	} {
		if diff := cmp.Diff(tc.want, failed(tc.err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Published numbers are read, shown, and copied with the text that they were read from.
func TestPublishedNumbers(t *testing.T) {
	data, err := os.ReadFile("../../../runners/sysbench/testdata/run-events.stdout")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	w := newWorld(configMap("paper", map[string]string{"run": text, "notes": "not copied"}), spec(func(s *v1alpha1.BenchmarkRunSpec) {
		s.Targets = append(s.Targets, v1alpha1.Target{Name: "paper", Published: &v1alpha1.PublishedTarget{
			Format: "Sysbench", ConfigMap: v1alpha1.ConfigMapFiles{Name: "paper"}, Source: "a paper",
		}})
	}))
	got := w.decide(t)
	if _, done := got.State.(decision.Done); !done {
		t.Fatal(words(got.State))
	}
	if q := got.Status.Targets; len(q) != 1 || q[0].Name != "paper" || q[0].Source != "a paper" || len(q[0].Quoted) == 0 {
		t.Errorf("quoted %+v", q)
	}
	stored := got.Actions[0].(decision.Create).Object.(*corev1.ConfigMap)
	if stored.Data["run"] != text || stored.Data["notes"] != "" || stored.Data[contract.KeyQuoted] == "" {
		t.Errorf("the copy has %q", stored.Data)
	}
	if sha := got.Status.Resolved.Targets[1].PublishedSHA256; sha != resources.DigestOf(map[string][]byte{"run": []byte(text)}) {
		t.Errorf("digest %s", sha)
	}
}

// A baseline of pytest-benchmark that a project has committed is quoted whatever the tool of the run is.
func TestPublishedBaselineOfPytest(t *testing.T) {
	data, err := os.ReadFile("../../../runners/custom/testdata/pytest.json")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(configMap("baseline", map[string]string{"run": string(data)}), spec(func(s *v1alpha1.BenchmarkRunSpec) {
		s.Targets = append(s.Targets, v1alpha1.Target{Name: "theirs", Published: &v1alpha1.PublishedTarget{
			Format: "PytestBenchmark", ConfigMap: v1alpha1.ConfigMapFiles{Name: "baseline"}, Source: "their repository",
		}})
	}))
	find := w.in.Catalogue.Tool
	w.in.Catalogue.Tool = func(name string) (runner.Runner, bool) {
		if name == custom.Name {
			return custom.Runner(nil), true
		}
		return find(name)
	}
	got := w.decide(t)
	if _, done := got.State.(decision.Done); !done || len(got.Status.Targets) != 1 {
		t.Fatal(words(got.State))
	}
	want := v1alpha1.QuotedValue{
		Stage: v1alpha1.QuotedRun, Name: "time.operation", Labels: map[string]string{"benchmark": "test_b.py::test_sum", "stat": "median"}, Value: "0.000010985000699292868", Unit: "s",
	}
	if diff := cmp.Diff(want, got.Status.Targets[0].Quoted[0]); diff != "" {
		t.Errorf("the first number (-want +got):\n%s", diff)
	}
}

// Published tables are quoted whatever the tool of the run is, and one without a number is refused.
func TestPublishedTables(t *testing.T) {
	decide := func(text string) Result {
		w := newWorld(configMap("paper", map[string]string{"run": text}), spec(func(s *v1alpha1.BenchmarkRunSpec) {
			s.Targets = append(s.Targets, v1alpha1.Target{Name: "paper", Published: &v1alpha1.PublishedTarget{
				Format: "Table", ConfigMap: v1alpha1.ConfigMapFiles{Name: "paper"}, Source: "a paper",
			}})
		}))
		return w.decide(t)
	}
	got := decide("measurement: throughput\nunit: ops/s\nrows: driver\n| driver | rate |\n| a | 4,826.5 |\n| b | - |\n")
	want := []v1alpha1.TargetStatus{{Name: "paper", Source: "a paper", Quoted: []v1alpha1.QuotedValue{
		{Stage: v1alpha1.QuotedRun, Name: "throughput", Labels: map[string]string{"driver": "a"}, Value: "4826.5", Unit: "ops/s"},
	}}}
	if diff := cmp.Diff(want, got.Status.Targets); diff != "" {
		t.Errorf("quoted (-want +got):\n%s", diff)
	}
	refused, is := decide("| driver | rate |\n| a | 1 |\n").State.(decision.Failed)
	if !is || refused.Reason != v1alpha1.ReasonPublishedUnreadable || !strings.Contains(refused.Message, "line 1: the table does not say what was measured") {
		t.Errorf("a table of nobody knows what: %+v", refused)
	}
}
