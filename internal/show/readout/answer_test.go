package readout

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// linesOf the answer of a run.
func linesOf(run *v1alpha1.BenchmarkRun) string {
	var lines []string
	for _, s := range FromStatus(run).Answer {
		lines = append(lines, string(s.Tone)+": "+s.String())
	}
	return strings.Join(lines, "\n")
}

// A run that may stop early says at an interim analysis why it ends, or what it waits for.
func TestWhyARunStops(t *testing.T) {
	at := func(change func(*analysis.InterimResult)) analysis.InterimResult {
		out := analysis.InterimResult{Blocks: 8, Counted: 7, Rule: analysis.Stop{MostBlocks: 40, Precision: 0.02}, Widest: 0.05, Ratios: 2}
		change(&out)
		return out
	}
	expects := func(expected *int32, reachable string) func(*analysis.InterimResult) {
		return func(r *analysis.InterimResult) {
			r.Forecast = &contract.Forecast{AfterBlocks: 8, MostBlocks: 40, ExpectedBlocks: expected, Reachable: reachable}
		}
	}
	wide := "after 8 of at most 40 blocks: a ratio is known to within 5 %, and all of them have to be to within 2 %"
	for want, in := range map[string]analysis.InterimResult{
		"stopped after 8 of at most 40 blocks: every ratio is known to within 2 % (the widest interval: 1 %)": at(func(r *analysis.InterimResult) { r.Stop, r.Widest = analysis.StopPrecise, 0.01 }),
		"stopped after 8 of at most 40 blocks: another one does not fit into 10m0s (a ratio is known to within 5 %, and 2 % was wanted)": at(func(r *analysis.InterimResult) {
			r.Stop, r.Rule.Within = analysis.StopInTime, 10*time.Minute
		}),
		"stopped after 8 of at most 40 blocks: another one does not fit into 10m0s (a ratio is known to within 5 %, and 2 % was wanted); at this spread that takes about 90 blocks": at(func(r *analysis.InterimResult) {
			expects(new(int32(90)), "0.05")(r)
			r.Stop, r.Rule.Within = analysis.StopInTime, 10*time.Minute
		}),
		"stopped after 8 of at most 40 blocks: 7 of them count in every comparison": at(func(r *analysis.InterimResult) { r.Stop = analysis.StopCounted }),
		"stopped after 8 of at most 40 blocks: the gate has passed":                 at(func(r *analysis.InterimResult) { r.Stop = analysis.StopGatePassed }),
		"stopped after 8 of at most 40 blocks: the gate has failed":                 at(func(r *analysis.InterimResult) { r.Stop = analysis.StopGateFailed }),
		"after 8 of at most 40 blocks: 7 of them count in the comparison that has fewest, and 8 are wanted": at(func(r *analysis.InterimResult) {
			r.Rule = analysis.Stop{MostBlocks: 40, Counted: 8}
		}),
		"after 8 of at most 40 blocks: 1m0s of 10m0s are over": at(func(r *analysis.InterimResult) {
			r.Rule, r.Elapsed = analysis.Stop{MostBlocks: 40, Within: 10 * time.Minute}, time.Minute
		}),
		"after 8 of at most 40 blocks: the pilot goes on":                                               at(func(r *analysis.InterimResult) { r.Widest = 0 }),
		"after 8 of at most 40 blocks: 1 of 2 ratios have no interval, or too few blocks for a verdict": at(func(r *analysis.InterimResult) { r.Without = 1 }),
		wide: at(func(*analysis.InterimResult) {}),
		wide + "; at this spread that takes about 30 blocks":                                    at(expects(new(int32(30)), "0.018")),
		wide + "; at this spread that takes about 90 blocks, and 40 fit, which reach about 3 %": at(expects(new(int32(90)), "0.03")),
		wide + "; at this spread the 40 blocks that fit reach about 3 %":                        at(expects(nil, "0.03")),
	} {
		if got := InterimText(in); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What is worst comes first, and a run that compared something says what.
func TestTheAnswerComesFirst(t *testing.T) {
	inconclusive := comparison(func(e *v1alpha1.ComparisonEntry) {
		e.Verdict, e.Name, e.DetectableEffect = v1alpha1.VerdictInconclusive, "latency.avg", ""
	})
	control := comparison(func(e *v1alpha1.ComparisonEntry) {
		e.Family, e.Verdict, e.Value, e.Ratio, e.IntervalLow, e.IntervalHigh, e.AdjustedP, e.BlockCount = v1alpha1.FamilyControl, v1alpha1.VerdictEquivalent, "control", "1.03", "0.9909", "1.076", "", 10
	})
	for name, c := range map[string]struct {
		run  *v1alpha1.BenchmarkRun
		set  func(*v1alpha1.BenchmarkRun)
		want string
	}{
		"decided": {with(false, "Complete=True", "Valid=True"), func(r *v1alpha1.BenchmarkRun) {
			r.Status.Comparisons = []v1alpha1.ComparisonEntry{comparison(nil)}
		}, "good: FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput"},
		"several comparisons": {with(false, "Complete=True", "Valid=True"), func(r *v1alpha1.BenchmarkRun) {
			r.Status.Comparisons = []v1alpha1.ComparisonEntry{comparison(nil), inconclusive, inconclusive}
		}, "good: FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput\nplain: the other 2 comparisons: 2 inconclusive"},
		"failed": {with(false, "Failed=True"), func(r *v1alpha1.BenchmarkRun) { r.Status.Headline = "a 1 tx/s" }, "bad: FAILED R: of Failed"},
		"not valid": {with(false, "Complete=True", "Valid=False"), func(r *v1alpha1.BenchmarkRun) {
			r.Status.Comparisons = []v1alpha1.ComparisonEntry{comparison(nil)}
		}, "bad: INVALID no number of this run can be relied on: R: of Valid\nplain: FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput"},
		"the gate failed, and nothing was declared": {with(true, "Complete=True", "Valid=True", "Passed=False"), func(r *v1alpha1.BenchmarkRun) {
			r.Status.Headline = "mariadb 335.6 tx/s (n=6)"
		}, "bad: GATE FAILED R: of Passed\nplain: MEASURED mariadb 335.6 tx/s (n=6)"},
		"nothing was compared": {with(false, "Complete=True", "Valid=True"), func(r *v1alpha1.BenchmarkRun) { r.Status.Headline = "a 1 tx/s (n=6)" }, "plain: MEASURED a 1 tx/s (n=6)"},
		"no trial counts":      {with(false, "Complete=True", "Valid=True"), nil, "plain: MEASURED nothing: no trial counts"},
		"suspended": {with(false, "Accepted=True", "Placed=False"), func(r *v1alpha1.BenchmarkRun) {
			r.Status.Phase, r.Status.Progress = v1alpha1.PhaseSuspended, v1alpha1.Progress{Planned: 20, Totals: v1alpha1.Totals{Done: 3}}
		}, "open: SUSPENDED 3 of 20 trials; R: of Placed"},
		"a control alone": {with(false, "Complete=True", "Valid=True"), func(r *v1alpha1.BenchmarkRun) {
			r.Status.Comparisons, r.Status.Headline = []v1alpha1.ComparisonEntry{control}, "a 1 tx/s"
		}, "plain: CONTROL two servers of one spec are -0.91 to +7.6 % apart: a difference of less than 7.6 % is not resolved here (p 0.011 by itself, 10 blocks)"},
		"comparisons that cannot be made": {with(false, "Complete=True", "Valid=True"), func(r *v1alpha1.BenchmarkRun) {
			r.Status.Findings, r.Status.Headline = []v1alpha1.Finding{{Check: checkUncompared, Severity: v1alpha1.SeverityWarning, Message: "40 comparisons are more than 39"}}, "a 1 tx/s"
		}, "open: NO VERDICT 40 comparisons are more than 39\nplain: MEASURED a 1 tx/s"},
		"a sweep": {with(false, "Complete=True", "Valid=True"), func(r *v1alpha1.BenchmarkRun) {
			r.Status.Sweeps = []v1alpha1.SweepEntry{{Axis: "threads", Target: "mariadb", Knee: "5.1876", KneeLow: "4.6", KneeHigh: "5.9", Peak: "16", PeakLow: "8", PeakHigh: "16"}}
		}, "plain: SWEEP threads of mariadb: knee at 5.19 (4.60 to 5.90), peak at 16 (8 to 16)"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.set != nil {
				c.set(c.run)
			}
			if got := linesOf(c.run); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// The status has the verdict in one line once the run has ended, and what makes it unreliable before it.
func TestWordsOfTheStatus(t *testing.T) {
	for name, c := range map[string]struct {
		run              *v1alpha1.BenchmarkRun
		outcome, verdict string
	}{
		"decided":      {with(false, "Complete=True", "Valid=True"), "Faster", "FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput"},
		"not valid":    {with(false, "Complete=True", "Valid=False"), "Invalid", "INVALID (R): FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput"},
		"not ended":    {with(false, "Accepted=True"), "Pending", ""},
		"behind gates": {with(true, "Complete=True", "Valid=True", "Passed=False"), "GateFailed", "FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput"},
	} {
		t.Run(name, func(t *testing.T) {
			c.run.Status.Comparisons = []v1alpha1.ComparisonEntry{comparison(nil)}
			SetWords(c.run)
			if c.run.Status.Outcome != c.outcome || c.run.Status.Verdict != c.verdict {
				t.Errorf("got %q, %q", c.run.Status.Outcome, c.run.Status.Verdict)
			}
		})
	}
	measured := with(false, "Complete=True", "Valid=True")
	measured.Status.Headline = "a 1 tx/s"
	if SetWords(measured); measured.Status.Verdict != "" || measured.Status.Outcome != "Measured" {
		t.Errorf("a run that compares nothing: %q, %q", measured.Status.Outcome, measured.Status.Verdict)
	}
}

// A run that is inconclusive says how many blocks its minimum effect takes, and how long that is.
func TestWhatToDoNext(t *testing.T) {
	run := with(false, "Complete=True", "Valid=True")
	run.Spec.Targets = servers("MariaDB", "10.11", "MySQL", "9.7")
	run.Spec.Design.Blocks = 10
	run.Spec.Analysis = &v1alpha1.Analysis{MinimumEffect: "2%"}
	begin := metav1.NewTime(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	end := metav1.NewTime(begin.Add(2 * time.Minute))
	run.Status.StartTime, run.Status.CompletionTime = &begin, &end
	run.Status.Progress = v1alpha1.Progress{Planned: 20, Totals: v1alpha1.Totals{Done: 20}}
	run.Status.Differences = differing("log_bin")
	run.Status.Comparisons = []v1alpha1.ComparisonEntry{comparison(func(e *v1alpha1.ComparisonEntry) { e.Verdict = v1alpha1.VerdictInconclusive })}
	got := strings.Join(FromStatus(run).Next, "\n")
	want := "to find a difference of 2 % in four of five runs, at the spread of this one, take 420 blocks, and a run has at most 400: longer windows and a machine of its own make its blocks vary less\n" +
		"where log_bin is not what you compare, set it for both in spec.targets[].mysql.config: it is ON for mariadb and OFF for mysql"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.Design)
		needed int32
		want   string
	}{
		"blocks":                           {func(*v1alpha1.Design) {}, 300, "set design.blocks to 300 (about 1 h)"},
		"time":                             {func(d *v1alpha1.Design) { d.Blocks, d.Within = 0, &metav1.Duration{Duration: time.Minute} }, 190, "set design.within to 38m (190 blocks)"},
		"time, and more blocks than usual": {func(d *v1alpha1.Design) { d.Blocks, d.Within = 0, &metav1.Duration{Duration: time.Minute} }, 300, "set design.blocks to 300 and design.within to 60m"},
	} {
		other := run.DeepCopy()
		tt.change(&other.Spec.Design)
		if other.Spec.Design.Within != nil {
			other.Status.Plan = &v1alpha1.PlanStatus{Analysis: &v1alpha1.PlannedAnalysis{StoppedAfterBlocks: new(int32(10))}}
		}
		other.Status.Comparisons[0].BlocksNeeded = tt.needed
		if got := FromStatus(other).Next[0]; !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	run.Status.Comparisons[0].BlocksNeeded = 0
	if got := FromStatus(run).Next; len(got) != 1 {
		t.Errorf("a spread that is not known: %q", got)
	}
}

// A run that did not reach its precision says how many blocks do.
func TestBlocksForAPrecision(t *testing.T) {
	for name, tt := range map[string]struct {
		known    v1alpha1.Figure
		expected *int32
		want     string
	}{
		"reached":                {"0.0199", new(int32(25)), ""},
		"as soon as it can be":   {"", new(int32(20)), ""},
		"not known":              {"0.05", nil, ""},
		"in more time":           {"0.05", new(int32(90)), "to know every ratio to within 2 %, at the spread of this run, set design.within to 9m (90 blocks)"},
		"of a ratio without one": {"", new(int32(500)), "to know every ratio to within 2 %, at the spread of this run, take 500 blocks, and a run has at most 400: longer windows and a machine of its own make its blocks vary less"},
	} {
		run := with(false, "Complete=True", "Valid=True")
		run.Spec.Design = v1alpha1.Design{Precision: "2%", Within: &metav1.Duration{Duration: 2 * time.Minute}}
		begin := metav1.NewTime(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
		end := metav1.NewTime(begin.Add(2 * time.Minute))
		run.Status.StartTime, run.Status.CompletionTime = &begin, &end
		run.Status.Plan = &v1alpha1.PlanStatus{Analysis: &v1alpha1.PlannedAnalysis{StoppedAfterBlocks: new(int32(20)),
			Forecast: &v1alpha1.Forecast{AfterBlocks: 20, MostBlocks: 20, Precision: tt.known, ExpectedBlocks: tt.expected}}}
		if got := blocksForPrecision(run); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
	}
}
