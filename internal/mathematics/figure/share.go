package figure

import (
	"math"
	"strconv"
)

// leastP that is written: a smaller p-value is less than it.
const leastP = 0.0001

// Share such as 0.0345 as "3.5 %": two significant digits, and at most two decimals.
func Share(share float64) string {
	v := 100 * share
	decimals := 1
	switch abs := math.Abs(v); {
	case abs >= 9.95:
		decimals = 0
	case abs < 0.995:
		decimals = 2
	}
	return trimmed(strconv.FormatFloat(v, 'f', decimals, 64)) + " %"
}

// ShareText is Share of a decimal; empty for a text that holds no number.
func ShareText(decimal string) string {
	v, ok := Decimal(decimal)
	if !ok {
		return ""
	}
	return Share(v)
}

// P is a p-value with two significant digits, and more where they would hide on which side of the error rate it is.
// Below 0.0001 it is "< 0.0001", unless the error rate is smaller still. Empty for a text that holds no number.
func P(decimal string, errorRate float64) string {
	p, ok := Decimal(decimal)
	switch {
	case !ok:
		return ""
	case p < leastP && p <= errorRate:
		return "< 0.0001"
	}
	return Beside(2, p, errorRate)
}

// Level of an interval, such as "96.09 %" of 0.9609: four digits. Empty for a text that holds no number.
func Level(confidence string) string {
	c, ok := Decimal(confidence)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(100*c, 'g', 4, 64) + " %"
}

// Beside a bound: a number with at least so many significant digits, and more where they would hide on which side of
// the bound it is.
func Beside(digits int, v, bound float64) string {
	for ; ; digits++ {
		text := strconv.FormatFloat(v, 'g', digits, 64)
		if shown, _ := Decimal(text); side(shown, bound) == side(v, bound) || digits >= exact {
			return text
		}
	}
}

// PercentBeside a bound: a share in percent, without the sign, with one decimal, and more where they would hide on which
// side of the bound it is.
func PercentBeside(share, bound float64) string {
	for decimals := 1; ; decimals++ {
		text := strconv.FormatFloat(100*share, 'f', decimals, 64)
		if shown, _ := Decimal(text); side(shown, 100*bound) == side(share, bound) || decimals >= exact {
			return text
		}
	}
}

// side of a bound: -1 below, 1 above. What is equal to it but for the rounding of the machine is at it: 0.
func side(v, bound float64) int {
	switch {
	case math.Abs(v-bound) <= 1e-12*math.Abs(bound):
		return 0
	case v < bound:
		return -1
	}
	return 1
}
