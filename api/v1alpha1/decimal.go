package v1alpha1

import "strconv"

// Decimal is how the API writes a number: the shortest decimal that reads back as v.
func Decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// FourDigits writes a number with its first four digits.
func FourDigits(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return Decimal(v)
	}
	return Decimal(rounded)
}
