package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	// mostDigits of a number without an interval, and finest of one with an interval, in significant digits.
	mostDigits, finest = 4, 6
	// exact digits tell two numbers of the machine apart.
	exact = 17
	// extreme numbers have a power of ten in place of their zeros.
	extreme = 1e15
)

// Decimal is the number that a text holds; false for a text that holds none, or none that is finite.
func Decimal(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// Number without an interval: four significant digits at most, all digits before the point, and groups of three, such
// as 12,345 or 0.1235.
func Number(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	decimals := mostDigits - 1 - exponent(v)
	if decimals > 9 || decimals < -14 {
		return strconv.FormatFloat(v, 'g', mostDigits, 64)
	}
	return Grouped(trimmed(strconv.FormatFloat(v, 'f', max(0, decimals), 64)))
}

// Text is Number of a decimal; a text that holds no number stays as it is.
func Text(decimal string) string {
	if v, ok := Decimal(decimal); ok {
		return Number(v)
	}
	return decimal
}

// Measured is a number with its interval, in decimals: the number, and both ends. Without an interval the ends are
// empty, and the number is that of Number.
func Measured(mid, low, high string) (number, from, to string) {
	v, ok := Decimal(mid)
	l, hasLow := Decimal(low)
	h, hasHigh := Decimal(high)
	switch {
	case !ok:
		return "", "", ""
	case !hasLow || !hasHigh:
		return Number(v), "", ""
	}
	if largest := max(math.Abs(v), math.Abs(l), math.Abs(h)); largest >= extreme || largest <= 1/extreme {
		return Number(v), Number(l), Number(h)
	}
	decimals := decimalsOf(h-l, v, l, h)
	return at(v, decimals), at(l, decimals), at(h, decimals)
}

// Short is a number with two significant digits, and all digits before the point.
func Short(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return Number(v)
	}
	return Grouped(trimmed(strconv.FormatFloat(v, 'f', max(0, 1-exponent(v)), 64)))
}

// decimalsOf a number with an interval so wide: the place of the second digit of its half-width, no place that none of
// the numbers has, and at most 6 significant digits. It is negative for tens and more.
func decimalsOf(width float64, all ...float64) int {
	largest, known := 0.0, 0
	for _, v := range all {
		largest, known = math.Max(largest, math.Abs(v)), max(known, decimals(v))
	}
	if largest == 0 {
		return 0
	}
	if width <= 0 {
		return min(known, max(0, mostDigits-1-exponent(largest)))
	}
	return min(1-exponent(width/2), known, finest-1-exponent(largest))
}

// decimals that a number has, in its shortest form.
func decimals(v float64) int {
	return decimalsIn(strconv.FormatFloat(v, 'f', -1, 64))
}

// decimalsIn the text of a number.
func decimalsIn(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return len(fraction)
}

// at is a number rounded to so many decimals; to tens and more for a negative number of them.
func at(v float64, decimals int) string {
	if decimals < 0 {
		unit := math.Pow(10, float64(-decimals))
		v, decimals = math.Round(v/unit)*unit, 0
	}
	return Grouped(positive(strconv.FormatFloat(v, 'f', decimals, 64)))
}

// exponent of a number other than 0: 2 of 326.9.
func exponent(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)))) }

// trimmed of the zeros behind the point: a tool that prints 0.03 did not measure 0.03000.
func trimmed(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return positive(strings.TrimRight(strings.TrimRight(text, "0"), "."))
}

// positive is a zero without a sign.
func positive(text string) string {
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Counted is a number of things, such as "1 block" or "20 blocks".
func Counted[N int | int32 | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Grouped(fmt.Sprint(n)) + " " + noun + "s"
}

// Grouped is the text of a number with its digits before the point in groups of three.
func Grouped(text string) string {
	if strings.ContainsAny(text, "eE") {
		return text
	}
	whole, fraction, pointed := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") || strings.HasPrefix(whole, "+") {
		sign, whole = whole[:1], whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if pointed {
		whole += "." + fraction
	}
	return sign + whole
}
