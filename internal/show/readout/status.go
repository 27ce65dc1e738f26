package readout

import (
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Describe writes the texts of comparisons and sweeps, which stand beside their numbers in the status and in what a run
// stores.
func Describe(run *v1alpha1.BenchmarkRun, comparisons []v1alpha1.ComparisonEntry, sweeps []v1alpha1.SweepEntry, differences []v1alpha1.SideDifferences) {
	a := aboutRun(run, differences)
	for i := range comparisons {
		comparisons[i].Text = a.verdict(comparisons[i]).Text
	}
	for i := range sweeps {
		sweeps[i].Text = SweepText(sweeps[i])
	}
}

// Bounds of the status, in bytes.
const maxOutcome, maxVerdict = 253, 1024

// SetWords of the status: the outcome, and of a run that has ended the verdict. It is called with all else in place.
func SetWords(run *v1alpha1.BenchmarkRun) {
	st := &run.Status
	st.Outcome = contract.Cut(OutcomeOf(run).Word, maxOutcome)
	st.Verdict = ""
	if run.Finished() {
		st.Verdict = contract.Cut(verdictLine(run), maxVerdict)
	}
}

// verdictLine is what the comparisons, sweeps and controls of a run show; empty for a run without any. That of results
// that cannot be relied on says so first.
func verdictLine(run *v1alpha1.BenchmarkRun) string {
	doc := FromStatus(run)
	var parts []string
	for _, s := range append(doc.shows(run), early(run)...) {
		parts = append(parts, s.String())
	}
	text := strings.Join(parts, "; ")
	if text == "" || doc.Kind != Invalid {
		return text
	}
	return "INVALID (" + condition(run, v1alpha1.ConditionValid).Reason + "): " + text
}

// MinimumEffect of the comparisons of a run, as a share: a ratio from 1/(1+effect) to 1+effect is too small to matter. 0
// for a text that is none, which the API server refuses.
func MinimumEffect(run *v1alpha1.BenchmarkRun) float64 {
	percent, _ := figure.Decimal(strings.TrimSuffix(minimumEffectOf(run), "%"))
	return percent / 100
}

// minimumEffectOf a run as its spec has it, such as "5%".
func minimumEffectOf(run *v1alpha1.BenchmarkRun) string {
	if a := run.Spec.Analysis; a != nil && a.MinimumEffect != "" {
		return a.MinimumEffect
	}
	return v1alpha1.DefaultMinimumEffect
}
