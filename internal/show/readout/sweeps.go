package readout

import (
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// WordSweep begins the statement of an answer that tells the first sweep.
const WordSweep = "SWEEP"

// SweepText is a sweep in one line, such as
//
//	threads of mariadb: knee at 5.2 (4.6 to 5.9), peak at 16 (8 to 32)
//	threads of mariadb, test=oltp_insert: peak at 64 (64 to 64); the heaviest load has the most: the knee is at 31 threads or beyond, and the peak may be beyond 64
func SweepText(e v1alpha1.SweepEntry) string {
	text := SweptText(e)
	if found := BendText(e); found != "" {
		text += ": " + found
	}
	return contract.Cut(contract.Line(text), maxLine)
}

// SweptText is what a sweep is of, such as "threads of mariadb, test=oltp_insert".
func SweptText(e v1alpha1.SweepEntry) string {
	words := []string{e.Axis + " of " + e.Target}
	if len(e.Parameters) > 0 {
		words = append(words, whereOf(ParametersOf(e.Parameters)))
	}
	return strings.Join(words, ", ")
}

// BendText is the knee and the peak of a sweep with their intervals, and what limits both; empty for one with nothing to say.
func BendText(e v1alpha1.SweepEntry) string {
	var found []string
	if e.Knee != "" {
		found = append(found, "knee at "+around(figure.Measured(e.Knee, e.KneeLow, e.KneeHigh)))
	}
	if e.Peak != "" {
		found = append(found, "peak at "+around(e.Peak, e.PeakLow, e.PeakHigh))
	}
	text := strings.Join(found, ", ")
	if rest := strings.Join(sentencesOf(e.Reasons), "; "); rest != "" && text != "" {
		return text + "; " + rest
	} else if rest != "" {
		return rest
	}
	return text
}

// around a load, such as "5.2 (4.6 to 5.9)" or "2 (2 to 2)". One without an interval says so: it is not a certain one.
func around(load, low, high string) string {
	if low == "" || high == "" {
		return load + " (no interval)"
	}
	return load + " (" + low + " to " + high + ")"
}
