package history

import (
	"math"
	"slices"
)

// Spread of the values of a series that count: the least, the median and the largest; false without any that is finite.
func Spread(values []*float64) (low, mid, high float64, ok bool) {
	var all []float64
	for _, v := range values {
		if v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) {
			all = append(all, *v)
		}
	}
	if len(all) == 0 {
		return 0, 0, 0, false
	}
	slices.Sort(all)
	return all[0], all[(len(all)-1)/2]/2 + all[len(all)/2]/2, all[len(all)-1], true
}
