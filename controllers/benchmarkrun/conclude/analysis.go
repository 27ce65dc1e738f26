package conclude

import (
	"errors"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

const (
	// maxCompared is how many comparisons the status has.
	maxCompared = 64
	// maxSwept is how many sweeps the status has.
	maxSwept = 16
	// maxDiffering is of how many pairs of targets the status has the differences.
	maxDiffering = 16
)

// compare what the run declared. A run whose comparisons cannot be made keeps its numbers, and says why.
func (in Input) compare() analysis.Result {
	if in.Layout.Plan == nil {
		return analysis.Result{}
	}
	in.Settings = analysis.SettingsOf(in.Run.Status.Resolved)
	out, err := analysis.Conclude(in.Input)
	if err != nil {
		message := "the comparisons of the run cannot be made: " + err.Error()
		if many := new(analysis.TooManyError); errors.As(err, &many) {
			message = many.Error()
		}
		out.Findings = append(out.Findings, v1alpha1.Finding{Check: "comparisons-absent", Severity: v1alpha1.SeverityWarning, Message: message})
	}
	return out
}
