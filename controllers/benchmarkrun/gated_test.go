package benchmarkrun

import (
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// expecting is a baseline of the target db: 100 tx/s in every block, more or less.
func expecting(ns, name string, change ...func(*v1alpha1.BenchmarkBaseline)) *v1alpha1.BenchmarkBaseline {
	b := &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	b.Spec.Run.Name = "before"
	b.Spec.Promotion = v1alpha1.Promotion{Time: metav1.Unix(1e9, 0), Author: "ada", Reason: "release 1"}
	m := v1alpha1.ExpectedMeasurement{Direction: string(contract.HigherIsBetter), Blocks: []string{"100", "101.5", "99", "100.25"}}
	m.Target, m.Name, m.Unit = "db", contract.NameThroughput, "tx/s"
	b.Spec.Measurements = []v1alpha1.ExpectedMeasurement{m}
	for _, f := range change {
		f(b)
	}
	return b
}

// A run is judged at its end: it passes, or fails with words, or says why it cannot be judged.
func TestRunEndsAtItsGate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		gate     v1alpha1.Gate
		baseline func(*v1alpha1.BenchmarkBaseline)
		absent   bool
		client   kubelet.Client
		change   func(*v1alpha1.BenchmarkRun)
		end      string
		want     metav1.ConditionStatus
		reason   string
		message  string
		stalled  metav1.ConditionStatus
	}{
		"as fast": {gate: v1alpha1.Gate{Threshold: "25%"}, client: delivers(always(99)), want: "True", reason: v1alpha1.ReasonSucceeded,
			message: "0 of 1 measurements are slower than baseline release (run before, promoted 2001-09-09)", stalled: "False"},
		"slower": {gate: v1alpha1.Gate{Threshold: "25%"}, client: delivers(always(70)), want: "False", reason: v1alpha1.ReasonSlower,
			message: "slower: db throughput: 70 tx/s against 100.1 (30 % worse), and 25 % is allowed", stalled: "False"},
		"slower, and health is required":  {gate: v1alpha1.Gate{Threshold: "25%", Health: v1alpha1.HealthRequired}, client: delivers(always(70)), want: "False", reason: v1alpha1.ReasonSlower, stalled: "True"},
		"as fast, and health is required": {gate: v1alpha1.Gate{Threshold: "25%", Health: v1alpha1.HealthRequired}, client: delivers(always(100)), want: "True", reason: v1alpha1.ReasonSucceeded, stalled: "False"},
		"something is missing": {gate: v1alpha1.Gate{Threshold: "25%"}, client: delivers(always(100)), want: "False", reason: v1alpha1.ReasonMissing, stalled: "False",
			baseline: func(b *v1alpha1.BenchmarkBaseline) {
				other := *b.Spec.Measurements[0].DeepCopy()
				other.Target = "other"
				b.Spec.Measurements = append(b.Spec.Measurements, other)
			}, message: "missing: other throughput: the baseline has 100.1 tx/s, and the run has no value that counts"},
		"a run that fails": {gate: v1alpha1.Gate{Threshold: "25%"}, client: func(trial contract.Trial) *contract.Result {
			res := delivers(always(100))(trial)
			if isTrial(trial, 1) {
				return fails(res, contract.ReasonToolFailed, "no")
			}
			return res
		}, end: v1alpha1.ConditionFailed, want: "False", reason: v1alpha1.ReasonRunFailed, message: "the run has failed: ToolFailed", stalled: "True"},
		"no baseline": {gate: v1alpha1.Gate{Threshold: "25%"}, absent: true, client: delivers(always(100)), want: "Unknown", reason: v1alpha1.ReasonBaselineNotFound,
			message: "the namespace has no BenchmarkBaseline release", stalled: "False"},
		"of two baselines, one is not there": {gate: v1alpha1.Gate{Threshold: "25%", Also: []v1alpha1.FurtherBaseline{{Name: "last-week"}}}, client: delivers(always(99)), want: "Unknown", reason: v1alpha1.ReasonBaselineNotFound,
			message: "the namespace has no BenchmarkBaseline last-week", stalled: "False"},
		"another workload": {gate: v1alpha1.Gate{Threshold: "25%"}, client: delivers(always(50)), want: "Unknown", reason: v1alpha1.ReasonNotComparable,
			baseline: func(b *v1alpha1.BenchmarkBaseline) { b.Spec.Run.Workload = "clients.count=7" }, message: "clients.count (7 became 1)", stalled: "False"},
		"another machine": {gate: v1alpha1.Gate{Threshold: "25%", RequireLike: []v1alpha1.LikeAspect{v1alpha1.LikeCPU}}, client: delivers(always(100)), want: "Unknown", reason: v1alpha1.ReasonNotAlike,
			baseline: func(b *v1alpha1.BenchmarkBaseline) {
				b.Spec.Environments = []v1alpha1.BaselineEnvironment{{Target: "db", Facts: "target/cpu=X\nclient/cpu=X"}}
			}, message: "not alike, as requireLike wants them: db: cpu", stalled: "False"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: tt.client})
			b := expecting(ns, "release")
			if tt.baseline != nil {
				tt.baseline(b)
			}
			if !tt.absent {
				if err := server.API.Create(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
			tt.gate.Baseline = "release"
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Gate = &tt.gate })
			create(t, run)
			if tt.end == "" {
				tt.end = v1alpha1.ConditionComplete
			}
			placed := await(t, run, "placed", isTrue(v1alpha1.ConditionPlaced))
			if c := apimeta.FindStatusCondition(placed.Status.Conditions, v1alpha1.ConditionPassed); c == nil || !placed.Finished() && c.Status != metav1.ConditionUnknown {
				t.Errorf("before the end: %+v", c)
			}
			got := await(t, run, tt.end, isTrue(tt.end))
			c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionPassed)
			if c == nil || c.Status != tt.want || c.Reason != tt.reason || !strings.Contains(c.Message, tt.message) {
				t.Errorf("Passed: %+v, want %s, %s, %q", c, tt.want, tt.reason, tt.message)
			}
			if s := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionStalled); s.Status != tt.stalled {
				t.Errorf("Stalled: %+v, want %s", s, tt.stalled)
			}
			if !tt.absent && tt.end == v1alpha1.ConditionComplete {
				checkPinned(t, got, b)
			}
			reason := c.Reason
			if c.Status == metav1.ConditionTrue {
				reason = v1alpha1.ConditionPassed
			}
			awaitEvent(t, got, reason, tt.message)
		})
	}
}

