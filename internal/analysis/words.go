package analysis

import (
	"math"
	"strconv"
)

// Percent is a share such as 0.0345 as "3.5 %": two significant digits, and at most two decimals.
func Percent(share float64) string {
	v := 100 * share
	digits := 1
	switch abs := math.Abs(v); {
	case abs >= 10:
		digits = 0
	case abs < 1:
		digits = 2
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " %"
}
