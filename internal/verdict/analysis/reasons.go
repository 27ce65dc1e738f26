package analysis

import (
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// maxReasons of a comparison or a sweep, and maxReasonValue of one value in bytes. The API server
	// refuses more.
	maxReasons, maxReasonValue = 8, 1024
	// maxSideValue of one side of a difference, in bytes.
	maxSideValue = 128
)

// because is a reason with the names of its values and the values in turn.
func because(code v1alpha1.ReasonCode, namesAndValues ...string) v1alpha1.VerdictReason {
	r := v1alpha1.VerdictReason{Code: code}
	for pair := range slices.Chunk(namesAndValues, 2) {
		if r.Values == nil {
			r.Values = map[string]string{}
		}
		r.Values[pair[0]] = cut(pair[1], maxReasonValue)
	}
	return r
}

// ofRun is a reason of one of several runs.
func ofRun(r v1alpha1.VerdictReason, run string) v1alpha1.VerdictReason {
	out := because(r.Code, "run", run)
	for name, value := range r.Values {
		out.Values[name] = value
	}
	return out
}

// bounded are at most as many reasons as the status takes: the first ones are the most important.
func bounded(reasons []v1alpha1.VerdictReason) []v1alpha1.VerdictReason {
	return reasons[:min(len(reasons), maxReasons)]
}

func count[T int | int32](n T) string { return strconv.Itoa(int(n)) }

// cut what a server or a spec says to one line of at most so many bytes.
func cut(text string, most int) string { return contract.Cut(contract.Line(text), most) }
