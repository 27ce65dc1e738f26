package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/stats"
)

// MinLoads of a sweep: two points have no bend.
const MinLoads = 3

// loadSweep is one target at several values of a load, with the rest of the experiment equal.
type loadSweep struct {
	axis string
	// loads in ascending order, and the unit of each.
	loads []float64
	units []Unit
}

// sweeps of the experiment, in the order of the axes, the cells and the targets. Values that are no
// positive number, such as 0 for "as fast as it can", are no load.
func (l Layout) sweeps() (out []loadSweep) {
	if len(l.Combinations) > 0 {
		return nil
	}
	for _, axis := range l.Plan.Axes {
		if !slices.Contains(l.Loads, axis) {
			continue
		}
		for _, cells := range l.restsOf(axis) {
			one := loadSweep{axis: axis}
			for _, c := range cells {
				one.loads, one.units = append(one.loads, c.load), append(one.units, Unit{Cell: c.cell})
			}
			if len(cells) < MinLoads {
				continue
			}
			for target := range l.Plan.Targets {
				of := one
				of.units = slices.Clone(one.units)
				for i := range of.units {
					of.units[i].Target = int32(target)
				}
				out = append(out, of)
			}
		}
	}
	return out
}

// cellLoad is a cell with its load.
type cellLoad struct {
	cell int32
	load float64
}

// restsOf an axis: cells that differ in it alone, by their loads.
func (l Layout) restsOf(axis string) (out [][]cellLoad) {
	ids := map[string]int32{}
	for i, cell := range l.Plan.Cells {
		value := cell[axis]
		load, err := strconv.ParseFloat(value.String(), 64)
		if err != nil || !(load > 0) || load > maxRatio {
			continue
		}
		var rest strings.Builder
		for _, other := range l.Plan.Axes {
			if v := cell[other]; other != axis {
				fmt.Fprintf(&rest, "%s\x00%s\x00", other, v.String())
			}
		}
		id := idOf(ids, rest.String())
		if int(id) == len(out) {
			out = append(out, nil)
		}
		if !slices.ContainsFunc(out[id], func(c cellLoad) bool { return c.load == load }) {
			out[id] = append(out[id], cellLoad{int32(i), load})
		}
	}
	for _, cells := range out {
		slices.SortFunc(cells, func(a, b cellLoad) int { return cmp.Compare(a.load, b.load) })
	}
	return out
}

// sweep all of them in the main measurement, which is the first kind of that name. Without one of
// which more is better there are none.
func (a *analyst) sweep(all []loadSweep) (out []v1alpha1.SweepEntry) {
	if len(all) == 0 || len(a.Names) == 0 {
		return nil
	}
	kinds := a.series.byName[a.Names[0]]
	if len(kinds) == 0 || a.series.kinds[kinds[0]].direction != contract.HigherIsBetter {
		return nil
	}
	for _, one := range all {
		out = append(out, sweeper{a, kinds[0]}.entry(one))
	}
	return out
}

// sweepVerdict is the line of the first sweep; empty without any.
func sweepVerdict(all []v1alpha1.SweepEntry) string {
	switch len(all) {
	case 0:
		return ""
	case 1:
		return all[0].Text
	}
	return fmt.Sprintf("%s; 1 of %d sweeps", all[0].Text, len(all))
}

// sweeper finds the bends of sweeps in one kind of measurement.
type sweeper struct {
	*analyst
	kind int32
}

// measured are the loads of a sweep that have a value, and their values by block.
func (w sweeper) measured(of loadSweep) (loadSweep, stats.Sweep) {
	known := loadSweep{axis: of.axis}
	for i, u := range of.units {
		if len(w.series.values[seriesKey{u, w.kind}]) > 0 {
			known.loads, known.units = append(known.loads, of.loads[i]), append(known.units, u)
		}
	}
	out := stats.Sweep{Loads: known.loads}
	for range w.series.blocks {
		out.Throughputs = append(out.Throughputs, slices.Repeat([]float64{math.NaN()}, len(known.loads)))
	}
	for i, u := range known.units {
		for _, v := range w.series.values[seriesKey{u, w.kind}] {
			out.Throughputs[v.block][i] = v.value
		}
	}
	return known, out
}

// entry of a sweep, with its knee and its peak as far as the values carry them.
func (w sweeper) entry(of loadSweep) v1alpha1.SweepEntry {
	k, p := w.series.kinds[w.kind], w.Layout.Plan
	known, s := w.measured(of)
	e := v1alpha1.SweepEntry{
		Axis: of.axis, Target: p.Targets[of.units[0].Target], Cell: of.units[0].Cell, Name: k.name, Labels: k.labels,
		LightestLoad: loadText(of.loads[0]), HeaviestLoad: loadText(of.loads[len(of.loads)-1]), LoadCount: int32(len(known.loads)),
		PlannedBlockCount: int32(w.series.blocks), Parameters: restOf(p.Cells[of.units[0].Cell], of.axis),
	}
	bend, err := s.Bend(w.Declaration.ErrorRate)
	e.BlockCount = int32(bend.Blocks)
	switch {
	case len(known.loads) < MinLoads:
		e.Reason = fmt.Sprintf("%d of %d loads have a counted trial, and a knee needs %d", len(known.loads), len(of.loads), MinLoads)
	case errors.Is(err, stats.ErrEmpty):
		e.Reason = "a load has no counted trial in a block in which the lightest one has one"
	case err != nil:
		e.Reason = err.Error()
	default:
		w.bend(&e, known, bend)
		if left := len(of.loads) - len(known.loads); left > 0 {
			e.Reason = joined(e.Reason, fmt.Sprintf("%d of %d loads have no counted trial", left, len(of.loads)))
		}
		if known.loads[0] != of.loads[0] {
			e.Reason = joined(e.Reason, fmt.Sprintf("the lightest one is among them, and %s takes its place", loadText(known.loads[0])))
		}
	}
	e.Reason = abridge(e.Reason, maxReason)
	e.Text = sweepText(e)
	return e
}

