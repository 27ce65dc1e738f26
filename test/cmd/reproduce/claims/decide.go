package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

const (
	// Blocks of a run. A verdict needs six of them in each run: two may be disturbed.
	Blocks = 8
	// errorRate of all claims of one published table together.
	errorRate = 0.05
	// power with which more runs would decide.
	power = 0.8
)

// Verdict of a claim.
type Verdict string

// Verdicts.
const (
	// Reproduced: the ratio is shown to be within the margin of the published one.
	Reproduced Verdict = "reproduced"
	// AnotherSize: it is shown to be beyond the margin, in the direction of the published one.
	AnotherSize Verdict = "same direction, another size"
	// Contradicted: it is shown to be beyond the margin, and no more than what counts as no difference, or on the other side of 1.
	Contradicted Verdict = "contradicted"
	// Undecided: the runs show none of these.
	Undecided Verdict = "not decidable here"
	// NotSmall: the small form does not play it.
	NotSmall Verdict = "not in the small form"
	// NotObtainable: what it is about cannot be had here.
	NotObtainable Verdict = "not obtainable"
	// NotCompared: what it is about can be had, and is compared with none.
	NotCompared Verdict = "not compared"
	// Unclaimed: the source says nothing of what it should be.
	Unclaimed Verdict = "not tested"
	// Waiting: there are too few runs yet.
	Waiting Verdict = "too few runs"
)

// Row of the page.
type Row struct {
	Claim   Claim
	Verdict Verdict
	// Why there is no other verdict, and what would give one; empty for one that needs no reason.
	Why string
	// P of the verdict, adjusted for all claims of its table that were tested; 1 for others.
	P float64
	// Runs that have it with enough blocks, and the Blocks of all of them; without any the figures below are 0.
	Runs, Blocks int
	// Of and To are the medians over all blocks, with their unit.
	Of, To float64
	Unit   string
	// Ratio is the geometric mean over runs. Interval is that which decides, of the level at which Holm's procedure tested the claim, and for
	// one that is not tested that at 95 %; nil with fewer than two runs.
	Ratio    float64
	Interval *stats.Interval

	// values of the first side in all blocks.
	values   []float64
	compared stats.Comparison
	// unasked: a run was measured before the claim was what it is.
	unasked bool
}

// Decide all claims of a source by the runs of one sample, in the order of the claims: by the first Source.Runs of them.
//
// Each run has one ratio: the estimate over its blocks (stats.ComparePaired). Runs differ by more than their blocks say, so that the run is
// what is repeated, and the interval is Student's over the logarithms of the ratios of runs (stats.CompareRuns). How runs differ is
// estimated over all claims of the source together (stats.Moderate): the machine and the start of the servers are the same for all.
//
// A published ratio without an interval is a fixed number. It cuts the line of ratios into regions (regionsOf), each with a verdict. The
// verdict is that of the region in which the whole interval lies. So it is wrong only where the interval does not hold the true ratio,
// whichever verdict it is. The p-value of a claim is the smallest error rate whose interval lies in one region. All claims of one published
// table that were tested are a family, by Holm's procedure.
//
// It fails for values that cannot be compared, which no run has.
func Decide(s Source, all []Claim, runs []Run) ([]Row, error) {
	runs = runs[:min(len(runs), s.Runs)]
	rows := make([]Row, len(all))
	for i, c := range all {
		rows[i] = Row{Claim: c, P: 1}
		if !c.Measured() {
			continue
		}
		if err := rows[i].take(runs); err != nil {
			return nil, err
		}
	}
	if s.Margin > 0 { // nothing is claimed of the others, which stand each by itself
		moderate(rows, s.Runs)
	}
	families := map[string][]int{}
	for i := range rows {
		r := &rows[i]
		r.Verdict, r.Why = untested(s, *r, len(runs))
		if r.Verdict == "" {
			table := s.Groups[r.Claim.Group].Quoted
			families[table] = append(families[table], i)
		} else if interval, ok := r.compared.Interval(errorRate); ok {
			r.Interval = &interval
		}
	}
	for _, family := range families {
		decide(s, rows, family)
	}
	return rows, nil
}

