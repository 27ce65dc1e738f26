package readout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// searched is a search for the highest rate, of a target in a block.
func searched(target string, block int32, outcome v1alpha1.SearchOutcome, held, failed int32) v1alpha1.SearchEntry {
	return v1alpha1.SearchEntry{Target: target, Block: block, Outcome: outcome, Held: held, Failed: failed, TrialCount: 8, Reason: "why"}
}

func TestSearchText(t *testing.T) {
	inCell := searched("a", 1, v1alpha1.SearchFound, 1200, 1260)
	inCell.Parameters = map[string]intstr.IntOrString{"threads": intstr.FromInt32(8)}
	one := searched("a", 0, v1alpha1.SearchUnknown, 0, 0)
	one.TrialCount = 1
	tests := map[string]struct {
		entry v1alpha1.SearchEntry
		want  string
	}{
		"found":                       {inCell, "a, threads=8, block 1: 1,200 held, 1,260 did not: why (8 trials)"},
		"all held":                    {searched("a", 0, v1alpha1.SearchAllHeld, 1600, 0), "a, block 0: 1,600 or more: search.high held (8 trials)"},
		"none held":                   {searched("a", 0, v1alpha1.SearchNoneHeld, 0, 100), "a, block 0: no rate is known to hold: 100 (search.low) did not: why (8 trials)"},
		"not known, after one trial":  {one, "a, block 0: no answer: why (1 trial)"},
		"not finished":                {searched("a", 0, v1alpha1.SearchUnfinished, 0, 0), "a, block 0: the run ended before the search did (8 trials)"},
		"not finished, but some held": {searched("a", 0, v1alpha1.SearchUnfinished, 12345, 0), "a, block 0: the run ended before the search did; 12,345 held (8 trials)"},
	}
	for name, tt := range tests {
		if got := SearchText(tt.entry); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// The headline has bounds where any block has one, and else the median of what was found, of all clients together.
func TestSearchHeadline(t *testing.T) {
	found, most, least, unknown := v1alpha1.SearchFound, v1alpha1.SearchAllHeld, v1alpha1.SearchNoneHeld, v1alpha1.SearchUnknown
	other := searched("a", 0, found, 5, 6)
	other.Cell = 1
	cells := &plan.Plan{Targets: []string{"a"}, Axes: []string{"threads"}, Cells: []plan.Cell{
		{"threads": intstr.FromInt32(4)}, {"threads": intstr.FromInt32(8)},
	}}
	two := &plan.Plan{Targets: []string{"a", "b"}, Cells: []plan.Cell{{}}}
	tests := map[string]struct {
		plan    *plan.Plan
		entries []v1alpha1.SearchEntry
		clients int
		want    string
	}{
		"a median, and a bound":       {two, []v1alpha1.SearchEntry{searched("a", 0, found, 1200, 1260), searched("a", 1, found, 1300, 1360), searched("b", 0, most, 1600, 0), searched("b", 1, most, 1600, 0)}, 1, "highest rate: a 1,250 | b 1,600 or more tx/s (n=2)"},
		"of two clients":              {two, []v1alpha1.SearchEntry{searched("a", 0, found, 600, 700), searched("b", 0, least, 0, 100)}, 2, "highest rate: a 1,200 | b less than 200 tx/s (n=1)"},
		"a bound in one block of two": {two, []v1alpha1.SearchEntry{searched("a", 0, found, 497, 520), searched("a", 1, most, 1600, 0), searched("b", 0, unknown, 0, 0), searched("b", 1, unknown, 0, 0)}, 1, "highest rate: a 1,600 or more in 1 of 2 | b unknown tx/s (n=2)"},
		"the first cell":              {cells, []v1alpha1.SearchEntry{searched("a", 0, found, 673, 703), other}, 1, "threads=4 highest rate: a 673 tx/s (n=1; 1 of 2 cells)"},
		"no search":                   {two, nil, 1, ""},
	}
	for name, tt := range tests {
		if got := SearchHeadline(tt.plan, tt.entries, tt.clients, "tx/s"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A run that searches leads with what it found, and the findings name the searches that found a bound or nothing.
func TestSearchesAreTold(t *testing.T) {
	run := with(false, "Complete=True", "Valid=True")
	run.Status.Headline = "highest rate: a 1,200 tx/s (n=2)"
	run.Status.Searches = []v1alpha1.SearchEntry{searched("a", 0, v1alpha1.SearchFound, 1200, 1260), searched("a", 1, v1alpha1.SearchNoneHeld, 0, 100)}
	run.Status.Results = &v1alpha1.ResultsStatus{SearchCount: 5}
	doc := FromStatus(run)
	if diff := cmp.Diff([]Statement{{Plain, "SEARCH", run.Status.Headline}}, doc.Answer); diff != "" {
		t.Errorf("the answer (-want +got):\n%s", diff)
	}
	want := Search{Target: "a", Where: map[string]string{}, Outcome: "Found", Held: 1200, Failed: 1260, Trials: 8, Reason: "why", Text: "a, block 0: 1,200 held, 1,260 did not: why (8 trials)"}
	if diff := cmp.Diff(want, doc.Searches[0]); diff != "" || doc.MoreSearches != 3 {
		t.Errorf("%d more (-want +got):\n%s", doc.MoreSearches, diff)
	}
	f := SearchFindings(run.Status.Searches)
	if len(f) != 1 || f[0].Check != "search-none-held" || !strings.HasPrefix(f[0].Message, "in 1 of 2 searches search.low did not hold") || !strings.HasSuffix(f[0].Message, "The first: a, block 1: no rate is known to hold: 100 (search.low) did not: why (8 trials)") {
		t.Errorf("the findings are %+v", f)
	}
}
