package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// resolved settings of two targets: b has a pool of threads, and Assay sizes both.
func resolved() *v1alpha1.Resolved {
	sized := v1alpha1.ServerSetting{Name: "innodb_buffer_pool_size", Value: "1G", Source: v1alpha1.SourceShape}
	return &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{
		{Name: "a", Settings: []v1alpha1.ServerSetting{sized}},
		{Name: "b", Settings: []v1alpha1.ServerSetting{sized, {Name: "thread_handling", Value: "pool-of-threads", Source: v1alpha1.SourceSpec}}},
	}}
}

func TestSettingsOf(t *testing.T) {
	want := map[string][]contract.Setting{"b": {{Name: "thread_handling", Value: "pool-of-threads"}}}
	if diff := cmp.Diff(want, SettingsOf(resolved())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := SettingsOf(nil); len(got) != 0 {
		t.Errorf("of a run that was not accepted: %v", got)
	}
}

// Two targets that differ in a setting of their spec are compared in it, in one run and over several: it is no
// objection, also where they have to be alike. What a server changed by itself is one.
func TestTheSettingThatIsComparedIsNoObjection(t *testing.T) {
	a := usual.DeepCopy()
	a.RequireLike = []v1alpha1.LikeAspect{v1alpha1.LikePerformanceSchema}
	runs := repeated(t, 10, a, 1.5, 1.51, 1.49)
	for i := range runs {
		runs[i].facts("a", map[string]string{"server/version": "10.11.19-MariaDB", "thread_handling": "one-thread-per-connection", "performance_schema": "OFF", "slow_query_log": "OFF", "max_connections": "151"})
		runs[i].facts("b", map[string]string{"server/version": "10.11.19-MariaDB", "thread_handling": "pool-of-threads", "performance_schema": "OFF", "slow_query_log": "ON", "max_connections": "151"})
	}
	changed := []v1alpha1.SideDifference{{Name: "slow_query_log", Value: "ON", Baseline: "OFF", Faster: v1alpha1.FasterBaseline}}
	for name, tc := range map[string]struct {
		set     bool
		verdict v1alpha1.ComparisonVerdict
		reasons string
		want    []v1alpha1.SideDifference
	}{
		"the server switched the log on": {
			false, v1alpha1.VerdictInconclusive, "NotAlike unmet=performanceSchema differs: slow_query_log (a: off, b: on)", changed,
		},
		"the spec did": {true, v1alpha1.VerdictFaster, "", nil},
	} {
		for i := range runs {
			if runs[i].Settings = SettingsOf(resolved()); tc.set {
				runs[i].Settings["b"] = append(runs[i].Settings["b"], contract.Setting{Name: "slow-query-log", Value: "1"})
			}
		}
		got, err := Conclude(runs[0].Input)
		if err != nil {
			t.Fatal(err)
		}
		var want []v1alpha1.SideDifferences
		if tc.want != nil {
			want = []v1alpha1.SideDifferences{{Value: "b", Baseline: "a", Differences: tc.want}}
		}
		if diff := cmp.Diff(want, got.Differences); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if e := got.Entries[0]; e.Verdict != tc.verdict || said(e.Reasons) != tc.reasons {
			t.Errorf("%s: %s, %s", name, e.Verdict, said(e.Reasons))
		}
		over, err := ConcludeRuns(runs)
		if err != nil {
			t.Fatal(err)
		}
		if c := over.Comparisons[0]; c.Verdict != tc.verdict || cmp.Diff(tc.want, c.Differences) != "" {
			t.Errorf("%s, over runs: %s with %+v, %s", name, c.Verdict, c.Differences, said(c.Reasons))
		}
	}
}

// Of three targets, each pair that is compared and differs is listed once, in the order of the comparisons.
func TestDifferencesOfPairs(t *testing.T) {
	p := planOf(10, 1, "a", "b", "c")
	run := Run{Input: Input{Layout: Layout{Plan: p}, Records: recordsOf(p, 0.01, bOver(1.5))}}
	for target, log := range map[string]string{"a": "OFF", "b": "OFF", "c": "ON"} {
		run.facts(target, map[string]string{"server/version": "10.11.19-MariaDB", "slow_query_log": log})
	}
	got := conclude(t, run.Input, 3, nil)
	want := []v1alpha1.SideDifferences{{Value: "c", Baseline: "a", Differences: []v1alpha1.SideDifference{
		{Name: "slow_query_log", Value: "ON", Baseline: "OFF", Faster: v1alpha1.FasterBaseline},
	}}}
	if diff := cmp.Diff(want, got.Differences); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// With a setting as the axis, targets that have to be alike in its class are: each of its values is compared on both. A value of it against
// another one of the same target has nothing to be alike in.
func TestWhatVariesIsAlike(t *testing.T) {
	const axis = "config.transaction_isolation"
	for name, tc := range map[string]struct {
		axis    string
		factor  string
		verdict v1alpha1.ComparisonVerdict
		reasons string
	}{
		"targets at each value":                       {axis, v1alpha1.FactorTarget, v1alpha1.VerdictFaster, ""},
		"values on one target":                        {axis, axis, v1alpha1.VerdictFaster, ""},
		"targets whose isolation nobody has recorded": {"threads", v1alpha1.FactorTarget, v1alpha1.VerdictInconclusive, "NotAlike unmet=isolation is not known of both sides"},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(10, 2, "a", "b")
			p.Axes = []string{tc.axis}
			for i, value := range []string{"REPEATABLE-READ", "READ-COMMITTED"} {
				p.Cells[i] = plan.Cell{tc.axis: intstr.FromString(value)}
			}
			records := recordsOf(p, 0.01, func(target string, cell int32) float64 {
				if target == "b" {
					return 150 * float64(1+cell)
				}
				return 100 * float64(1+cell)
			})
			run := Run{Input: Input{Layout: Layout{Plan: p}, Records: records}}
			for _, target := range p.Targets {
				run.facts(target, map[string]string{"server/version": "9.7.1", "max_connections": "151"})
			}
			got := conclude(t, run.Input, 2, &v1alpha1.Analysis{
				MinimumEffect: "2%", ErrorRate: "5%", RequireLike: []v1alpha1.LikeAspect{v1alpha1.LikeIsolation},
				Comparisons: []v1alpha1.Comparison{{Factor: tc.factor, Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}},
			})
			for _, e := range got.Entries {
				if e.Family == v1alpha1.FamilyExploratory {
					continue
				}
				if e.Verdict != tc.verdict || said(e.Reasons) != tc.reasons {
					t.Errorf("%s, %s", e.Verdict, said(e.Reasons))
				}
			}
		})
	}
}
