package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report/chart"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// Findings of the run, and of no trial, name no trials.
func TestFindingsOfTheRunNameNoTrials(t *testing.T) {
	in := twoServers(6).input(t)
	for range 2 {
		in.Run.Status.Findings = append(in.Run.Status.Findings, v1alpha1.Finding{Check: "machine-speed-drift", Severity: v1alpha1.SeverityWarning, Message: "the node grew slower."})
	}
	c := sectionOf(t, in, "findings")
	if want := []string{"machine-speed-drift: the node grew slower (the first of 2)"}; !slices.Equal(c.Blocks[0].Bullets, want) {
		t.Errorf("got %q, want %q", c.Blocks[0].Bullets, want)
	}
}

// What the page says of a comparison is what the readout says, to the last character.
func TestRatiosAreThoseOfTheReadout(t *testing.T) {
	entry := func(verdict, ratio, low, high, p, adjusted string) v1alpha1.ComparisonEntry {
		return v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.ComparisonVerdict(verdict), Factor: v1alpha1.FactorTarget, Name: "x", Value: "b", Baseline: "a",
			Ratio: ratio, IntervalLow: low, IntervalHigh: high, P: p, AdjustedP: adjusted, BlockCount: 9, PlannedBlockCount: 10}
	}
	in := Input{Run: &v1alpha1.BenchmarkRun{}, Comparisons: []v1alpha1.ComparisonEntry{
		entry("Faster", "1.004", "1.001", "1.007", "0.0101", "0.0202"), entry("Inconclusive", "2.1", "0.9996", "4.2", "0.0101", "0.0504"),
		entry("Exploratory", "1.152", "", "", "", ""), entry("Inconclusive", "0.861", "", "", "", ""), entry("Inconclusive", "1", "", "", "", ""), entry("Exploratory", "", "", "", "", ""),
	}}
	in.read()
	blocks := ratioBlocks(in.doc.Verdicts, basisOf(in))
	want := [][]string{
		{"Faster", "1.004x", "1.001 to 1.007", "0.01", "0.02", "9 of 10 blocks"}, {"Inconclusive", "2.10x", "0.9996 to 4.20", "0.01", "0.0504", "9 of 10 blocks"},
		{"Exploratory", "1.15x", "–", "–", "–", "9 of 10 blocks"}, {"Inconclusive", "0.861x", "–", "–", "–", "9 of 10 blocks"}, {"Inconclusive", "1.00x", "–", "–", "–", "9 of 10 blocks"},
		{"Exploratory", "–", "–", "–", "–", "9 of 10 blocks"},
	}
	for i, row := range blocks[2].Table.Rows {
		var got []string
		for _, c := range row[1:] {
			got = append(got, c.Text)
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if v := readout.InOneForm(in.doc.Verdicts)[i]; row[0].Text != v.Subject || v.Effect != "" && got[1] != v.Effect {
			t.Errorf("got %q, and the readout says %+v", got, v)
		}
	}
}

// What limits a number stands at it with its trials, however many labelled values they have, and is explained once.
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
	ms := measurements(entries)
	legend := doubt(ms)
	if got, want := ms[0].notes[&entries[0]], "CPU limit 8/8, saturated 3/8, not steady 8/8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := ms[0].notes[&entries[1]], "CPU limit 8/8, saturated 3/8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(legend) != 3 || !strings.HasPrefix(legend[0], "CPU limit: the server used up the CPU of its shape") {
		t.Errorf("got %q, want each kind of limit once", legend)
	}
}

// What the tool has computed itself has no test: it has the mark of that, and the page says so.
func TestSpeedUpsOfTheToolAreMarked(t *testing.T) {
	m := twoServers(3, 1, 8)
	measure := m.measure
	m.names = append(m.names, contract.NameSpeedUp)
	m.measure = func(target string, cell plan.Cell, block int) []contract.RecordedValue {
		return append(measure(target, cell, block), value(contract.NameSpeedUp, "1", contract.HigherIsBetter, 2.71))
	}
	in := m.input(t)
	in.Comparisons = nil
	page := pageOf(t, in)
	if !strings.Contains(page, "2.71x as fast ?") || !strings.Contains(page, "without a test") {
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

// The picture of the ratios says what a stroke is where there are some, and that right is better.
func TestRatiosAreDrawnRightIsBetter(t *testing.T) {
	of := func(direction contract.Direction, low, high string, ratios ...string) (Input, []readout.Verdict) {
		in := Input{Run: &v1alpha1.BenchmarkRun{}}
		for _, r := range ratios {
			in.Comparisons = append(in.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.VerdictFaster, Name: "x", Value: "b", Baseline: "a", Factor: "target",
				Ratio: r, IntervalLow: low, IntervalHigh: high, Direction: string(direction)})
		}
		in.read()
		return in, in.doc.Verdicts
	}
	said := func(in Input, all []readout.Verdict) (out string) {
		for _, b := range ratioBlocks(all, basisOf(in)) {
			out += b.Text
		}
		return out
	}
	in, all := of(contract.HigherIsBetter, "", "", "0.861", "0.794")
	if text := said(in, all); !strings.Contains(text, "has no interval") || strings.Contains(text, "A stroke is") || !strings.Contains(text, "minimum effect of 2 %") {
		t.Errorf("no interval is known, and it says %q", text)
	}
	if f, _, _ := forest(contract.LowerIsBetter, all, 0.02); f != nil {
		t.Error("a picture of times has rates")
	}
	in, all = of(contract.LowerIsBetter, "0.7", "0.9", "0.861", "0.9")
	if text := said(in, all); strings.Contains(text, "has no interval") || !strings.Contains(text, "A stroke is") {
		t.Errorf("all intervals are known, and it says %q", text)
	}
	f, _, _ := forest(contract.LowerIsBetter, all, 0.02)
	if !strings.Contains(f.Note, "The axis is turned") {
		t.Errorf("it says %q", f.Note)
	}
	svg, err := f.draw(chart.Narrow)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">difference to the baseline, lower is better →<", ">FASTER<", ">-14 % (-30 to -10 %)<", "b against a, x"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %s: %s", want, svg)
		}
	}
	if blocks := ratioBlocks(all, basisOf(in)); blocks[0].Picture == nil || blocks[1].Picture != nil || blocks[2].Table == nil {
		t.Errorf("got %+v, want one picture", blocks)
	}
}

// The title of the axis of time is whole on a phone.
func TestTheAxisOfTimeIsWholeOnAPhone(t *testing.T) {
	in := withResults(twoServers(6).input(t))
	for section, want := range map[string]string{"time": ">seconds of the measured window<", "trials": ">minutes since the first trial<"} {
		svg, err := figureOfSection(t, sectionOf(t, in, section)).draw(chart.Narrow)
		if err != nil || !strings.Contains(svg, want) {
			t.Errorf("%s, %v: the title is cut", section, err)
		}
	}
}
