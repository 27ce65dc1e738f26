package conclude

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// sweep has two targets in so many cells and blocks, with a throughput and so many latencies each.
func sweep(t *testing.T, cells, blocks, latencies int, value string) Input {
	t.Helper()
	run, _ := longRun(t)
	p := &plan.Plan{Targets: []string{"a", "b"}, Axes: []string{"x"}}
	for c := range cells {
		p.Cells = append(p.Cells, plan.Cell{"x": intstr.FromString(fmt.Sprint(value, c))})
	}
	in := Input{Run: run, Plan: p, Input: analysis.Input{Names: []string{"throughput", "latency.percentile"}, Layout: analysis.Layout{Plan: p}, Limit: 10000}}
	for b := range blocks {
		for c := range cells {
			for target, name := range p.Targets {
				trial := plan.Trial{Index: int32(len(p.Trials)), Block: int32(b), Cell: int32(c), Target: int32(target)}
				p.Trials = append(p.Trials, trial)
				rec := contract.Record{Index: trial.Index, Block: trial.Block, Cell: trial.Cell, Target: name, Final: true, State: contract.Succeeded, Valid: new(true)}
				v := 100*(1+0.5*float64(target)) + 0.01*float64((trial.Index*7919)%101)
				rec.Values = append(rec.Values, contract.RecordedValue{Name: "throughput", Value: v, Unit: "tx/s", Direction: contract.HigherIsBetter})
				for l := range latencies {
					rec.Values = append(rec.Values, contract.RecordedValue{
						Name: "latency.percentile", Labels: map[string]string{"p": fmt.Sprint(l + 1)}, Value: 1000 / v, Unit: "ms", Direction: contract.LowerIsBetter,
					})
				}
				in.Records = append(in.Records, rec)
			}
		}
	}
	spec := v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{{Name: "a"}, {Name: "b"}}}
	var err error
	if in.Declaration, err = analysis.Declare(spec, in.Names); err != nil {
		t.Fatal(err)
	}
	return in
}

// decided is the end of a run, with every question answered by nothing.
func decided(in Input) Result {
	known := decision.Known{}
	for {
		ask := known.Ask()
		out := Decide(in, ask)
		if ask.Complete() {
			return out
		}
		for _, q := range ask.Missing() {
			known = known.With(q, integrity.Stored{})
		}
	}
}

// The largest sweep, with the longest texts: its comparisons are bounded in the status and in the
// ConfigMaps.
func TestComparisonsOfTheLargestSweepAreBounded(t *testing.T) {
	in := sweep(t, 2000, 5, 3, strings.Repeat("x", 400))
	out := decided(in)
	if len(out.Status.Comparisons) != maxCompared || out.Status.Results.ComparisonCount != 8000 || out.Status.Comparisons[0].Verdict != v1alpha1.VerdictExploratory ||
		!cmp.Equal(out.Status.Comparisons[0].Reasons, []v1alpha1.VerdictReason{{Code: v1alpha1.CodeFamilyTooLarge, Values: map[string]string{"comparisons": "4000", "needed": "18", "blocks": "5"}}}) {
		t.Errorf("%d of %d comparisons, the first one %+v", len(out.Status.Comparisons), out.Status.Results.ComparisonCount, out.Status.Comparisons[0])
	}
	if data, err := json.Marshal(out.Status.Comparisons); err != nil || len(data) > 128<<10 {
		t.Errorf("the comparisons of the status are %d bytes (%v)", len(data), err)
	}
	stored := 0
	for _, action := range out.Actions {
		cm := action.(decision.Create).Object.(*corev1.ConfigMap)
		data := cm.BinaryData[contract.KeySummary]
		if len(data) > 1<<20 {
			t.Errorf("%s has %d bytes", cm.Name, len(data))
		}
		part, err := journal.DecodeSummary(data)
		if err != nil {
			t.Fatal(err)
		}
		stored += len(part.Comparisons)
	}
	if stored != 8000 {
		t.Errorf("%d comparisons are stored", stored)
	}
}

