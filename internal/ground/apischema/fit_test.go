package apischema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// What somebody's server, tool or name said reaches no terminal with its escapes, and still fits.
func TestAStatusHasNoEscapes(t *testing.T) {
	const evil = "\x1b[31mred\u202e"
	st := v1alpha1.BenchmarkRunStatus{
		Verdict: evil, Findings: []v1alpha1.Finding{{Check: "x", Message: "two\nlines " + evil}},
		Summary: []v1alpha1.SummaryEntry{{Name: "throughput", Unit: evil, Labels: map[string]string{"operation" + evil: "a\nb" + evil}}},
		Sweeps:  []v1alpha1.SweepEntry{{Target: "db", Reasons: []v1alpha1.VerdictReason{{Code: v1alpha1.CodeNoStatistic, Values: map[string]string{"message": strings.Repeat("\x1b", 1024)}}}, Text: evil}},
	}
	if err := FitStatus(&st); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(st); strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%q", text)
	}
	if st.Verdict != "\uFFFD[31mred\uFFFD" || !strings.HasPrefix(st.Findings[0].Message, "two\nlines ") || len(st.Sweeps[0].Reasons[0].Values["message"]) > 1024 || st.Summary[0].Labels["operation\uFFFD[31mred\uFFFD"] != "a b\uFFFD[31mred\uFFFD" {
		t.Errorf("%q, %q, %q, %d bytes", st.Verdict, st.Findings[0].Message, st.Summary[0].Labels, len(st.Sweeps[0].Reasons[0].Values["message"]))
	}
}
