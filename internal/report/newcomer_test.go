package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
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
