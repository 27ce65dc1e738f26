package v1alpha1

import "strconv"

// Decimal is the API's text of a number: the shortest decimal that parses to v.
func Decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// FourDigits is a number with four significant digits.
func FourDigits(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return Decimal(v)
	}
	return Decimal(rounded)
}
