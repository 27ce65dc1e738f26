package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
)

// A part of a page is what the demo printed, and the rest of the page stays.
func TestReplaced(t *testing.T) {
	parts := map[string]string{"one": "1\n", "two": "2\n"}
	page := "a\n<!-- demo one -->\nold\n<!-- /demo -->\nb\n<!-- demo two -->\n<!-- /demo -->\n"
	want := "a\n<!-- demo one -->\n\n1\n\n<!-- /demo -->\nb\n<!-- demo two -->\n\n2\n\n<!-- /demo -->\n"
	for _, text := range []string{page, want} { // twice is once
		got, err := replaced(text, parts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for name, text := range map[string]string{
		"no part":             "a\n",
		"a part without end":  "<!-- demo one -->\n",
		"an end alone":        page + "<!-- /demo -->\n",
		"a part in a part":    "<!-- demo one -->\n<!-- demo two -->\n<!-- /demo -->\n<!-- /demo -->\n",
		"a part of no name":   "<!-- demo three -->\n<!-- /demo -->\n",
		"a part in one line":  "<!-- demo one --> <!-- /demo -->\n",
		"a second that opens": "<!-- demo one -->\n<!-- demo two -->\n<!-- /demo -->\n",
	} {
		if got, err := replaced(text, parts); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Each part of a verdict has its row, whatever the verdict is.
func TestWords(t *testing.T) {
	doc := readout.Run{Measurements: []readout.Measurement{
		{Name: "throughput", Target: "mariadb", Median: "1323"}, {Name: "throughput", Target: "mysql", Median: "1304"},
	}, Verdicts: []readout.Verdict{{Family: "Primary"}, {Family: "Primary"}, {Family: "Exploratory"}}}
	run := &v1alpha1.BenchmarkRun{}
	run.Status.Differences = []v1alpha1.SideDifferences{{Value: "mariadb", Baseline: "mysql", Differences: []v1alpha1.SideDifference{{Name: "log_bin"}}}}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.ComparisonEntry)
		says   []string
	}{
		"inconclusive": {func(e *v1alpha1.ComparisonEntry) {
			e.Verdict, e.Ratio, e.IntervalLow, e.IntervalHigh, e.AdjustedP, e.DetectableEffect = v1alpha1.VerdictInconclusive, "1.097", "0.919", "1.34", "0.39", "0.3"
		}, []string{
			"| `INCONCLUSIVE` | neither", "| `+9.7 %` | an estimate", "above is another one (+1.5 %): pairs", "| `-8.1 to +34 %` | the interval of the ratio: mariadb may be slower by 8.1 % or faster by 34 %",
			"| `p 0.39` | the probability of such a difference, or a more extreme one, if nothing differed, corrected for both comparisons. At 0.05 or less a difference counts as shown |",
			"| `10 blocks` |", "| `mariadb against mysql, throughput` |", "| `these blocks detect 30 %` | with the spread", "| `differs in log_bin` | what else"}},
		"what the line of a decided one does not have": {func(e *v1alpha1.ComparisonEntry) {
			e.Verdict, e.Ratio, e.IntervalLow, e.IntervalHigh, e.AdjustedP, e.DetectableEffect = v1alpha1.VerdictFaster, "1.1", "1.02", "1.2", "0.02", "0.16"
		}, []string{"| so many pairs count, one of each block |\n| `mariadb against mysql, throughput` | what is compared: the first against the second |\n| `differs in log_bin`"}},
		"as the medians are": {func(e *v1alpha1.ComparisonEntry) {
			e.Verdict, e.Ratio, e.IntervalLow, e.IntervalHigh, e.AdjustedP = v1alpha1.VerdictInconclusive, "1.015", "0.919", "1.34", "0.39"
		}, []string{"| `+1.5 %` | an estimate", "above is nearly the same here, and need not be: pairs"}},
		"faster, of fewer blocks": {func(e *v1alpha1.ComparisonEntry) {
			e.Verdict, e.Ratio, e.IntervalLow, e.IntervalHigh, e.AdjustedP, e.BlockCount = v1alpha1.VerdictFaster, "2.04", "1.7", "2.51", "0.016", 9
		}, []string{"| `FASTER` | a difference", "| `2.04x` |", "| `1.70 to 2.51` | the interval of the ratio: whatever", "| `9 of 10 blocks` | in the other blocks"}},
	} {
		e := v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: "target", Name: "throughput", Value: "mariadb", Baseline: "mysql", BlockCount: 10, PlannedBlockCount: 10, Direction: "HigherIsBetter"}
		tt.change(&e)
		got, err := wordsOf(readout.Of(readout.Input{Run: run, Comparisons: []v1alpha1.ComparisonEntry{e}}).Verdicts[0], doc)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range tt.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, got)
			}
		}
		if strings.Contains(got, "``") || strings.Contains(got, "|  |") {
			t.Errorf("%s: an empty part:\n%s", name, got)
		}
	}
	for name, v := range map[string]readout.Verdict{
		"an unknown verdict": {Verdict: "Undecided", IntervalLow: "0.9", IntervalHigh: "1.1", Value: "mariadb", Baseline: "mysql", Name: "throughput"},
		"no interval":        {Verdict: "Inconclusive", Value: "mariadb", Baseline: "mysql", Name: "throughput"},
		"no median":          {Verdict: "Inconclusive", IntervalLow: "0.9", IntervalHigh: "1.1", Value: "mariadb", Baseline: "other", Name: "throughput"},
	} {
		if got, err := wordsOf(v, doc); err == nil {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// A p-value is corrected for as many comparisons as the run declared, and one alone for none.
func TestCorrected(t *testing.T) {
	doc := readout.Run{Verdicts: []readout.Verdict{{Family: "Exploratory"}}}
	for _, want := range []string{"", ", corrected for both comparisons", ", corrected for all 3 comparisons"} {
		doc.Verdicts = append(doc.Verdicts, readout.Verdict{Family: "Primary"})
		if got := corrected(doc); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The demo that the documents show is a real one, as it was stored, of the manifest as it is.
func TestTheDemoIsOfTheManifest(t *testing.T) {
	run, err := stored(t.Context(), "../../"+bundleFile)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := os.ReadFile("../../" + sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameSpec(run, sample); err != nil {
		t.Error(err)
	}
	if _, err := partsOf(run); err != nil {
		t.Error(err)
	}
	if err := sameSpec(run, []byte(strings.Replace(string(sample), "duration: ", "duration: 1", 1))); err == nil {
		t.Error("a manifest with other windows is taken for that of the demo")
	}
}

// The verdict of the first screen is decided; that of a run that decides nothing is refused.
func TestDecided(t *testing.T) {
	run, err := stored(t.Context(), "../../"+decidedFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decided(run)
	if err != nil || !strings.HasPrefix(got, "> `FASTER ") && !strings.HasPrefix(got, "> `SLOWER ") || !strings.HasSuffix(got, "`\n") {
		t.Errorf("%q, %v", got, err)
	}
	run.Status.Comparisons[0].Verdict = v1alpha1.VerdictInconclusive
	if got, err := decided(run); err == nil {
		t.Errorf("a run that decides nothing: %q", got)
	}
}
