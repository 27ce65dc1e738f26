package analysis

import (
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// besides is a number for the status, rounded so that it stays on its side of the bound: a p-value of
// 0.05001 is not "0.05", and an interval from 1.00002 does not begin at 1. Otherwise it has four
// significant digits; close to a bound of 1, six.
func besides(v, bound float64) string {
	digits := 4
	if bound == 1 && figure.IsNearOne(v) {
		digits = 6
	}
	shown, _ := strconv.ParseFloat(figure.Beside(digits, v, bound), 64) // it is a number as Go writes it
	return v1alpha1.Decimal(shown)
}

// shortest text that is this number.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
