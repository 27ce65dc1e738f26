package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
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

// Each part of a verdict is explained, whichever verdict it is, and one that is not known is an error.
func TestWords(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{Status: v1alpha1.BenchmarkRunStatus{Summary: []v1alpha1.SummaryEntry{
		{Name: "throughput", Target: "mariadb", Median: "1323"}, {Name: "throughput", Target: "mysql", Median: "1304"},
	}, Comparisons: []v1alpha1.ComparisonEntry{{Family: v1alpha1.FamilyPrimary}, {Family: v1alpha1.FamilyPrimary}, {Family: v1alpha1.FamilyExploratory}}}}
	for name, tt := range map[string]struct {
		low, high, text string
		says            []string
	}{
		"inconclusive": {"0.919", "1.34", "mariadb +9.7 % against mysql (-8.1 % to +34 %, p 0.39), differs in log_bin and 13 more: inconclusive (these blocks detect 30 %)", []string{
			"| `mariadb +9.7 % against mysql` | an estimate", "(+1.5 %)", "| `-8.1 % to +34 %` | the interval of the ratio: mariadb may be slower by 8 % or faster by 34 %", "| `p 0.39` | how often pairs that differ by nothing look like this, corrected for both comparisons. At 0.05 or less a difference counts as shown |",
			"| `differs in log_bin and 13 more` |", "| `inconclusive` | neither", "find a difference of 30 % in four of five", "| `1 of 2 comparisons: 2 inconclusive` |"}},
		"faster, of fewer blocks": {"1.7", "2.51", "mariadb 2.04x mysql (1.70 to 2.51, p 0.016, 9 of 10 blocks): faster", []string{
			"| `mariadb 2.04x mysql` |", "| `1.70 to 2.51` | the interval of the ratio: whatever", "| `9 of 10 blocks` |", "| `faster` | a difference"}},
	} {
		c := v1alpha1.ComparisonEntry{Name: "throughput", Value: "mariadb", Baseline: "mysql", IntervalLow: tt.low, IntervalHigh: tt.high, BlockCount: 10, Text: tt.text, Direction: "HigherIsBetter"}
		run.Status.Verdict = tt.text + "; 1 of 2 comparisons: 2 inconclusive"
		got, err := wordsOf(c, run)
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
	for name, text := range map[string]string{
		"no verdict":           "mariadb +9.7 % against mysql",
		"an unknown verdict":   "mariadb +9.7 % against mysql (-8.1 % to +34 %, p 0.39): undecided",
		"an unknown reason":    "mariadb +9.7 % against mysql (-8.1 % to +34 %, p 0.39): inconclusive (because)",
		"no interval in words": "mariadb +9.7 % against mysql (p 0.39): inconclusive",
	} {
		c := v1alpha1.ComparisonEntry{Name: "throughput", Value: "mariadb", Baseline: "mysql", IntervalLow: "0.9", IntervalHigh: "1.3", Text: text}
		if got, err := wordsOf(c, run); err == nil {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// A p-value is corrected for as many comparisons as the run declared, and one alone for none.
func TestCorrected(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{Status: v1alpha1.BenchmarkRunStatus{Comparisons: []v1alpha1.ComparisonEntry{{Family: v1alpha1.FamilyExploratory}}}}
	for _, want := range []string{"", ", corrected for both comparisons", ", corrected for all 3 comparisons"} {
		run.Status.Comparisons = append(run.Status.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary})
		if got := corrected(run); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The demo that the documents show is a real one, as it was stored, of the manifest as it is.
func TestTheDemoIsOfTheManifest(t *testing.T) {
	run, err := demo(t.Context(), "../../"+bundleFile)
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
	if _, err := partsOf(run, string(sample)); err != nil {
		t.Error(err)
	}
	if err := sameSpec(run, []byte(strings.Replace(string(sample), "duration: ", "duration: 1", 1))); err == nil {
		t.Error("a manifest with other windows is taken for that of the demo")
	}
}
