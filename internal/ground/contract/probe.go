package contract

import (
	"slices"
	"time"
)

// NewProbe summarises samples; nil for none. The percentiles are the nearest rank: measured values, never interpolated.
func NewProbe(tries []time.Duration) *Probe {
	n := len(tries)
	if n == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(tries))
	// rank of a percentile: the least of the tries that this share does not exceed.
	rank := func(percent int) float64 { return sorted[(n*percent+99)/100-1].Seconds() }
	return &Probe{
		N: int64(n), MinSeconds: sorted[0].Seconds(), P50Seconds: rank(50), P99Seconds: rank(99), MaxSeconds: sorted[n-1].Seconds(),
	}
}