// restOf a cell: its other parameters.
func restOf(cell plan.Cell, axis string) plan.Cell {
	out := maps.Clone(cell)
	if delete(out, axis); len(out) == 0 {
		return nil
	}
	return out
}

// bend of a sweep in an entry, and what it does not carry.
func (w sweeper) bend(e *v1alpha1.SweepEntry, of loadSweep, b stats.Bend) {
	first, last := of.loads[0], of.loads[len(of.loads)-1]
	e.Peak = loadText(b.Peak)
	certain := b.Interval != nil && !w.sequential()
	rises, falls := b.Peak == last, b.Peak == first
	if certain {
		e.PeakLow, e.PeakHigh = loadText(b.Lowest), loadText(b.Highest)
		rises, falls = b.Lowest == last, b.Highest == first
	}
	if !rises && !falls {
		e.Knee = v1alpha1.FourDigits(b.Knee)
		if certain {
			e.KneeLow, e.KneeHigh, e.KneeConfidence = v1alpha1.FourDigits(b.Interval.Low), v1alpha1.FourDigits(b.Interval.High), besidesIn(4, b.Interval.Coverage, 1)
		}
	}
	var words []string
	switch needed := stats.SweepBlocksNeeded(len(of.loads), w.Declaration.ErrorRate); {
	case certain:
	case b.Interval == nil:
		words = append(words, fmt.Sprintf("no interval: %d loads need %d blocks, and a load has %d that count", len(of.loads), needed, e.BlockCount))
	default:
		words = append(words, "no interval: "+InSequence)
	}
	within := fmt.Sprintf("no knee within %s to %s %s", loadText(first), loadText(last), e.Axis)
	switch {
	case rises:
		words = append(words, "the sweep does not reach saturation: "+within)
	case falls:
		words = append(words, "the lightest load has the most: "+within)
	case !certain:
	case b.Interval.Low <= first:
		words = append(words, "no load was shown to give more than the lightest one")
	case b.Interval.High >= last:
		words = append(words, "the knee may be beyond the heaviest load")
	case b.Highest == last:
		words = append(words, "the peak may be beyond the heaviest load")
	}
	if !rises && !falls && (certain && b.Interval.Low > b.Highest || !certain && b.Knee > last) {
		words = append(words, "there is more than in proportion to the load, so that something holds the lightest load back")
	}
	e.Reason = strings.Join(append(words, w.caveats(of, b.Peak)...), "; ")
}

// caveats of a sweep: what else than the servers decides its values.
func (w sweeper) caveats(of loadSweep, peak float64) (words []string) {
	var all limited
	for i, u := range of.units {
		at := w.limits[place{u.Target, u.Cell}]
		all.trials, all.client = all.trials+at.trials, all.client+at.client
		if of.loads[i] == peak && at.offered > at.saturated {
			words = append(words, "at the peak a rate was offered and achieved, so that this is not the most that a server can do")
		}
	}
	if all.client > 0 {
		words = append(words, fmt.Sprintf("in %d of %d trials a client was at its own CPU limit", all.client, all.trials))
	}
	if w.Layout.Plan.Order == v1alpha1.OrderABBA {
		words = append(words, "all blocks measured the loads in one order, so that a drift within a block looks like a bend")
	}
	return words
}

// sweepText is a sweep in one line, such as
//
//	threads of mariadb: knee at 5.2 (4.6 to 5.9), peak at 16 (8 to 32)
//	threads of mariadb, test=oltp_insert: peak at 64: the sweep does not reach saturation: no knee within 1 to 64 threads
func sweepText(e v1alpha1.SweepEntry) string {
	words := []string{e.Axis + " of " + e.Target}
	if len(e.Parameters) > 0 {
		words = append(words, plan.Cell(e.Parameters).String())
	}
	text, found := abridge(strings.Join(words, ", "), maxContext), []string{}
	if e.Knee != "" {
		found = append(found, "knee at "+about(rounded(e.Knee), rounded(e.KneeLow), rounded(e.KneeHigh)))
	}
	if e.Peak != "" {
		found = append(found, "peak at "+about(e.Peak, e.PeakLow, e.PeakHigh))
	}
	for _, part := range []string{strings.Join(found, ", "), e.Reason} {
		if part != "" {
			text += ": " + part
		}
	}
	return abridge(text, maxText)
}

// about loads, such as "5.2 (4.6 to 5.9)"; without them where they are absent or one.
func about(load, low, high string) string {
	if low == high {
		return load
	}
	return load + " (" + low + " to " + high + ")"
}

// rounded is a number for people; empty for an absent one.
func rounded(text string) string {
	v, ok := number(text)
	if !ok {
		return ""
	}
	return Factor(v)
}

// loadText is a load as the spec has it.
func loadText(load float64) string { return strconv.FormatFloat(load, 'f', -1, 64) }
