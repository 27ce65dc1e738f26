package readout

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// comparison of throughputs that was decided.
func comparison(change func(*v1alpha1.ComparisonEntry)) v1alpha1.ComparisonEntry {
	e := v1alpha1.ComparisonEntry{
		Family: v1alpha1.FamilyPrimary, Factor: v1alpha1.FactorTarget, Value: "mariadb", Baseline: "mysql", Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter",
		Verdict: v1alpha1.VerdictFaster, Ratio: "1.163", IntervalLow: "1.017", IntervalHigh: "1.2634", IntervalConfidence: "0.9609", P: "0.0115", AdjustedP: "0.0230",
		DetectableEffect: "0.356", BlocksNeeded: 420, BlockCount: 9, PlannedBlockCount: 10,
	}
	if change != nil {
		change(&e)
	}
	return e
}

// batchOver makes a comparison one of drivers whose sides differ in their schemes, too.
func batchOver(e *v1alpha1.ComparisonEntry) {
	e.Factor, e.Target, e.Labels = "driver", "db", map[string]string{"operation": "InsertText", "rows": "100", "scheme": "Batch"}
	e.Unlike = []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}
}

// differing pairs with so many settings.
func differing(names ...string) []v1alpha1.SideDifferences {
	pair := v1alpha1.SideDifferences{Value: "mariadb", Baseline: "mysql"}
	for _, name := range names {
		pair.Differences = append(pair.Differences, v1alpha1.SideDifference{Name: name, Value: "ON", Baseline: "OFF"})
	}
	return []v1alpha1.SideDifferences{pair}
}

func TestVerdictsInOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(*v1alpha1.ComparisonEntry)
		differences []v1alpha1.SideDifferences
		want        string
	}{
		"decided": {nil, nil, "FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput"},
		"few settings differ are named": {nil, differing("log_bin", "sync_binlog"),
			"FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput; differs in log_bin, sync_binlog"},
		"of many settings the number": {nil, differing("a", "b", "c", "d"), "FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput; 4 settings that matter differ"},
		"facts are no settings": {nil, differing("a", "b", "c", "target/cpu"),
			"FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput; 3 settings and 1 other property that matter differ"},
		"different nodes": {nil, differing("target/node"), "FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput; on different nodes"},
		"different nodes, and settings too": {nil, differing("log_bin", "target/node", "sync_binlog"),
			"FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput; on different nodes; differs in log_bin, sync_binlog"},
		"inconclusive": {func(e *v1alpha1.ComparisonEntry) {
			e.Verdict, e.Ratio, e.IntervalLow, e.IntervalHigh, e.AdjustedP = v1alpha1.VerdictInconclusive, "1.093", "0.8382", "1.372", "0.72"
		}, nil, "INCONCLUSIVE +9 % (-16 to +37 %), p 0.72, 9 of 10 blocks: mariadb against mysql, throughput; these blocks detect 36 %"},
		"a latency that is a factor": {func(e *v1alpha1.ComparisonEntry) {
			e.Verdict, e.Name, e.Labels, e.Direction = v1alpha1.VerdictSlower, "latency.percentile", map[string]string{"p": "95"}, "LowerIsBetter"
			e.Ratio, e.IntervalLow, e.IntervalHigh, e.BlockCount = "1.52", "1.43", "1.61", 10
		}, nil, "SLOWER 1.52x (1.43 to 1.61), p 0.023, 10 blocks: mariadb against mysql, latency p95"},
		"an axis": {func(e *v1alpha1.ComparisonEntry) {
			e.Factor, e.Value, e.Baseline, e.Target, e.BlockCount = "threads", "64", "2", "mysql", 10
			e.Parameters = map[string]intstr.IntOrString{"test": intstr.FromString("oltp_insert")}
		}, differing("a"), "FASTER +16 % (+1.7 to +26 %), p 0.023, 10 blocks: threads 64 against 2 on mysql, throughput, test=oltp_insert"},
		"sides that differ in more than the factor": {func(e *v1alpha1.ComparisonEntry) {
			batchOver(e)
			e.Ratio, e.IntervalLow, e.IntervalHigh = "52.01", "51.5", "52.6"
		}, nil, "FASTER 52.0x (51.5 to 52.6), p 0.023, 9 of 10 blocks: driver mariadb with scheme Batch against mysql with scheme SingleRow on db, throughput (operation InsertText, rows 100)"},
		"sides of targets that do": {func(e *v1alpha1.ComparisonEntry) {
			e.Labels, e.Unlike = map[string]string{"driver": "x"}, []v1alpha1.UnlikeFactor{{Factor: "session", Value: "Dedicated", Baseline: "Pool"}}
		}, nil, "FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb with session Dedicated against mysql with session Pool, throughput (driver x)"},
		"less than matters": {func(e *v1alpha1.ComparisonEntry) {
			e.BelowMinimumEffect, e.Ratio, e.IntervalLow, e.IntervalHigh = true, "1.008", "1.005", "1.011"
			e.EquivalenceLow, e.EquivalenceHigh, e.EquivalenceConfidence = "1.006", "1.01", "0.9160"
		}, nil, "FASTER +0.80 % (+0.50 to +1.1 %), less than the minimum effect, p 0.023, 9 of 10 blocks: mariadb against mysql, throughput; " +
			"within ±2 % by the 91.6 % interval (+0.60 to +1.0 %)"},
		"not declared": {func(e *v1alpha1.ComparisonEntry) {
			e.Family, e.Verdict, e.AdjustedP, e.DetectableEffect = v1alpha1.FamilyExploratory, v1alpha1.VerdictExploratory, "", ""
			e.Reasons = []v1alpha1.VerdictReason{{Code: v1alpha1.CodeNotDeclared}}
		}, nil, "EXPLORATORY +16 % (+1.7 to +26 %), p 0.011 by itself, 9 of 10 blocks: mariadb against mysql, throughput; it was not declared before the data"},
		"without a ratio": {func(e *v1alpha1.ComparisonEntry) {
			*e = v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: "target", Value: "a", Baseline: "b", Name: "throughput", Verdict: v1alpha1.VerdictInconclusive, PlannedBlockCount: 6,
				Reasons: []v1alpha1.VerdictReason{{Code: v1alpha1.CodeNoPair}}}
		}, nil, "INCONCLUSIVE 0 of 6 blocks: a against b, throughput; no block has a counted value on both sides"},
		"the baseline with itself": {func(e *v1alpha1.ComparisonEntry) {
			e.Family, e.Verdict, e.AdjustedP, e.DetectableEffect = v1alpha1.FamilyControl, v1alpha1.VerdictEquivalent, "", ""
			e.Value, e.Ratio, e.IntervalLow, e.IntervalHigh = "control", "1.001", "0.995", "1.009"
		}, nil, "EQUIVALENT +0.10 % (-0.50 to +0.90 %), p 0.011 by itself, 9 of 10 blocks: control, mysql against itself, throughput; " +
			"two servers of one spec are -0.50 to +0.90 % apart: a difference of less than 0.9 % is not resolved here"},
		"equivalent, and the wider interval reaches beyond the minimum effect": {func(e *v1alpha1.ComparisonEntry) {
			e.Verdict, e.Ratio, e.IntervalLow, e.IntervalHigh, e.AdjustedP = v1alpha1.VerdictEquivalent, "1.003", "0.988", "1.023", "0.51"
			e.EquivalenceLow, e.EquivalenceHigh, e.EquivalenceConfidence = "0.992", "1.019", "0.9160"
		}, nil, "EQUIVALENT +0.3 % (-1.2 to +2.3 %), p 0.51, 9 of 10 blocks: mariadb against mysql, throughput; within ±2 % by the 91.6 % interval (-0.80 to +1.9 %)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (about{errorRate: 0.05, minimumEffect: 0.02, differences: c.differences}).verdict(comparison(c.change)).Text; got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// However long names and reasons are, the API server takes the line.
func TestLinesAreBounded(t *testing.T) {
	e := comparison(func(e *v1alpha1.ComparisonEntry) {
		e.Value, e.Baseline = strings.Repeat("é", 1024), strings.Repeat("\x1b", 1024)
		for range 8 {
			e.Reasons = append(e.Reasons, v1alpha1.VerdictReason{Code: v1alpha1.CodeNoStatistic, Values: map[string]string{"message": strings.Repeat("x", 1024)}})
		}
	})
	text := about{errorRate: 0.05}.verdict(e).Text
	if len(text) > 1024 || strings.ContainsRune(text, '\x1b') || !strings.HasPrefix(text, "FASTER +16 %") {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}

// A key names one comparison of a run.
func TestKeysDiffer(t *testing.T) {
	keys := map[string]bool{}
	for _, change := range []func(*v1alpha1.ComparisonEntry){
		nil, func(e *v1alpha1.ComparisonEntry) { e.Value = "x" }, func(e *v1alpha1.ComparisonEntry) { e.Family = v1alpha1.FamilyExploratory },
		func(e *v1alpha1.ComparisonEntry) { e.Labels = map[string]string{"p": "95"} }, func(e *v1alpha1.ComparisonEntry) { e.Target = "t" },
		func(e *v1alpha1.ComparisonEntry) {
			e.Parameters = map[string]intstr.IntOrString{"threads": intstr.FromInt32(2)}
		},
		batchOver, func(e *v1alpha1.ComparisonEntry) { batchOver(e); e.Unlike = nil },
		func(e *v1alpha1.ComparisonEntry) { batchOver(e); e.Unlike[0].Baseline = "Prepared" },
	} {
		keys[about{errorRate: 0.05}.verdict(comparison(change)).Key] = true
	}
	if len(keys) != 9 || !keys["Primary/driver/mariadb/mysql with scheme SingleRow/db//throughputoperation=InsertText rows=100 scheme=Batch"] {
		t.Errorf("%d keys: %v", len(keys), keys)
	}
}

// What a side cannot do was not measured: it has its reason and no p, and is not counted as inconclusive.
func TestWhatWasNotMeasuredIsNotInconclusive(t *testing.T) {
	entry := func(verdict v1alpha1.ComparisonVerdict, code v1alpha1.ReasonCode) v1alpha1.ComparisonEntry {
		return v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Verdict: verdict, Factor: "driver", Value: "b", Baseline: "a", Name: "throughput", PlannedBlockCount: 10, Reasons: []v1alpha1.VerdictReason{{Code: code}}}
	}
	run := &v1alpha1.BenchmarkRun{}
	run.Status.Findings = []v1alpha1.Finding{{Check: "unsupported", Severity: v1alpha1.SeverityWarning}}
	run.Status.Comparisons = []v1alpha1.ComparisonEntry{
		entry(v1alpha1.VerdictNotMeasured, v1alpha1.CodeNotMeasured), entry(v1alpha1.VerdictInconclusive, v1alpha1.CodeNoPair),
	}
	want := "NOT MEASURED 0 of 10 blocks: driver b against a, throughput; no trial that counts has this measurement on both sides, in one unit; " +
		"the finding unsupported says what a tool cannot do; it counts in the error rate of the declared comparisons"
	if v := FromStatus(run).Verdicts[0]; v.Text != want || !v.Undecided() {
		t.Errorf("%q", v.Text)
	}
	if got := verdictWord(run.Status.Comparisons); got != "1 Inconclusive + 1 more kind" {
		t.Errorf("the outcome is %q", got)
	}
}