// decide the rows of one family.
func decide(s Source, rows []Row, family []int) {
	var p []float64
	for _, i := range family {
		one, _ := lies(rows[i], s.Margin)
		p = append(p, one)
	}
	adjusted, levels := stats.Holm(p), stats.HolmLevels(p, errorRate)
	for k, i := range family {
		r := &rows[i]
		r.P = adjusted[k]
		if interval, ok := r.compared.Interval(levels[k]); ok {
			r.Interval = &interval
		}
		if _, r.Verdict = lies(*r, s.Margin); adjusted[k] > errorRate {
			r.Verdict, r.Why = Undecided, would(*r, s.Margin, levels[k])
			if in := r.Interval; in != nil && (in.Low > 1 || in.High < 1) && besideOne(r.Claim.Ratio, *in) != "" {
				r.Why += "; " + besideOne(r.Claim.Ratio, *in)
			}
		} else if r.Verdict == Reproduced && r.Interval != nil {
			r.Why = besideOne(r.Claim.Ratio, *r.Interval)
		}
	}
}

// besideOne says of an interval within the margin of a published ratio where it is not on the side of 1 that was published; empty for one that is.
func besideOne(ratio float64, in stats.Interval) string {
	switch {
	case ratio == 1, ratio > 1 && in.Low > 1, ratio < 1 && in.High < 1:
		return ""
	case in.Low < 1 && in.High > 1:
		return "its interval, at this level, holds 1, too"
	}
	return "its interval is on the other side of 1"
}

// lies in which region, at the smallest error rate at which the whole interval does.
func lies(r Row, margin float64) (p float64, v Verdict) {
	p = math.Inf(1)
	for _, of := range regionsOf(r.Claim, margin) {
		worst := 0.0
		if of.low > 0 {
			worst = r.compared.PAbove(of.low)
		}
		if !math.IsInf(of.high, 1) {
			worst = max(worst, r.compared.PBelow(of.high))
		}
		if worst < p {
			p, v = worst, of.verdict
		}
	}
	return min(1, 2*p), v
}

// region of ratios.
type region struct {
	verdict   Verdict
	low, high float64
}

// regionsOf a claim, which cover all ratios: reproduced is what is within the margin of the published one, or in the published range. For one above 1 the others are, from
// below: contradicted, which ends where the margin begins, and at the latest at 1+margin, which counts as no difference; another size; and
// beyond the margin another size, too. Below 1 it is the same mirrored. For a ratio of 1 all others contradict.
func regionsOf(c Claim, margin float64) []region {
	same := 1 + margin
	low, high := c.Ratio/same, c.Ratio*same
	if c.High > 0 {
		low, high = c.Low, c.High
	}
	within := region{Reproduced, low, high}
	switch {
	case c.Ratio > 1:
		end := min(low, same)
		return []region{{Contradicted, 0, end}, {AnotherSize, end, low}, within, {AnotherSize, high, math.Inf(1)}}
	case c.Ratio < 1:
		end := max(high, 1/same)
		return []region{{AnotherSize, 0, low}, within, {AnotherSize, high, end}, {Contradicted, end, math.Inf(1)}}
	}
	return []region{{Contradicted, 0, low}, within, {Contradicted, high, math.Inf(1)}}
}

// regionAt a ratio, of those of a claim.
func regionAt(c Claim, margin, ratio float64) region {
	regions := regionsOf(c, margin)
	return regions[slices.IndexFunc(regions, func(g region) bool { return ratio <= g.high })]
}

// untested claims have a verdict without a test; empty for one that is tested.
func untested(s Source, r Row, runs int) (v Verdict, why string) {
	c := r.Claim
	switch {
	case c.Not != "" && s.Groups[c.Group].Incomparable:
		return NotCompared, c.Not
	case c.Not != "":
		return NotObtainable, c.Not
	case c.NotSmall != "":
		return NotSmall, c.NotSmall
	case runs < s.Runs:
		return Waiting, fmt.Sprintf("%d of %s", runs, figure.Counted(s.Runs, "run"))
	case r.unasked:
		return Waiting, "the runs were measured before this claim was written"
	case !s.Tested(c):
		return Unclaimed, "no claim of the source"
	case r.Runs < s.Runs:
		return Undecided, fmt.Sprintf("%d of %s have both sides in %d blocks", r.Runs, figure.Counted(s.Runs, "run"), stats.MinBlocks)
	}
	return "", ""
}