// head is a client that measures so many times as much of the target of that name.
func head(ratio float64) kubelet.Client {
	return delivers(func(trial contract.Trial) float64 {
		if trial.Ref.Target == "head" {
			return 100 * ratio
		}
		return 100
	})
}

// A run is judged by its own comparisons: base and head side by side. No baseline is asked for.
func TestRunEndsAtTheGateOfItsComparisons(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		client  kubelet.Client
		health  v1alpha1.GateHealth
		want    metav1.ConditionStatus
		reason  string
		message string
		stalled metav1.ConditionStatus
	}{
		"as fast":                        {head(1), v1alpha1.HealthRequired, "True", v1alpha1.ReasonSucceeded, "0 of 1 comparisons lose more than 3 %; all lose less: head throughput against db", "False"},
		"slower":                         {head(0.9), "", "False", v1alpha1.ReasonSlower, "1 of 1 comparisons lose more than 3 %; slower: head throughput against db", "False"},
		"slower, and health is required": {head(0.9), v1alpha1.HealthRequired, "False", v1alpha1.ReasonSlower, "", "True"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: tt.client})
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
				other := *r.Spec.Targets[0].DeepCopy()
				other.Name = "head"
				r.Spec.Targets, r.Spec.Design.Blocks = append(r.Spec.Targets, other), 6
				r.Spec.Analysis = &v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{{Factor: v1alpha1.FactorTarget, Measurements: []v1alpha1.MeasurementRef{{Name: contract.NameThroughput}}}}}
				r.Spec.Gate = &v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared, Margin: "3%", Health: tt.health}
			})
			create(t, run)
			got := await(t, run, v1alpha1.ConditionComplete, isTrue(v1alpha1.ConditionComplete))
			c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionPassed)
			if c == nil || c.Status != tt.want || c.Reason != tt.reason || !strings.Contains(c.Message, tt.message) {
				t.Errorf("Passed: %+v, want %s, %s, %q", c, tt.want, tt.reason, tt.message)
			}
			if s := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionStalled); s.Status != tt.stalled {
				t.Errorf("Stalled: %+v, want %s", s, tt.stalled)
			}
			if g := got.Status.Gate; g == nil || g.Comparisons == nil || len(g.Entries) != 1 || g.Entries[0].Against != "db" || g.Entries[0].Bound != "0.97" {
				t.Errorf("judged: %+v", g)
			}
		})
	}
}

// checkPinned: the run says which baseline it was judged by.
func checkPinned(t *testing.T, run *v1alpha1.BenchmarkRun, b *v1alpha1.BenchmarkBaseline) {
	t.Helper()
	if g := run.Status.Gate; g == nil || len(g.Baselines) == 0 || g.Baselines[0].Pin.UID != string(b.UID) || g.Baselines[0].Pin.ResourceVersion == "" || len(g.Baselines[0].Pin.SHA256) != 64 {
		t.Errorf("pinned: %+v", g)
	}
}

