package analysis

import (
	"math"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// mostDigits that tell two numbers of the machine apart.
const mostDigits = 17

// besides is a number for the status, rounded so that it stays on its side of the bound: a p-value of
// 0.05001 is not "0.05", and an interval from 1.00002 does not begin at 1. Otherwise it has four
// significant digits; close to a bound of 1, six.
func besides(v, bound float64) string {
	digits := 4
	if bound == 1 && 1/nearOne < v && v < nearOne {
		digits = 6
	}
	shown, _ := number(besidesIn(digits, v, bound))
	return v1alpha1.Decimal(shown)
}

// besidesIn is the same as text, with at least so many significant digits.
func besidesIn(digits int, v, bound float64) string {
	for ; ; digits++ {
		text := strconv.FormatFloat(v, 'g', digits, 64)
		if shown, _ := number(text); within(shown, bound) == within(v, bound) || digits >= mostDigits {
			return text
		}
	}
}

// within is the side of the bound. What is equal to it but for the rounding of the machine is at it.
func within(v, bound float64) int {
	switch {
	case math.Abs(v-bound) <= 1e-12*bound:
		return 0
	case v < bound:
		return -1
	}
	return 1
}
