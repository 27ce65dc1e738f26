package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// What the limit leaves out of the comparisons that were not declared is counted, and said.
func TestExploratoryComparisonsBeyondTheLimitAreCounted(t *testing.T) {
	p := planOf(10, 1, "a", "b")
	in := Input{Layout: Layout{Plan: p}, Records: recordsOf(p, 0.001, bOver(1.5)), Names: names, Limit: 10000}
	conclude := func(limit int) (explored int, finding string) {
		t.Helper()
		var err error
		declared := []v1alpha1.Comparison{{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: names[0]}}}}
		if in.Declaration, err = Declare(specOf(2, &v1alpha1.Analysis{MinimumEffect: "2%", ErrorRate: "5%", Comparisons: declared}), names); err != nil {
			t.Fatal(err)
		}
		in.Limit = limit
		out, err := Conclude(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range out.Entries {
			if e.Family == v1alpha1.FamilyExploratory {
				explored++
			}
		}
		for _, f := range out.Findings {
			finding = f.Check + ": " + f.Message
		}
		return explored, finding
	}
	all, finding := conclude(10000)
	if all < 2 || finding != "" {
		t.Fatalf("%d comparisons without a limit, %q", all, finding)
	}
	if n, finding := conclude(1); n != 1 || !strings.HasPrefix(finding, "comparisons-cut: ") || !strings.Contains(finding, fmt.Sprintf("left out: %s that nobody declared; the limit is 1 ", figure.Counted(all-1, "comparison"))) {
		t.Errorf("%d comparisons, %q", n, finding)
	}
}