// A gate is part of the spec, and what the API server can refuse, it refuses.
func TestBadGates(t *testing.T) {
	if err := nodes(); err != nil {
		t.Fatal(err)
	}
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	n := 0
	for name, tt := range map[string]struct{ gate, refused string }{
		"no baseline":                   {`{threshold: 25%}`, "a gate compares with one of two: set baseline (a stored BenchmarkBaseline), or comparisons: Declared"},
		"both":                          {`{baseline: b, threshold: 25%, comparisons: Declared, margin: 3%}`, "a gate compares with one of two"},
		"comparisons without a margin":  {`{comparisons: Declared}`, "margin is missing: comparisons need the loss that fails, such as 3%"},
		"a margin of a baseline":        {`{baseline: b, threshold: 25%, margin: 3%}`, "margin is for comparisons: with a baseline set threshold"},
		"a margin of nothing":           {`{comparisons: Declared, margin: 0%}`, "margin must be above 0% and below 100%"},
		"a margin of everything":        {`{comparisons: Declared, margin: 100%}`, "margin must be above 0% and below 100%"},
		"a margin without a unit":       {`{comparisons: Declared, margin: "3"}`, "spec.gate.margin"},
		"comparisons of another kind":   {`{comparisons: All, margin: 3%}`, "spec.gate.comparisons"},
		"comparisons with a threshold":  {`{comparisons: Declared, margin: 3%, threshold: 25%}`, "are about a baseline: leave them out with comparisons"},
		"comparisons with a test":       {`{comparisons: Declared, margin: 3%, test: {}}`, "are about a baseline"},
		"comparisons with a prediction": {`{comparisons: Declared, margin: 3%, prediction: {}}`, "are about a baseline"},
		"comparisons that fail for new": {`{comparisons: Declared, margin: 3%, fail: [New]}`, "are about a baseline"},
		"comparisons and likeness":      {`{comparisons: Declared, margin: 3%, requireLike: [cpu]}`, "which have margin, spec.analysis.errorRate and spec.analysis.requireLike"},
		"comparisons and a workload":    {`{comparisons: Declared, margin: 3%, otherWorkload: Compare}`, "are about a baseline"},
		"comparisons and baselines":     {`{comparisons: Declared, margin: 3%, also: [{name: c}]}`, "are about a baseline"},
		"comparisons that nobody named": {`{comparisons: Declared, margin: 3%}`, "comparisons: Declared needs spec.analysis.comparisons, such as [{factor: target"},
		"further baselines of one name": {`{baseline: b, threshold: 25%, also: [{name: c}, {name: c}]}`, "spec.gate.also[1]"},
		"the baseline once more":        {`{baseline: b, threshold: 25%, also: [{name: b}]}`, "also names further baselines"},
		"too many baselines":            {`{baseline: b, threshold: 25%, also: [{name: c}, {name: d}, {name: e}, {name: f}]}`, "spec.gate.also"},
		"no rule":                       {`{baseline: b}`, "fail: [Slower] needs a rule: threshold, such as 25%, test, or prediction"},
		"a threshold without a unit":    {`{baseline: b, threshold: "25"}`, "spec.gate.threshold"},
		"a threshold of nothing":        {`{baseline: b, threshold: "0%"}`, "threshold must be above 0%"},
		"a threshold beyond all":        {`{baseline: b, threshold: "1001%"}`, "threshold must be above 0%"},
		"a failure that there is not":   {`{baseline: b, threshold: 25%, fail: [Faster]}`, "spec.gate.fail[0]"},
		"no failure":                    {`{baseline: b, threshold: 25%, fail: []}`, "spec.gate.fail"},
		"an error rate of one in two":   {`{baseline: b, test: {errorRate: 50%}}`, "errorRate must be from 0.1% to 20%"},
		"an effect of more than all":    {`{baseline: b, test: {minimumEffect: 101%}}`, "minimumEffect must be above 0%"},
		"a prediction that always errs": {`{baseline: b, prediction: {errorRate: 50%}}`, "errorRate must be from 0.1% to 20%"},
		"an effect of nothing":          {`{baseline: b, prediction: {minimumEffect: 0%}}`, "minimumEffect must be above 0%"},
		"a health that there is not":    {`{baseline: b, threshold: 25%, health: Good}`, "spec.gate.health"},
		"an aspect that there is not":   {`{baseline: b, threshold: 25%, requireLike: [colour]}`, "spec.gate.requireLike"},
		"a name that is no name at all": {`{baseline: "", threshold: 25%}`, "spec.gate.baseline"},
	} {
		n++
		t.Run(name, func(t *testing.T) {
			badSpec{replace: "deadline: 1h", by: "deadline: 1h\n  gate: " + tt.gate, refused: tt.refused}.try(t, ns, n)
		})
	}
}
