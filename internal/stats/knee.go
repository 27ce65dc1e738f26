package stats

import (
	"errors"
	"fmt"
	"slices"
)

// Sweep is throughput at several loads, such as numbers of threads or offered rates.
type Sweep struct {
	// Loads in ascending order, positive.
	Loads []float64
	// Throughputs by block and load: Throughputs[b][i] is that of block b at Loads[i].
	Throughputs [][]float64
}

// Peak is where a sweep has its highest throughput.
type Peak struct {
	// Load with the highest median.
	Load float64
	// Lowest and Highest are the loads among which the true peak is: no other one was shown to
	// have a higher throughput than these. They are not certain with fewer than MinBlocks blocks.
	Lowest, Highest float64
}

// ErrSweep is the error for a sweep that is incomplete.
var ErrSweep = errors.New("a sweep needs two loads or more in ascending order, and one throughput for each load in each block")

func (s Sweep) check() error {
	if len(s.Loads) < 2 || !(s.Loads[0] > 0) || !ascends(s.Loads) {
		return fmt.Errorf("%w: loads %v", ErrSweep, s.Loads)
	}
	if len(s.Throughputs) == 0 {
		return ErrEmpty
	}
	for b, block := range s.Throughputs {
		if len(block) != len(s.Loads) {
			return fmt.Errorf("%w: block %d has %d", ErrSweep, b, len(block))
		}
	}
	return nil
}

// Knee is the load beyond which more load no longer gives more throughput in proportion: where the
// line through the throughput at the lightest load meets the highest throughput. It is in the unit
// of the loads, and need not be one of them. Its Ratio is the knee, and its Interval that of the
// knee; P and Equivalence have no meaning.
//
// The sweep must begin with a light load and reach saturation: if it does not, the knee is that of
// the sweep, not of the system. It assumes that the lightest load is not held back by anything that
// more load removes.
//
// Source: N* of the asymptotic bounds, E. D. Lazowska, J. Zahorjan, G. S. Graham, K. C. Sevcik,
// Quantitative System Performance, Prentice-Hall 1984, section 5.2.
func (s Sweep) Knee() (Comparison, error) {
	if err := s.check(); err != nil {
		return Comparison{}, err
	}
	peak, perLoad := s.column(s.highest()), s.column(0)
	for i := range perLoad {
		perLoad[i] /= s.Loads[0]
	}
	return ComparePaired(peak, perLoad)
}

// column has the throughputs at one load, by block.
func (s Sweep) column(i int) []float64 {
	var column []float64
	for _, block := range s.Throughputs {
		column = append(column, block[i])
	}
	return column
}

// highest is the index of the load with the highest median.
func (s Sweep) highest() int {
	best, bestMedian := 0, 0.0
	for i := range s.Loads {
		column := s.column(i)
		slices.Sort(column)
		if median := summaryOf(column).Median; median > bestMedian {
			best, bestMedian = i, median
		}
	}
	return best
}

// Peak is the load with the highest throughput, and the loads that may have it: those that no
// other load was shown to exceed. The true peak is among them with a probability of at least
// 1-errorRate.
//
// Source: selection of a subset with the best, S. S. Gupta, Technometrics 7 (1965), 225-245; here
// with one-sided signed-rank tests and Bonferroni's inequality over the other loads.
func (s Sweep) Peak(errorRate float64) (Peak, error) {
	if err := s.check(); err != nil {
		return Peak{}, err
	}
	best := s.Loads[s.highest()]
	peak := Peak{Load: best, Lowest: best, Highest: best}
	for i := range s.Loads {
		exceeded, err := s.exceeded(i, errorRate)
		if err != nil {
			return Peak{}, err
		}
		if !exceeded {
			peak.Lowest, peak.Highest = min(peak.Lowest, s.Loads[i]), max(peak.Highest, s.Loads[i])
		}
	}
	return peak, nil
}

// exceeded reports whether another load was shown to have a higher throughput than load i.
func (s Sweep) exceeded(i int, errorRate float64) (bool, error) {
	for j := range s.Loads {
		if j == i {
			continue
		}
		c, err := ComparePaired(s.column(j), s.column(i))
		if err != nil {
			return false, err
		}
		if reaches(c.P(), 2*errorRate/float64(len(s.Loads)-1)) && c.shiftsUp() {
			return true, nil
		}
	}
	return false, nil
}

// ascends reports whether each value is larger than the one before.
func ascends(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if !(values[i] > values[i-1]) {
			return false
		}
	}
	return true
}
