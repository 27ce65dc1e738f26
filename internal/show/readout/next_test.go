package readout

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// What smaller differences take is of the comparison that varies most, as far as 10,000 blocks, and at the pace of the run.
func TestWhatDifferencesTake(t *testing.T) {
	of := func(spreads ...string) (out []Verdict) {
		for i, s := range spreads {
			out = append(out, Verdict{Name: []string{"throughput", "latency.avg"}[i], Spread: s})
		}
		return out
	}
	for name, tt := range map[string]struct {
		primary []Verdict
		change  func(*v1alpha1.BenchmarkRun)
		want    string
	}{
		"nothing is known":     {of("", ""), nil, ""},
		"no comparison":        {nil, nil, ""},
		"the one that varies":  {of("0.02", "0.1"), nil, "of runs like this one, whose blocks vary by 10 % (latency.avg), four of five find 10 % with 14 blocks, 5 % with 45 blocks, 2 % with 257 blocks, 1 % with 1,008 blocks; a run has at most 400"},
		"beyond 10,000 blocks": {of("0.4"), nil, "of runs like this one, whose blocks vary by 40 % (throughput), four of five find 10 % with "},
		"more than all blocks": {of("9"), nil, ""},
		"a gate over them has its own": {of("0.1"), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Gate = &v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared}
		}, ""},
		"at the pace of the run": {of("0.02"), func(r *v1alpha1.BenchmarkRun) {
			begun := time.Unix(0, 0)
			r.Status.StartTime, r.Status.CompletionTime = &metav1.Time{Time: begun}, &metav1.Time{Time: begun.Add(10 * time.Minute)}
		}, " blocks (6 min)"},
	} {
		run := &v1alpha1.BenchmarkRun{}
		run.Spec.Design.Blocks = 10
		if tt.change != nil {
			tt.change(run)
		}
		got := costs(tt.primary, run)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if name == "beyond 10,000 blocks" && strings.Contains(got, "1 % with") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Whose servers ran on two machines is told what to do about it.
func TestServersOnTwoNodes(t *testing.T) {
	pair := Differences{Value: "b", Baseline: "a", Differences: []Difference{{SideDifference: v1alpha1.SideDifference{Name: "log_bin"}}}}
	if got := oneNode([]Differences{pair}); got != "" {
		t.Errorf("another difference: %q", got)
	}
	pair.Differences = append(pair.Differences, Difference{SideDifference: v1alpha1.SideDifference{Name: "target/node", Value: "n2", Baseline: "n1"}})
	if got := oneNode([]Differences{pair}); !strings.HasPrefix(got, "b ran on n2, a on n1: give both one node") {
		t.Errorf("two nodes: %q", got)
	}
}

// A ratio whose sides differ in more than the factor is not that of the factor, which is said once for all of them.
func TestWhatUnlikeSidesLeaveOpen(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Status.Phase = v1alpha1.PhaseComplete
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
	says := func(all ...v1alpha1.ComparisonEntry) (out []string) {
		run.Status.Comparisons = all
		for _, text := range FromStatus(run).Lacks {
			if strings.Contains(text, "the sides differ") {
				out = append(out, text)
			}
		}
		return out
	}
	unmeasured := comparison(func(e *v1alpha1.ComparisonEntry) { batchOver(e); e.Ratio = "" })
	if got := says(comparison(nil), unmeasured); len(got) > 0 {
		t.Errorf("nothing of the kind was measured: %q", got)
	}
	want := "In 2 comparisons the sides differ in scheme too, as declared, such as driver mariadb with scheme Batch against mysql with scheme SingleRow on db, throughput (operation InsertText, rows 100): " +
		"what of the ratio comes from the driver is not known."
	if got := says(comparison(batchOver), comparison(nil), comparison(batchOver), unmeasured); len(got) != 1 || got[0] != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// Each sentence is true of the comparisons that it counts.
	pooled := comparison(func(e *v1alpha1.ComparisonEntry) {
		batchOver(e)
		e.Factor, e.Value, e.Baseline, e.Labels["driver"] = "session", "Pool", "Dedicated", "mariadb"
	})
	more := comparison(func(e *v1alpha1.ComparisonEntry) {
		batchOver(e)
		e.Unlike = append([]v1alpha1.UnlikeFactor{{Factor: "rows", Value: "100", Baseline: "1"}}, e.Unlike...)
	})
	wants := []string{want,
		"In 1 comparison the sides differ in scheme too, as declared, such as session Pool with scheme Batch against Dedicated with scheme SingleRow on db, throughput (driver mariadb, operation InsertText, rows 100): what of the ratio comes from the session is not known.",
		"In 1 comparison the sides differ in rows and scheme too, as declared, such as driver mariadb with rows 100 and scheme Batch against mysql with rows 1 and scheme SingleRow on db, throughput (operation InsertText): what of the ratio comes from the driver is not known.",
	}
	if diff := cmp.Diff(wants, says(comparison(batchOver), pooled, more, comparison(batchOver), comparison(nil))); diff != "" {
		t.Errorf("mixed (-want +got):\n%s", diff)
	}
}

// Several runs leave it open as well, which is part of their answer.
func TestWhatUnlikeSidesOfSeveralRunsLeaveOpen(t *testing.T) {
	says := func(change func(*v1alpha1.ComparisonEntry)) (out []string) {
		result := analysis.RunsResult{Kind: analysis.OverRuns, Comparisons: []analysis.RunsComparison{{ComparisonEntry: comparison(change)}}}
		for _, s := range OverRuns([]string{"x", "y"}, result, analysis.Declaration{}, nil).Answer {
			if strings.Contains(s.Text, "the sides differ") {
				out = append(out, s.Text)
			}
		}
		return out
	}
	want := []string{"In 1 comparison the sides differ in scheme too, as declared, such as driver mariadb with scheme Batch against mysql with scheme SingleRow on db, throughput (operation InsertText, rows 100): " +
		"what of the ratio comes from the driver is not known."}
	if diff := cmp.Diff(want, says(batchOver)); diff != "" || says(nil) != nil {
		t.Errorf("(-want +got):\n%s; of sides that are alike: %q", diff, says(nil))
	}
}
