package analysis

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// said are reasons in short, such as "TooFewBlocks blocks=5 needed=6; OneOrder".
func said(reasons []v1alpha1.VerdictReason) string {
	var out []string
	for _, r := range reasons {
		text := string(r.Code)
		for _, name := range slices.Sorted(maps.Keys(r.Values)) {
			text += " " + name + "=" + r.Values[name]
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestBecause(t *testing.T) {
	want := v1alpha1.VerdictReason{Code: v1alpha1.CodeNotAlike, Values: map[string]string{"run": "a", "unmet": "cpu\uFFFD differs"}}
	if diff := cmp.Diff(want, ofRun(because(v1alpha1.CodeNotAlike, "unmet", "cpu\x1b\ndiffers"), "a")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(v1alpha1.VerdictReason{Code: v1alpha1.CodeNoPair}, because(v1alpha1.CodeNoPair)); diff != "" {
		t.Errorf("without values (-want +got):\n%s", diff)
	}
}

// What is not alike may be long. The API server refuses a status with a value of more than 1,024
// characters or with more than 8 reasons, and the run would never end.
func TestReasonsAreBounded(t *testing.T) {
	if r := because(v1alpha1.CodeNotAlike, "unmet", strings.Repeat("größer ", 1000)); len(r.Values["unmet"]) > 1024 || len(r.Values["unmet"]) < 900 {
		t.Errorf("reason %+v", r)
	}
	all := repeated(t, 10, usual, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5)
	for i := range all {
		all[i].Records[3].Values[0].Value = 0
	}
	over, err := ConcludeRuns(all)
	if err != nil || len(over.Comparisons[0].Reasons) != 8 {
		t.Errorf("ten runs without a value: %v, %s", err, said(over.Comparisons[0].Reasons))
	}
}
