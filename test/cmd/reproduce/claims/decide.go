package claims

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

const (
	// Runs of a source, each with servers of its own: a verdict needs as many.
	Runs = 3
	// Blocks of a run. A verdict needs six of them in each run: two may be disturbed.
	Blocks = 8
	// errorRate of all claims of a source together, for either kind of verdict.
	errorRate = 0.05
)

// Verdict of a claim.
type Verdict string

// Verdicts.
const (
	// Reproduced: the ratio is within the margin of the published one, wherever it was measured.
	Reproduced Verdict = "reproduced"
	// Contradicted: it is outside, on one side, wherever it was measured.
	Contradicted Verdict = "contradicted"
	// Undecided: the runs show neither.
	Undecided Verdict = "not decidable here"
	// NotObtainable: nothing here can be held against it.
	NotObtainable Verdict = "not obtainable"
	// Unclaimed: nobody has published a number.
	Unclaimed Verdict = "without a published number"
	// Waiting: there are no runs yet.
	Waiting Verdict = "not played"
)

// Row of the page.
type Row struct {
	Claim   Claim
	Verdict Verdict
	// Why there is no other verdict, and what would give one; empty for one that needs no reason.
	Why string
	// P of the verdict, adjusted for all claims of the source that were tested; 1 for others.
	P float64
	// Places where it was measured, in the order of their names.
	Places []Place
}

// Place where a claim was measured: a target and a driver.
type Place struct {
	// Name of the place; empty where a run has but one.
	Name string
	// Runs that have it with enough blocks, and the Blocks of all of them; without any the figures below are 0.
	Runs, Blocks int
	// Of and To are the medians over all blocks, with their unit.
	Of, To float64
	Unit   string
	// Ratio is the geometric mean over runs, and Interval that of it, at 95 %; nil with fewer than two runs.
	Ratio    float64
	Interval *stats.Interval

	// compared has the runs, with Spread their standard deviation.
	compared stats.Comparison
}

// Decide all claims of a source by its runs, in the order of the claims.
//
// In one place, such as a driver on a server, each run has one ratio: the estimate over its blocks (stats.ComparePaired). Runs differ by
// more than their blocks say, so that the run is what is repeated, and the interval is Student's over the logarithms of the ratios of
// runs (stats.CompareRuns). A published ratio without an interval is a fixed number r. With a margin m, two tests answer two questions:
//
//   - within r/(1+m) to r*(1+m): two one-sided tests, the larger p-value (D. J. Schuirmann 1987, see stats.Comparison.Equivalence);
//   - beyond one of these ends: two one-sided tests, twice the smaller p-value (minimal effects, K. R. Murphy and B. Myors, Testing the
//     hypothesis that treatments have negligible effects, Journal of Applied Psychology 84 (1999), 234-248).
//
// A claim that names no driver is about each of them: it is reproduced, or contradicted on one side, only where all places say so. The
// largest p-value of the places then is that of the claim, without a correction for their number (R. L. Berger and J. C. Hsu,
// Bioequivalence trials, intersection-union tests and equivalence confidence sets, Statistical Science 11 (1996), 283-319). Each of
// the two questions is a family of all claims that were tested, by Holm's procedure.
func Decide(s Source, all []Claim, runs []Run) []Row {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.NoVerdict != "" })
	rows := make([]Row, len(all))
	var tested []int
	var inside, beyond []float64
	for i, c := range all {
		rows[i] = Row{Claim: c, P: 1}
		r := &rows[i]
		if c.Not == "" {
			r.Places = places(s, c, runs)
		}
		if r.Verdict, r.Why = untested(c, r.Places, len(runs)); r.Verdict != "" {
			continue
		}
		low, high := c.Ratio/(1+s.Margin), c.Ratio*(1+s.Margin)
		within := largest(r.Places, func(p Place) float64 { return max(p.compared.PAbove(low), p.compared.PBelow(high)) })
		above := largest(r.Places, func(p Place) float64 { return p.compared.PAbove(high) })
		below := largest(r.Places, func(p Place) float64 { return p.compared.PBelow(low) })
		tested, inside, beyond = append(tested, i), append(inside, within), append(beyond, min(1, 2*min(above, below)))
	}
	inside, beyond = stats.Holm(inside), stats.Holm(beyond)
	for k, i := range tested {
		r := &rows[i]
		switch {
		case inside[k] <= errorRate:
			r.Verdict, r.P = Reproduced, inside[k]
		case beyond[k] <= errorRate:
			r.Verdict, r.P = Contradicted, beyond[k]
		default:
			r.Verdict, r.P = Undecided, min(inside[k], beyond[k])
			r.Why = would(r.Claim.Ratio, s.Margin, r.Places, len(tested))
		}
	}
	return rows
}

