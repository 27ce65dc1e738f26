package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/report/chart"
)

// Findings of the run, and of no trial, name no trials.
func TestFindingsOfTheRunNameNoTrials(t *testing.T) {
	in := twoServers(6).input(t)
	for range 2 {
		in.Run.Status.Findings = append(in.Run.Status.Findings, v1alpha1.Finding{Check: "machine-speed-drift", Severity: v1alpha1.SeverityWarning, Message: "the node grew slower."})
	}
	c := chapterOf(t, in, "findings")
	if want := []string{"machine-speed-drift: the node grew slower (the first of 2)"}; !slices.Equal(c.blocks[0].bullets, want) {
		t.Errorf("got %q, want %q", c.blocks[0].bullets, want)
	}
}

// The page calls an exploratory comparison what the other outputs call it, and says in whole sentences which number is the higher one.
func TestSentencesWithoutAVerdict(t *testing.T) {
	entry := v1alpha1.ComparisonEntry{Name: "throughput", Factor: v1alpha1.FactorTarget, Value: "b", Baseline: "a"}
	for want, e := range map[string]struct{ verdict, ratio string }{
		"Exploratory, so no verdict: throughput of b is 15.2 % higher than that of a, which is a hint only": {"Exploratory", "1.152"},
		"Inconclusive: throughput of b is 13.9 % lower than that of a, which chance may have made":          {"Inconclusive", "0.861"},
		"Inconclusive: throughput of b is 2.00 times as high as that of a, which chance may have made":      {"Inconclusive", "2"},
		"Inconclusive: throughput of b is equally high as that of a, which chance may have made":            {"Inconclusive", "1"},
		"Exploratory, so no verdict: there is no ratio of b to a in throughput":                             {"Exploratory", ""},
	} {
		entry.Verdict, entry.Ratio = v1alpha1.ComparisonVerdict(e.verdict), e.ratio
		if got := (Input{}).sentence(entry); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Rounding hides neither on which side of 1 a ratio or its bound is, nor on which side of the error rate a p-value is.
func TestRoundingOfTheReportKeepsTheSide(t *testing.T) {
	small := v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.VerdictFaster, Factor: v1alpha1.FactorTarget, Name: "x", Value: "b", Baseline: "a",
		Ratio: "1.004", IntervalLow: "1.001", IntervalHigh: "1.007", P: "0.0101", AdjustedP: "0.0202"}
	large := small
	large.Verdict, large.Ratio, large.IntervalLow, large.IntervalHigh, large.AdjustedP = v1alpha1.VerdictInconclusive, "2.1", "0.9996", "4.2", "0.0504"
	blocks := ratioBlocks(Input{Run: &v1alpha1.BenchmarkRun{}, Comparisons: []v1alpha1.ComparisonEntry{small, large}})
	want := [][]string{{"1.004×", "1.001 to 1.01", "0.01", "0.02"}, {"2.10×", "0.9996 to 4.20", "0.01", "0.0504"}}
	for i, row := range blocks[len(blocks)-1].table.rows {
		got := []string{row[2].text, row[3].text, row[4].text, row[5].text}
		if !slices.Equal(got, want[i]) {
			t.Errorf("got %q, want %q", got, want[i])
		}
	}
	if got := (Input{Run: &v1alpha1.BenchmarkRun{}}).sentence(large); !strings.Contains(got, "interval 0.9996 to 4.20, adjusted p 0.0504") && !strings.Contains(got, "(0.9996 to 4.20, adjusted p 0.0504") {
		t.Errorf("the sentence hides a side: %q", got)
	}
	for share, want := range map[float64]string{0.00003: "+0.003 %", -0.00003: "−0.003 %", 0.0004: "+0.04 %", 0.038: "+3.8 %", 0: "0.0 %", 1e-16: "0.0 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// A trial counts once for what limits it, however many labelled values it has, and only servers that are compared have an order.
func TestLimitsCountTrials(t *testing.T) {
	var entries []v1alpha1.SummaryEntry
	for i := range 32 {
		e := v1alpha1.SummaryEntry{Name: "throughput", Target: "mysql", Labels: map[string]string{"driver": strings.Repeat("d", i)}, TrialCount: 8, SaturatedTrialCount: 3,
			LimitedBy: []v1alpha1.LimitCount{{By: v1alpha1.LimitCPU, TrialCount: 8}}}
		if i == 0 {
			e.Labels, e.Steadiness = nil, &v1alpha1.SteadinessCount{NotSteady: 8}
		}
		entries = append(entries, e)
	}
	got := limitsOf(entries)
	want := []string{"In 8 of 8 trials the server used up the CPU of its shape.", "In 3 of 8 trials the offered rate", "In 8 of 8 trials the throughput was not steady"}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
	other := entries[1]
	other.Target = "mariadb"
	if got := limitsOf(append(entries, other)); !strings.HasPrefix(got[0], "In 16 of 16 trials") || !strings.HasSuffix(got[0], "the order may be another.") {
		t.Errorf("two servers: %q", got)
	}
}

// Below the result of a gate nobody says that there is no verdict.
func TestAGateIsAVerdict(t *testing.T) {
	in := Input{Run: &v1alpha1.BenchmarkRun{}}
	if got := lacks(in); !strings.Contains(got[0], "so there is no verdict: differences") {
		t.Errorf("without a gate: %q", got)
	}
	in.Run.Status.Gate = &v1alpha1.GateStatus{}
	if got := lacks(in); !strings.Contains(got[0], "no verdict on differences within the run") || !strings.Contains(got[0], "The gate, above") {
		t.Errorf("with a gate: %q", got)
	}
}

// What the tool has computed itself has no test: it has the mark of that, and the page says so.
func TestSpeedUpsOfTheToolAreMarked(t *testing.T) {
	m := twoServers(3, 1, 8)
	measure := m.measure
	m.names = append(m.names, nameSpeedUp)
	m.measure = func(target string, cell plan.Cell, block int) []contract.RecordedValue {
		return append(measure(target, cell, block), value(nameSpeedUp, "1", contract.HigherIsBetter, 2.71))
	}
	in := m.input(t)
	in.Comparisons = nil
	page := pageOf(t, in)
	if !strings.Contains(page, "2.71× as fast ?") || !strings.Contains(page, "without a test") {
		t.Error("a speed-up of the tool reads as shown")
	}
}

// The curve of a spectrum is flat over a last bucket with many operations, and ends at the slowest one.
func TestASpectrumIsFlatOverItsLastBucket(t *testing.T) {
	points := curveOf(contract.Histogram{Unit: "ms", Buckets: []contract.Bucket{{Value: 1, Count: 900}, {Value: 5, Count: 100}}}, "mysql")
	var got []float64
	for _, p := range points {
		got = append(got, math.Round(p.X), p.Y)
	}
	if want := []float64{1, 1, 10, 5, 1000, 5}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	points = curveOf(contract.Histogram{Unit: "ms", Buckets: []contract.Bucket{{Value: 1, Count: 999}, {Value: 5, Count: 1}}}, "mysql")
	if len(points) != 2 || points[1].X != 1000 || points[1].Y != 5 {
		t.Errorf("one slowest operation: %+v", points)
	}
}

// The picture of the ratios says "interval" where there are some, and its numbers have one form.
func TestRatiosHaveOneForm(t *testing.T) {
	entries := func(ratios ...string) Input {
		in := Input{Run: &v1alpha1.BenchmarkRun{}}
		for _, r := range ratios {
			in.Comparisons = append(in.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyExploratory, Verdict: v1alpha1.VerdictExploratory, Name: "x", Value: "b", Baseline: "a", Ratio: r})
		}
		return in
	}
	column := func(in Input) (out []string) {
		blocks := ratioBlocks(in)
		for _, row := range blocks[len(blocks)-1].table.rows {
			out = append(out, row[2].text)
		}
		return out
	}
	if got, want := column(entries("0.861", "0.794")), []string{"0.861×", "0.794×"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := column(entries("0.861", "1.1")), []string{"−13.9 %", "+10.0 %"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	in := entries("0.861", "0.794")
	if f := forest(in); strings.Contains(f.caption, "interval") || !strings.Contains(f.note, "has no interval") || strings.Contains(f.note, "that crosses") {
		t.Errorf("no interval is known, and it says %q, %q", f.caption, f.note)
	}
	for i := range in.Comparisons {
		in.Comparisons[i].IntervalLow, in.Comparisons[i].IntervalHigh = "0.7", "0.9"
	}
	if f := forest(in); !strings.Contains(f.caption, "with their intervals") || strings.Contains(f.note, "has no interval") {
		t.Errorf("all intervals are known, and it says %q, %q", f.caption, f.note)
	}
}

// The title of the axis of time is whole on a phone.
func TestTheAxisOfTimeIsWholeOnAPhone(t *testing.T) {
	f := figureOfChapter(t, chapterOf(t, withResults(twoServers(6).input(t)), "time"))
	svg, err := f.draw(chart.Narrow)
	if err != nil || !strings.Contains(svg, ">seconds of the measured window<") {
		t.Errorf("%v: the title is cut", err)
	}
}