// take both sides of the claim from the runs, block by block.
func (r *Row) take(runs []Run) error {
	var of, to []float64
	var compared []stats.Comparison
	for _, run := range runs {
		var parts []stats.Comparison
		var ofs, tos []float64
		for _, pair := range r.Claim.pairs() {
			as, bs, asked := r.both(run, pair)
			if r.unasked = r.unasked || !asked; len(as) < stats.MinBlocks {
				break
			}
			one, err := stats.ComparePaired(as, bs)
			if err != nil {
				return fmt.Errorf("run %d, %q: %w", run.Play, r.Claim.Says, err)
			}
			ofs, tos, parts = append(ofs, as...), append(tos, bs...), append(parts, one)
		}
		if len(parts) < len(r.Claim.pairs()) {
			continue
		}
		one, err := geometricMean(parts)
		if err != nil {
			return fmt.Errorf("run %d, %q: %w", run.Play, r.Claim.Says, err)
		}
		of, to, compared = append(of, ofs...), append(to, tos...), append(compared, one)
	}
	if r.Runs, r.Blocks = len(compared), len(of); r.Runs == 0 {
		return nil
	}
	r.Of, r.To, r.Ratio, r.values = median(of), median(to), compared[0].Ratio, of
	if combined, err := stats.CompareRuns(compared); err == nil { // one run has no interval
		r.compared, r.Ratio = combined, combined.Ratio
	}
	return nil
}

// both sides of a pair in the blocks of a run that have both; false where it was not asked for one of them.
func (r *Row) both(run Run, pair [2]map[string]string) (as, bs []float64, asked bool) {
	a, first := run.side(r.Claim.Measurement, pair[0])
	b, second := run.side(r.Claim.Measurement, pair[1])
	for _, block := range slices.Sorted(maps.Keys(a.Values)) {
		if v, has := b.Values[block]; has {
			as, bs, r.Unit = append(as, a.Values[block]), append(bs, v), a.Unit
		}
	}
	return as, bs, first && second
}

// geometricMean of the ratios of one run.
func geometricMean(parts []stats.Comparison) (stats.Comparison, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	sum := 0.0
	for _, part := range parts {
		sum += math.Log(part.Ratio)
	}
	return stats.ComparePaired([]float64{math.Exp(sum / float64(len(parts)))}, []float64{1})
}

// moderate the spreads of all rows that have all runs.
func moderate(rows []Row, runs int) {
	var at []int
	var all []stats.Comparison
	for i, r := range rows {
		if r.Runs == runs {
			at, all = append(at, i), append(all, r.compared)
		}
	}
	alone := float64(runs - 1)
	for k, c := range stats.Moderate(all, alone*(independent(rows, at)-1)) {
		rows[at[k]].compared = c
	}
}

// independent ratios, of so many: two that share a side have a correlation of 1/2 if all sides vary alike, and the variance of the mean of
// their variances is that of n²/Σρ² independent ones, for all pairs of n.
func independent(rows []Row, at []int) float64 {
	squares := 0.0
	for _, i := range at {
		for _, j := range at {
			correlation := shared(rows[i].Claim, rows[j].Claim) / 2
			squares += correlation * correlation
		}
	}
	if len(at) == 0 {
		return 0
	}
	return float64(len(at)*len(at)) / squares
}

// shared sides of two claims: 0 to 2.
func shared(a, b Claim) (n float64) {
	for _, side := range []map[string]string{a.Of, a.To} {
		if key := Key(a.Measurement, side); key == Key(b.Measurement, b.Of) || key == Key(b.Measurement, b.To) {
			n++
		}
	}
	return n
}

// median of a sample with values.
func median(sample []float64) float64 {
	sorted := slices.Sorted(slices.Values(sample))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// would say about how many runs would decide a claim, at its level and if its estimate stays where it is.
func would(r Row, margin, level float64) string {
	at := regionAt(r.Claim, margin, r.Ratio)
	most := 0
	for _, end := range []float64{at.low, at.high} {
		if end == 0 || math.IsInf(end, 1) {
			continue
		}
		runs, ok := r.compared.RunsNeeded(math.Abs(math.Log(r.Ratio/end)), level/2, power)
		if !ok {
			return "it is too near the end of what counts as reproduced, or as no difference, for 1,000 runs"
		}
		most = max(most, runs)
	}
	return fmt.Sprintf("if the ratio stays, about %d runs would show %q", cmp.Or(most, r.Runs), at.verdict)
}
