package claims

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// Bend of a curve: the load at which a measurement stops growing (stats.Sweep).
type Bend struct {
	// Axis is the label of the load, and Loads are those that are played, in ascending order.
	Axis  string    `json:"axis"`
	Loads []float64 `json:"loads"`
	// Knee beyond which it grows no longer in proportion; without it the load with the highest value.
	Knee bool `json:"knee,omitempty"`
}

func (b Bend) check() error {
	if b.Axis == "" || len(b.Loads) < 2 || !(b.Loads[0] > 0) || !slices.IsSorted(b.Loads) || len(slices.Compact(slices.Clone(b.Loads))) < len(b.Loads) {
		return fmt.Errorf("bend: got %v of %q, want an axis and two or more loads above 0 in ascending order", b.Loads, b.Axis)
	}
	return nil
}

// along the curve of a cell: a claim for each load, of which both sides are the same.
func (c Cell) along() (out []Claim) {
	for _, load := range c.Bend.Loads {
		at := c.Claim
		at.Of = with(at.Of, map[string]string{c.Bend.Axis: loadText(load)})
		at.To = at.Of
		out = append(out, at)
	}
	return out
}

// bends of the curve, one for each run with enough blocks that have all loads; one alone if they are the same. Runs are not put together: the load
// of a bend is no number of which there is a mean.
func (c Cell) bends(runs []Run) (string, error) {
	var words []string
	for _, run := range runs {
		var sides []Side
		for _, at := range c.along() {
			side, _ := run.side(at.Measurement, at.Of)
			sides = append(sides, side)
		}
		sweep := stats.Sweep{Loads: c.Bend.Loads}
		for _, block := range slices.Sorted(maps.Keys(sides[0].Values)) {
			var values []float64
			for _, side := range sides {
				if v, has := side.Values[block]; has {
					values = append(values, v)
				}
			}
			if len(values) == len(sides) {
				sweep.Throughputs = append(sweep.Throughputs, values)
			}
		}
		if len(sweep.Throughputs) < stats.SweepBlocksNeeded(len(sides), errorRate) {
			continue
		}
		bend, err := sweep.Bend(errorRate)
		if err != nil {
			return "", fmt.Errorf("run %d, %s %v: %w", run.Play, c.Claim.Measurement, c.Claim.Of, err)
		}
		words = append(words, c.Bend.word(bend))
	}
	switch same := slices.Compact(slices.Clone(words)); len(same) {
	case 0:
		return noValue, nil
	case 1:
		return same[0], nil
	}
	return strings.Join(words, "; "), nil
}

// word for the bend of one run. A curve that rises up to the heaviest load has no knee that it tells of.
func (b Bend) word(of stats.Bend) string {
	first, last := b.Loads[0], b.Loads[len(b.Loads)-1]
	rises := of.Lowest == last
	switch {
	case of.Highest == first:
		return loadText(first) + " or less"
	case b.Knee && rises:
		return "none up to " + loadText(last)
	case b.Knee && of.Interval != nil:
		return fmt.Sprintf("%s (%s to %s)", figure.Number(of.Knee), figure.Number(of.Interval.Low), figure.Number(of.Interval.High))
	case b.Knee:
		return figure.Number(of.Knee)
	case rises:
		return loadText(last) + " or more"
	case of.Lowest == of.Highest:
		return loadText(of.Peak)
	case of.Highest == last:
		return loadText(of.Lowest) + " to " + loadText(last) + " or more"
	}
	return loadText(of.Lowest) + " to " + loadText(of.Highest)
}

// loadText is a load as the label of a trial has it.
func loadText(load float64) string { return strconv.FormatFloat(load, 'f', -1, 64) }
