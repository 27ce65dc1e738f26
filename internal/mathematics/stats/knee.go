package stats

import (
	"math"
)

// Sweep is throughput at several loads, such as numbers of threads or offered rates.
type Sweep struct {
	// Loads in ascending order, positive.
	Loads []float64
	// Throughputs by block and load: Throughputs[b][i] is that of block b at Loads[i], or math.NaN()
	// where there is none. Two loads are compared over the blocks that have both.
	Throughputs [][]float64
}

// Bend is where the throughput of a sweep stops growing with the load.
type Bend struct {
	// Knee is the load beyond which more load no longer gives more throughput in proportion: where
	// the line through the throughput at the lightest load meets the highest throughput. It is in
	// the unit of the loads, and need not be one of them.
	Knee float64
	// Interval of the knee; nil where the blocks of a load are too few (SweepBlocksNeeded).
	Interval *Interval
	// Peak is the load with the highest throughput.
	Peak float64
	// Lowest and Highest of the loads that no other one was shown to exceed: of the loads of the sweep, that with the highest true throughput
	// is one of them. A higher one between two loads, or beyond them, is not excluded. With too few blocks they are all loads.
	Lowest, Highest float64
	// Blocks that the load with the fewest has together with the lightest load.
	Blocks int
}

// SweepBlocksNeeded is the smallest number of blocks whose sweep over so many loads has an interval
// of its knee, and can name a peak: the n with loads · 2^-n ≤ errorRate, and at least MinBlocks. 5
// loads at 0.05 need 7 blocks, 12 need 8.
func SweepBlocksNeeded(loads int, errorRate float64) int { return BlocksNeeded(loads, 2*errorRate) }

// Bend of the sweep. The probability that Interval does not contain the true knee is at most
// errorRate, and so is that of a true peak outside of Lowest to Highest. It fails with ErrEmpty
// for fewer than two loads, or where one has no block in common with the lightest, a NotFiniteError or a
// NotPositiveError.
//
// Nobody knows at which load the highest throughput is, and the highest one measured is too high as
// often as noise decides which one it is. So the interval is that of the largest of all knees that
// the loads would give: it begins at the largest lower bound, and ends at the largest upper bound. A
// lower bound must hold at every load but the lightest, an upper bound only at the true peak. These
// are as many one-sided statements as there are loads, and each has its part of the error rate
// (Bonferroni's inequality).
//
// The sweep must begin with a light load and reach saturation: if it does not, the knee is that of
// the sweep, not of the system. It assumes that the lightest load is not held back by anything that
// more load removes, and what ComparePaired assumes.
//
// Source: N* of the asymptotic bounds, E. D. Lazowska, J. Zahorjan, G. S. Graham, K. C. Sevcik,
// Quantitative System Performance, Prentice-Hall 1984, section 5.2; bounds of a maximum: R. L.
// Berger, Multiparameter hypothesis testing and acceptance sampling, Technometrics 24 (1982),
// 295-300.
func (s Sweep) Bend(errorRate float64) (Bend, error) {
	if len(s.Loads) < 2 {
		return Bend{}, ErrEmpty
	}
	first, loads := s.Loads[0], float64(len(s.Loads))
	out, interval := Bend{Knee: first, Peak: first, Blocks: len(s.Throughputs)}, Interval{Low: first, High: first, Coverage: 1}
	bounded := true
	for i := range s.Loads[1:] {
		at, lightest := s.pairs(i+1, 0)
		for b := range lightest {
			lightest[b] /= first
		}
		c, err := ComparePaired(at, lightest)
		if err != nil {
			return Bend{}, err
		}
		if c.Ratio > out.Knee {
			out.Knee, out.Peak = c.Ratio, s.Loads[i+1]
		}
		of, ok := c.Interval(2 * errorRate / loads) // both of its tails have the rate of one
		bounded, out.Blocks = bounded && ok && c.N >= MinBlocks, min(out.Blocks, c.N)
		interval = Interval{
			Low: max(interval.Low, of.Low), High: max(interval.High, of.High), Coverage: min(interval.Coverage, 1-loads*(1-of.Coverage)/2),
		}
	}
	if bounded {
		out.Interval = &interval
	}
	return out, s.peak(&out, errorRate)
}

// pairs of the throughputs at two loads, of the blocks that have both.
func (s Sweep) pairs(i, j int) (at, other []float64) {
	for _, block := range s.Throughputs {
		if v, w := block[i], block[j]; !math.IsNaN(v) && !math.IsNaN(w) {
			at, other = append(at, v), append(other, w)
		}
	}
	return at, other
}

// peak finds the loads that may have the highest throughput: those that no other load was shown to
// exceed.
//
// Source: selection of a subset with the best, S. S. Gupta, Technometrics 7 (1965), 225-245; here
// with one-sided signed-rank tests and Bonferroni's inequality over the other loads.
func (s Sweep) peak(of *Bend, errorRate float64) error {
	of.Lowest, of.Highest = of.Peak, of.Peak
	for i, load := range s.Loads {
		exceeded := false
		for j := range s.Loads {
			if i == j || exceeded {
				continue
			}
			p, n, err := s.exceeds(j, i)
			if err != nil {
				return err
			}
			exceeded = n >= MinBlocks && reaches(p, errorRate/float64(len(s.Loads)-1))
		}
		if !exceeded {
			of.Lowest, of.Highest = min(of.Lowest, load), max(of.Highest, load)
		}
	}
	return nil
}

// exceeds is the one-sided p-value of the signed-rank test that the throughput at load i is not above that
// at load j, and the number of pairs. It is that of ComparePaired, without its list of shifts. Without a
// pair it is 1.
func (s Sweep) exceeds(i, j int) (p float64, n int, err error) {
	at, other := s.pairs(i, j)
	if len(at) == 0 {
		return 1, 0, nil
	}
	ratios, err := logRatios(at, other)
	if err != nil {
		return 1, 0, err
	}
	notAbove := 0 // pairs, each value with itself too, whose sum is not above 0
	for a, v := range ratios {
		for _, w := range ratios[:a+1] {
			if v+w <= 0 {
				notAbove++
			}
		}
	}
	return signedRankTail(len(ratios), notAbove), len(ratios), nil
}
