package figure

import (
	"math"
	"strconv"
)

// NearOne is the largest factor that is written as a difference in percent: 1.2 is +20 %, 1.3 is 1.30x.
const NearOne = 1.25

// IsNearOne says whether a ratio is written as a difference in percent.
func IsNearOne(ratio float64) bool { return 1/NearOne < ratio && ratio < NearOne }

// IsFar says whether a ratio, or an end of its interval, is beyond half or double: nobody reads it as a difference in percent, such
// as +599 %.
func IsFar(ratio float64) bool { return ratio < 0.5 || ratio > 2 }

// Effect is a ratio with its interval, for people.
type Effect struct {
	// Ratio such as "+16 %" or "1.52x"; empty without one.
	Ratio string
	// Interval such as "+1.7 to +26 %" or "1.43 to 1.61"; empty without one.
	Interval string
	// Factor: both are factors, and no differences in percent.
	Factor bool
}

// String is the effect with its interval in brackets, such as "+16 % (+1.7 to +26 %)".
func (e Effect) String() string {
	if e.Interval == "" {
		return e.Ratio
	}
	return e.Ratio + " (" + e.Interval + ")"
}

// EffectOf a ratio above 0 and its interval, in decimals: differences in percent where it is near 1 and neither end of the interval
// is far from 1, factors elsewhere.
func EffectOf(ratio, low, high string) Effect {
	r, _ := Decimal(ratio)
	l, hasLow := Decimal(low)
	h, hasHigh := Decimal(high)
	return EffectAs(IsNearOne(r) && !(hasLow && hasHigh && (IsFar(l) || IsFar(h))), ratio, low, high)
}

// EffectAs is EffectOf in a form that is given: a list of ratios has one form.
func EffectAs(percent bool, ratio, low, high string) Effect {
	r, ok := Decimal(ratio)
	if !ok || r <= 0 {
		return Effect{}
	}
	l, hasLow := Decimal(low)
	h, hasHigh := Decimal(high)
	bounded := hasLow && hasHigh && l > 0 && h > 0
	switch {
	case percent && bounded:
		half := 50 * (h - l)
		from, to := difference(l, half, exact), difference(h, half, exact)
		return Effect{Ratio: difference(r, half, max(decimalsIn(from), decimalsIn(to))) + " %", Interval: from + " to " + to + " %"}
	case percent:
		return Effect{Ratio: Difference(r)}
	case bounded:
		half := (h - l) / 2
		return Effect{factor(r, half) + "x", factor(l, half) + " to " + factor(h, half), true}
	}
	return Effect{Ratio: Factor(r) + "x", Factor: true}
}

// Factor is a ratio above 0 with three significant digits, and more where they would hide on which side of 1 it is.
func Factor(ratio float64) string {
	if ratio <= 0 || math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return strconv.FormatFloat(ratio, 'g', 3, 64)
	}
	return factor(ratio, 0)
}

// factor with three significant digits, and one of the half-width of its interval where that is narrow; 0 is for none.
func factor(ratio, half float64) string {
	if ratio < 0.001 {
		return strconv.FormatFloat(ratio, 'g', 3, 64)
	}
	decimals := 2 - exponent(ratio)
	if half > 0 {
		decimals = max(decimals, min(-exponent(half), finest-1-exponent(ratio)))
	}
	for ; ; decimals++ {
		text := strconv.FormatFloat(ratio, 'f', max(0, decimals), 64)
		if shown, _ := Decimal(text); side(shown, 1) == side(ratio, 1) || decimals > exact {
			return Grouped(text)
		}
	}
}

// Difference of a ratio above 0 to 1, such as "+3.8 %": two significant digits. Only no difference at all is "0 %".
func Difference(ratio float64) string { return difference(ratio, 0, exact) + " %" }

// difference of a ratio to 1 in percent: two significant digits, but none that lies two places below the second digit
// of the half-width, which is 0 for none, and at most so many decimals. It never hides on which side of 1 the ratio is.
func difference(ratio, half float64, most int) string {
	v := 100 * (ratio - 1)
	if side(ratio, 1) == 0 {
		return "0"
	}
	rounded, _ := Decimal(strconv.FormatFloat(v, 'e', 1, 64)) // 9.96 is 10, and has no decimal
	decimals := min(1-exponent(rounded), most)
	if half > 0 {
		decimals = min(decimals, 2-exponent(half))
	}
	for ; ; decimals++ {
		text := strconv.FormatFloat(v, 'f', max(0, decimals), 64)
		if shown, _ := Decimal(text); shown != 0 {
			if shown > 0 {
				text = "+" + text
			}
			return Grouped(text)
		}
	}
}