// untested claims have a verdict without a test; empty for one that is tested.
func untested(c Claim, places []Place, runs int) (v Verdict, why string) {
	fewest := 0
	if len(places) > 0 {
		fewest = slices.MinFunc(places, func(a, b Place) int { return a.Runs - b.Runs }).Runs
	}
	switch {
	case c.Not != "":
		return NotObtainable, c.Not
	case runs == 0:
		return Waiting, ""
	case len(places) == 0:
		return NotObtainable, "no run has measured both sides"
	case c.Ratio == 0:
		return Unclaimed, ""
	case fewest < Runs:
		return Undecided, fmt.Sprintf("%d of %s with %d blocks that count", fewest, figure.Counted(Runs, "run"), stats.MinBlocks)
	}
	return "", ""
}

// largest p-value of the places.
func largest(places []Place, of func(Place) float64) (out float64) {
	for _, p := range places {
		out = max(out, of(p))
	}
	return out
}

// places of a claim, in the order of their names.
func places(s Source, c Claim, runs []Run) (out []Place) {
	type values struct {
		of, to   []float64
		compared []stats.Comparison
		unit     string
	}
	by := map[string]*values{}
	var names []string
	for _, run := range runs {
		for _, m := range run.Measured {
			if m.Group != s.Groups[c.Group].Heading || m.Says != c.Says {
				continue
			}
			v := by[m.Place]
			if v == nil {
				v = &values{unit: m.Unit}
				by[m.Place], names = v, append(names, m.Place)
			}
			// Measure keeps positive values alone, so that there is no error.
			if compared, err := stats.ComparePaired(m.Of, m.To); err == nil && len(m.Of) >= stats.MinBlocks {
				v.of, v.to, v.compared = append(v.of, m.Of...), append(v.to, m.To...), append(v.compared, compared)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		v := by[name]
		p := Place{Name: name, Runs: len(v.compared), Blocks: len(v.of), Unit: v.unit}
		if p.Runs > 0 {
			p.Of, p.To, p.Ratio = median(v.of), median(v.to), v.compared[0].Ratio
		}
		if combined, err := stats.CompareRuns(v.compared); err == nil { // one run has no interval
			p.compared, p.Ratio = combined, combined.Ratio
			if interval, ok := combined.Interval(errorRate); ok {
				p.Interval = &interval
			}
		}
		out = append(out, p)
	}
	return out
}

// median of a sample with values.
func median(sample []float64) float64 {
	sorted := slices.Sorted(slices.Values(sample))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// would say how many runs would decide a claim among so many that were tested, if each place stays where it is. It is the number for the
// first step of Holm's procedure, and so at most too large.
func would(ratio, margin float64, places []Place, tested int) string {
	bound, most := math.Log1p(margin), 0
	sides := map[string]int{}
	for _, p := range places {
		off, spread, rate := math.Log(p.Ratio/ratio), p.compared.Spread, errorRate/float64(tested)
		name := "within the margin"
		switch {
		case off > bound:
			name, rate = "above it", rate/2
		case off < -bound:
			name, rate = "below it", rate/2
		}
		sides[name]++
		runs, ok := stats.RunsNeeded(math.Abs(math.Abs(off)-bound), spread, rate)
		if !ok {
			runs = math.MaxInt
		}
		most = max(most, runs)
	}
	switch {
	case len(sides) > 1:
		return fmt.Sprintf("the places differ: %d within the margin, %d above it, %d below it; no number of runs would decide", sides["within the margin"], sides["above it"], sides["below it"])
	case most == math.MaxInt:
		return "it would take more than 1,000 runs"
	}
	return fmt.Sprintf("%d runs of %d blocks would decide", max(most, Runs+1), Blocks)
}