// A family beyond the limit has no comparisons, and a finding says why.
func TestComparisonsBeyondTheLimit(t *testing.T) {
	in := sweep(t, 20, 2, 1, "")
	in.Limit = 39
	out := decided(in)
	if out.Status.Results.ComparisonCount != 0 || out.Status.Results.SummaryEntryCount == 0 {
		t.Errorf("%d comparisons, %d entries", out.Status.Results.ComparisonCount, out.Status.Results.SummaryEntryCount)
	}
	want := []v1alpha1.Finding{{
		Check: "comparisons-absent", Severity: v1alpha1.SeverityWarning,
		Message: "40 comparisons are more than the 39 that a run may have (limits.comparisons of the operator): declare those that matter with spec.analysis.comparisons and within",
	}}
	if diff := cmp.Diff(want, out.Findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// Sides whose durability differs are told with the values of both; where they have to be alike there is no verdict.
// What the spec itself sets differently is what is compared.
func TestSidesThatDiffer(t *testing.T) {
	in := sweep(t, 1, 8, 1, "")
	for i := range in.Records {
		setting := "1"
		if in.Records[i].Target == "b" {
			setting = "0"
		}
		in.Records[i].Facts = contract.NewFacts(map[string]string{"server/version": "10.11.9-MariaDB", "innodb_flush_log_at_trx_commit": setting})
	}
	out := decided(in)
	want := []v1alpha1.SideDifferences{{Value: "b", Baseline: "a", Differences: []v1alpha1.SideDifference{
		{Name: "innodb_flush_log_at_trx_commit", Value: "0", Baseline: "1", Faster: v1alpha1.FasterValue},
	}}}
	if diff := cmp.Diff(want, out.Status.Differences); diff != "" || out.Status.Comparisons[0].Verdict != v1alpha1.VerdictFaster {
		t.Errorf("%+v, differences (-want +got):\n%s", out.Status.Comparisons[0], diff)
	}
	in.Declaration.Require = []v1alpha1.LikeAspect{v1alpha1.LikeDurability}
	if out := decided(in); out.Status.Comparisons[0].Verdict != v1alpha1.VerdictInconclusive || !cmp.Equal(out.Status.Comparisons[0].Reasons, []v1alpha1.VerdictReason{
		{Code: v1alpha1.CodeNotAlike, Values: map[string]string{"unmet": "durability differs: innodb_flush_log_at_trx_commit (a: 1, b: 0)"}},
	}) {
		t.Errorf("%+v", out.Status.Comparisons[0])
	}
	in.Run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{
		{Name: "a"}, {Name: "b", Settings: []v1alpha1.ServerSetting{{Name: "innodb_flush_log_at_trx_commit", Value: "0", Source: v1alpha1.SourceSpec}}},
	}}
	if out := decided(in); out.Status.Comparisons[0].Verdict != v1alpha1.VerdictFaster || len(out.Status.Differences) != 0 {
		t.Errorf("what the spec sets: %+v, %+v", out.Status.Comparisons[0], out.Status.Differences)
	}
}

// Results that cannot be used are compared all the same, and the verdict on them says so.
func TestComparisonsOfAnInvalidRun(t *testing.T) {
	in := sweep(t, 1, 8, 1, "")
	valid := decided(in)
	if v := valid.Verdict; !v.Known || !v.Valid || valid.Status.Comparisons[0].Verdict != v1alpha1.VerdictFaster {
		t.Errorf("a valid run: %+v, %+v", v, valid.Status.Comparisons[0])
	}
	in.Records[0].Valid = new(false)
	if out := decided(in); !out.Verdict.Known || out.Verdict.Valid || out.Verdict.Reason != "Contradictions" || out.Status.Comparisons[0].Verdict != v1alpha1.VerdictFaster {
		t.Errorf("a contradiction: %+v, %+v", out.Verdict, out.Status.Comparisons[0])
	}
}

// The condition Complete says where the comparisons are that the status has no room for.
func TestMessageNamesWhatIsNotShown(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Status.Headline, run.Status.Results = "a 1 | b 2 tx/s", &v1alpha1.ResultsStatus{ComparisonCount: 8000, ShownComparisonCount: 64}
	if got, want := Message(run), "a 1 | b 2 tx/s; status.comparisons has 64 of 8000, and the ConfigMaps of the summary have all of them"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	run.Status.Results.ComparisonCount = 64
	if got := Message(run); got != run.Status.Headline {
		t.Errorf("all are shown: %q", got)
	}
}
