package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
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
