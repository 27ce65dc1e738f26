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
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
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
			if len(cells) < MinLoads {
				continue
			}
			for target := range l.Plan.Targets {
				one := loadSweep{axis: axis}
				for _, c := range cells {
					one.loads, one.units = append(one.loads, c.load), append(one.units, Unit{Target: int32(target), Cell: c.cell})
				}
				out = append(out, one)
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
		LightestLoad: v1alpha1.Decimal(of.loads[0]), HeaviestLoad: v1alpha1.Decimal(of.loads[len(of.loads)-1]), LoadCount: int32(len(known.loads)),
		PlannedBlockCount: int32(w.series.blocks), Parameters: restOf(p.Cells[of.units[0].Cell], of.axis),
	}
	bend, err := s.Bend(w.Declaration.ErrorRate)
	e.BlockCount = int32(bend.Blocks)
	switch {
	case len(known.loads) < MinLoads:
		e.Reasons = []v1alpha1.VerdictReason{because(v1alpha1.CodeTooFewLoads, "loads", count(len(known.loads)), "of", count(len(of.loads)), "needed", count(MinLoads))}
	case errors.Is(err, stats.ErrEmpty):
		e.Reasons = []v1alpha1.VerdictReason{because(v1alpha1.CodeNoCommonBlock)}
	case err != nil:
		e.Reasons = []v1alpha1.VerdictReason{because(v1alpha1.CodeNoStatistic, "message", err.Error())}
	default:
		w.bend(&e, known, bend)
		if left := len(of.loads) - len(known.loads); left > 0 {
			e.Reasons = append(e.Reasons, because(v1alpha1.CodeLoadsLeftOut, "loads", count(left), "of", count(len(of.loads))))
		}
		if known.loads[0] != of.loads[0] {
			e.Reasons = append(e.Reasons, because(v1alpha1.CodeLightestLeftOut, "load", v1alpha1.Decimal(known.loads[0])))
		}
	}
	e.Reasons = bounded(e.Reasons)
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
	e.Peak = v1alpha1.Decimal(b.Peak)
	certain := b.Interval != nil && !w.sequential()
	if certain {
		e.PeakLow, e.PeakHigh = v1alpha1.Decimal(b.Lowest), v1alpha1.Decimal(b.Highest)
	}
	if rises, falls := w.ends(of, b); !rises && !falls {
		e.Knee = v1alpha1.FourDigits(b.Knee)
		if certain {
			e.KneeLow, e.KneeHigh, e.KneeConfidence = v1alpha1.FourDigits(b.Interval.Low), v1alpha1.FourDigits(b.Interval.High), figure.Beside(4, b.Interval.Coverage, 1)
		}
	}
	e.Reasons = slices.Concat(w.uncertain(*e, of, b), w.beyond(*e, of, b), w.caveats(of, b.Peak))
}

// ends says whether a sweep rises up to its heaviest load, or falls from its lightest one on, as certainly as is known.
func (w sweeper) ends(of loadSweep, b stats.Bend) (rises, falls bool) {
	first, last := of.loads[0], of.loads[len(of.loads)-1]
	if b.Interval == nil || w.sequential() {
		return b.Peak == last, b.Peak == first
	}
	return b.Lowest == last, b.Highest == first
}

// uncertain is why a bend has no interval; none where it has one.
func (w sweeper) uncertain(e v1alpha1.SweepEntry, of loadSweep, b stats.Bend) []v1alpha1.VerdictReason {
	switch needed := stats.SweepBlocksNeeded(len(of.loads), w.Declaration.ErrorRate); {
	case b.Interval == nil:
		return []v1alpha1.VerdictReason{because(v1alpha1.CodeSweepTooFewBlocks, "loads", count(len(of.loads)), "needed", count(needed), "blocks", count(e.BlockCount))}
	case w.sequential():
		return []v1alpha1.VerdictReason{because(v1alpha1.CodeInSequence)}
	}
	return nil
}

// beyond is what the loads of a sweep do not reach.
func (w sweeper) beyond(e v1alpha1.SweepEntry, of loadSweep, b stats.Bend) (out []v1alpha1.VerdictReason) {
	first, last := of.loads[0], of.loads[len(of.loads)-1]
	certain := b.Interval != nil && !w.sequential()
	rises, falls := w.ends(of, b)
	switch {
	case rises:
		least := b.Knee
		if certain {
			least = b.Interval.Low // holds whichever load has the most
		}
		return []v1alpha1.VerdictReason{because(v1alpha1.CodeNotSaturated, "least", v1alpha1.FourDigits(least), "high", v1alpha1.Decimal(last), "axis", e.Axis)}
	case falls:
		return []v1alpha1.VerdictReason{because(v1alpha1.CodeLightestHasMost, "low", v1alpha1.Decimal(first), "high", v1alpha1.Decimal(last), "axis", e.Axis)}
	case !certain:
	case b.Interval.Low <= first:
		out = append(out, because(v1alpha1.CodeNoMoreThanLightest))
	case b.Interval.High >= last:
		out = append(out, because(v1alpha1.CodeKneeBeyond))
	case b.Highest == last:
		out = append(out, because(v1alpha1.CodePeakBeyond))
	}
	if certain && b.Interval.Low > b.Highest || !certain && b.Knee > last {
		out = append(out, because(v1alpha1.CodeMoreThanProportion))
	}
	return out
}

// caveats of a sweep: what else than the servers decides its values, and above all its highest one.
func (w sweeper) caveats(of loadSweep, peak float64) (out []v1alpha1.VerdictReason) {
	var highest, others limited
	for i, u := range of.units {
		if at := w.limits[place{u.Target, u.Cell}]; of.loads[i] == peak {
			highest = at
		} else {
			others = others.plus(at)
		}
	}
	says := func(code v1alpha1.ReasonCode, trials, of int) {
		out = append(out, because(code, "trials", count(trials), "of", count(of)))
	}
	if highest.offered > highest.saturated {
		out = append(out, because(v1alpha1.CodePeakRateOffered))
	}
	if 2*highest.server > highest.trials {
		says(v1alpha1.CodePeakServerLimit, highest.server, highest.trials)
	}
	if highest.client > 0 {
		says(v1alpha1.CodePeakClientLimit, highest.client, highest.trials)
	}
	if others.client > 0 {
		says(v1alpha1.CodeLoadsClientLimit, others.client, others.trials)
	}
	if all := highest.plus(others); all.oneCPU > 0 {
		says(v1alpha1.CodeOneCPU, all.oneCPU, all.trials)
	}
	if w.Layout.Plan.Order == v1alpha1.OrderABBA {
		out = append(out, because(v1alpha1.CodeOneOrder))
	}
	return out
}
