package conclude

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// A gate asks for its baseline once, of a run that has ended with results, and for nothing else.
func TestGateAsks(t *testing.T) {
	query := decision.Named[*v1alpha1.BenchmarkBaseline]("release")
	b := &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Name: "release", ResourceVersion: "7"}}
	gated := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Gate: &v1alpha1.Gate{Baseline: "release", Threshold: "25%"}}}
	within := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Gate: &v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared, Margin: "3%"}}}
	valid := Verdict{Known: true, Valid: true}
	tests := map[string]struct {
		run   *v1alpha1.BenchmarkRun
		known decision.Known
		valid Verdict
		fails decision.Failed
		asks  bool
		// want is empty for no verdict.
		want, message string
	}{
		"without a gate":                {run: &v1alpha1.BenchmarkRun{}, valid: valid},
		"the baseline is not read yet":  {run: gated, valid: valid, asks: true},
		"there is no baseline":          {run: gated, valid: valid, known: decision.Known{}.With(query, decision.Absent{}), want: "Unknown/BaselineNotFound"},
		"there is one, without a plan":  {run: gated, valid: valid, known: decision.Known{}.With(query, b), want: "Unknown/NotJudged", message: "the run has no plan"},
		"results that are not valid":    {run: gated, valid: Verdict{Known: true, Reason: "Tampered", Message: "x"}, known: decision.Known{}.With(query, b), want: "False/Invalid", message: "the run is not valid (Tampered: x)"},
		"no result at all":              {run: gated, known: decision.Known{}.With(query, b), want: "False/Invalid", message: "there is no result"},
		"its own comparisons":           {run: within, valid: valid, want: "Unknown/NotJudged", message: "the run has no plan"},
		"its own, and not valid":        {run: within, valid: Verdict{Known: true, Reason: "Tampered", Message: "x"}, want: "False/Invalid", message: "the run is not valid (Tampered: x)"},
		"its own, of a run that failed": {run: within, fails: decision.Failed{Reason: "ToolFailed", Message: "y"}, want: "False/RunFailed", message: "ToolFailed: y"},
		"a run that failed needs none":  {run: gated, fails: decision.Failed{Reason: "ToolFailed", Message: "y"}, want: "False/RunFailed", message: "ToolFailed: y"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ask := tt.known.Ask()
			got := Gate(Input{Run: tt.run}, tt.valid, tt.fails, ask)
			if asks := len(ask.Missing()) > 0; asks != tt.asks {
				t.Errorf("asks for %v", ask.Missing())
			}
			if tt.want == "" {
				if got != nil {
					t.Errorf("a verdict: %+v", got)
				}
				return
			}
			if text := string(got.Status) + "/" + got.Reason; text != tt.want || !strings.Contains(got.Message, tt.message) {
				t.Errorf("got %s: %s", text, got.Message)
			}
			if len(got.Gate.Baselines) == 0 {
				return
			}
			if g := got.Gate.Baselines[0].Pin; g != nil && (g.ResourceVersion != "7" || len(g.SHA256) != 64) {
				t.Errorf("pinned: %+v", g)
			}
		})
	}
}
