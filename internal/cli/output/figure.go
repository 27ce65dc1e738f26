package output

import (
	"math"
	"strconv"
	"strings"
)

// Figure is a number for people: a long one has six significant digits. The document has all of them.
func Figure(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) <= 8 || !strings.Contains(text, ".") {
		return text
	}
	digits := figureDigits
	for size := math.Abs(v); size >= 1; size /= 10 {
		digits--
	}
	if math.Abs(v) < 1e-3 {
		return strconv.FormatFloat(v, 'g', figureDigits, 64)
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', max(digits, 1), 64), "0"), ".")
}

// figureDigits of a long number are shown.
const figureDigits = 6
