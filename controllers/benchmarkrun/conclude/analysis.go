package conclude

import (
	"errors"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/contract"
)

// maxCompared is how many comparisons the status has.
const maxCompared = 64

// maxSwept is how many sweeps the status has.
const maxSwept = 16

// compare what the run declared. A run whose comparisons cannot be made keeps its numbers, and says why.
func (in Input) compare() analysis.Result {
	if in.Layout.Plan == nil {
		return analysis.Result{}
	}
	out, err := analysis.Conclude(analysis.Input{
		Layout: in.Layout, Declaration: in.Declaration, Names: in.Names, Records: in.Records, Limit: in.Limit, Alike: analysis.Alike,
	})
	var many *analysis.TooManyError
	switch {
	case err == nil:
		return out
	case errors.As(err, &many):
		out.Verdict = strings.TrimSuffix("exploratory: "+err.Error()+"; "+out.Verdict, "; ")
		return out
	}
	out.Findings = append(out.Findings, uncompared(err))
	return out
}

// uncompared is the finding of a run whose comparisons cannot be made.
func uncompared(err error) v1alpha1.Finding {
	return v1alpha1.Finding{Check: "comparisons-absent", Severity: v1alpha1.SeverityWarning, Message: "the comparisons of the run cannot be made: " + err.Error()}
}

// maxLine of status.verdict, in bytes.
const maxLine = 1024

// Line is the conclusion for the status. One from results that cannot be used says so first.
func (r Result) Line() string {
	if v := r.Verdict; r.Conclusion != "" && v.Known && !v.Valid {
		return contract.Cut("not valid ("+v.Reason+"): "+r.Conclusion, maxLine)
	}
	return contract.Cut(r.Conclusion, maxLine)
}
