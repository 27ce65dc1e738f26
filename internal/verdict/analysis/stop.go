package analysis

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// Stop is the rule by which a run ends after a block that is not the last one of its plan.
type Stop struct {
	// MostBlocks of the plan.
	MostBlocks int
	// Precision to which every ratio of the primary family is to be known, such as 0.02: its interval reaches from a ratio
	// divided by 1.02 to that ratio times 1.02. 0 where none is wanted.
	Precision float64
	// Within is how long the run measures; 0 without a limit.
	Within time.Duration
	// Counted blocks of every primary comparison are enough; 0 where their number decides nothing.
	Counted int
}

// declareStop is the rule of a spec with its defaults; nil where all blocks of the plan are measured.
func declareStop(design v1alpha1.Design) (*Stop, error) {
	if !design.StopsItself() {
		return nil, nil
	}
	s := &Stop{MostBlocks: int(design.Blocks + design.ReserveBlocks)}
	if design.ReserveBlocks > 0 {
		s.Counted = int(design.Blocks)
	}
	if design.Within != nil {
		s.Within = design.Within.Duration
	}
	var err error
	if design.Precision != "" {
		if s.Precision, err = Share(design.Precision); err != nil {
			return nil, fmt.Errorf("spec.design.precision: %w", err)
		}
	}
	return s, nil
}

// PilotOf a family: the blocks after which a run first looks at the precision of its ratios; 0 for one that wants none.
func PilotOf(f Family, d Declaration) int {
	if d.Stop == nil || d.Stop.Precision == 0 {
		return 0
	}
	return max(stats.PilotBlocks, stats.BlocksNeeded(len(f.Primary), d.stopping(f).ErrorRate))
}

// gateInterims of a family: the blocks after which the gate over its comparisons may end the run, the last of the plan included, with
// the part of the error rate of each. There are none without such a gate, and where neither a precision nor a time ends the run.
func (d Declaration) gateInterims(f Family) []stats.Interim {
	if d.Margin == 0 || d.Stop == nil || d.Stop.Precision == 0 && d.Stop.Within == 0 {
		return nil
	}
	return stats.Interims(stats.PilotBlocks, d.Stop.MostBlocks, len(f.Primary), d.ErrorRate)
}

// gateRate is the error rate of the gate at an interim analysis and at the end. A gate ends a run because of what it decides, so that
// the interim analyses divide its error rate, whatever else may end the run.
func (d Declaration) gateRate(f Family) float64 {
	if interims := d.gateInterims(f); len(interims) > 0 {
		return interims[0].ErrorRate
	}
	return d.ErrorRate
}

// stopping is the declaration for the analyses of a run that may end early: they are at a part of its error rate, wherever it ended.
func (d Declaration) stopping(f Family) Declaration {
	switch {
	case len(d.gateInterims(f)) > 0:
		d.ErrorRate = d.gateRate(f)
	case d.Stop != nil && d.Stop.Precision > 0:
		d.ErrorRate *= stats.PrecisionErrorShare
	}
	return d
}

// StopReason is why a run ends after a block; empty where it goes on.
type StopReason string

// Reasons to stop.
const (
	// StopPrecise: every ratio is known to within design.precision.
	StopPrecise StopReason = "Precise"
	// StopInTime: another block does not fit into design.within.
	StopInTime StopReason = "InTime"
	// StopCounted: in every comparison as many blocks count as design.blocks wants.
	StopCounted StopReason = "Counted"
	// StopGatePassed and StopGateFailed: the gate over the comparisons of the run is decided.
	StopGatePassed StopReason = "GatePassed"
	StopGateFailed StopReason = "GateFailed"
)

// InterimResult is what a run found after a block.
type InterimResult struct {
	// Stop says why the run ends here.
	Stop StopReason
	// Blocks that were measured, and Counted in the comparison that has fewest.
	Blocks, Counted int
	// Rule by which it was decided.
	Rule Stop
	// Ratios of the family, and Without is how many of them have no interval, or too few blocks for a verdict.
	Ratios, Without int
	// Widest precision of a ratio, as a share such as 0.02; 0 before the pilot has ended.
	Widest float64
	// Elapsed since the first trial began.
	Elapsed time.Duration
	// Forecast of the rest; nil before the pilot has ended, and for a run without precision and limit of time.
	Forecast *contract.Forecast
}

// interim is an analysis while the run goes on.
type interim struct {
	*analyst
	rule Stop
}

// IsInterim says whether a run is analysed after so many blocks, to decide whether another one follows. A run that ends by time also
// decides after every other block, by the time alone (TimeIsOver). The end of the plan decides nothing: the run ends there anyway. It
// fails as FamilyOf.
func IsInterim(in Input, blocks int) (bool, error) {
	s := in.Declaration.Stop
	switch {
	case s == nil || blocks >= s.MostBlocks:
		return false, nil
	case s.Counted > 0 && blocks >= s.Counted, s.Within > 0 && blocks < stats.PilotBlocks:
		return true, nil
	case s.Precision == 0 && s.Within == 0:
		return false, nil
	}
	family, err := FamilyOf(in.Layout, in.Declaration, in.Names, math.MaxInt)
	if err != nil {
		return false, err
	}
	ofGate := func(i stats.Interim) bool { return i.Blocks == blocks }
	pilot := PilotOf(family, in.Declaration)
	if pilot == 0 {
		pilot = stats.PilotBlocks // the forecast of a run that ends by time
	}
	return slices.Contains(stats.Looks(pilot, s.MostBlocks), blocks) ||
		slices.ContainsFunc(in.Declaration.gateInterims(family), ofGate), nil
}

// Interim analyses the data of a run after so many blocks. The values are those that count in the final
// analysis: a trial that failed, or that was disturbed, is missing in the interim analysis as it is there. So a
// run that stops ends with the intervals for which it stopped. It fails as FamilyOf.
func Interim(in Input, blocks int) (InterimResult, error) {
	family, err := FamilyOf(in.Layout, in.Declaration, in.Names, math.MaxInt)
	if err != nil {
		return InterimResult{}, err
	}
	pilot, gates, gateRate := PilotOf(family, in.Declaration), in.Declaration.gateInterims(family), in.Declaration.gateRate(family)
	in.Declaration = in.Declaration.stopping(family)
	x := interim{analystOf(in, family), *in.Declaration.Stop}
	out := InterimResult{Blocks: blocks, Rule: x.rule, Ratios: len(family.Primary), Elapsed: elapsed(in.Records)}
	var compared []stats.Comparison
	for i, c := range family.Primary {
		one := x.measured(c).tested()
		if len(x.limits.of(c).disturbances()) > 0 {
			one = stats.Comparison{} // there would be no verdict
		}
		compared = append(compared, one)
		if out.Counted = min(out.Counted, one.N); i == 0 {
			out.Counted = one.N
		}
	}
	if blocks >= max(pilot, stats.PilotBlocks) {
		out.Widest, out.Without = stats.WidestOf(compared, x.Declaration.ErrorRate)
	} else {
		compared = nil // a spread of so few blocks is none
	}
	out.Forecast = x.forecast(out, compared)
	out.Stop = x.stops(out, slices.Contains(stats.Looks(pilot, x.rule.MostBlocks), blocks))
	if slices.ContainsFunc(gates, func(i stats.Interim) bool { return i.Blocks == blocks }) {
		switch x.losses(gateRate).Outcome() {
		case v1alpha1.OutcomePassed:
			out.Stop = StopGatePassed
		case v1alpha1.OutcomeSlower:
			out.Stop = StopGateFailed
		}
	}
	return out, nil
}

// stops says why the run ends. The width of intervals decides at its looks alone.
func (x interim) stops(out InterimResult, look bool) StopReason {
	switch {
	case x.rule.Precision > 0 && look && out.Ratios > 0 && out.Without == 0 && out.Widest <= x.rule.Precision:
		return StopPrecise
	case x.rule.Counted > 0 && out.Blocks >= x.rule.Counted && out.Counted >= x.rule.Counted:
		return StopCounted
	case x.rule.timeIsOver(out.Elapsed, out.Blocks):
		return StopInTime
	}
	return ""
}

// timeIsOver says whether another block does not fit.
func (s Stop) timeIsOver(elapsed time.Duration, blocks int) bool {
	return s.Within > 0 && elapsed+elapsed/time.Duration(blocks) > s.Within
}

// TimeIsOver says whether another block does not fit into the time of a run, by its first records and its last one. It is not known
// where none of the first ones has begun a window.
func (s Stop) TimeIsOver(first []contract.Record, last contract.Record, blocks int) (over, known bool) {
	known = slices.ContainsFunc(first, func(r contract.Record) bool { return r.WindowStartTime != nil })
	return s.timeIsOver(elapsed(append(slices.Clip(first), last)), blocks), known
}

// mostReachable is the coarsest precision that a forecast has, as a share. A ratio that so few blocks leave uncertain by more than a
// factor of a million, or without any bound, has none.
const mostReachable = 1e6

// forecast the rest of a run from its blocks so far. Compared are the comparisons of the primary family; none before their
// spread is known.
func (x interim) forecast(out InterimResult, compared []stats.Comparison) *contract.Forecast {
	if x.rule.Precision == 0 && x.rule.Within == 0 {
		return nil
	}
	f := &contract.Forecast{AfterBlocks: int32(out.Blocks), MostBlocks: int32(x.rule.MostBlocks)}
	if x.rule.Within > 0 && out.Elapsed > 0 {
		fit := int32(math.Min(float64(x.rule.Within)/float64(out.Elapsed)*float64(out.Blocks), float64(f.MostBlocks)))
		f.MostBlocks = max(fit, f.AfterBlocks)
	}
	spread := 0.0
	for _, c := range compared {
		spread = math.Max(spread, c.Spread)
	}
	if out.Widest > 0 && out.Without == 0 {
		f.Precision = v1alpha1.FourDigits(out.Widest)
	}
	if !(spread > 0) {
		return f
	}
	rate := x.Declaration.ErrorRate / float64(len(compared))
	// Blocks that do not count are as frequent in the rest.
	counted := math.Max(float64(out.Counted), 1) / float64(out.Blocks)
	if reachable := stats.ExpectedPrecision(int(counted*float64(f.MostBlocks)), spread, rate); reachable < mostReachable {
		f.Reachable = v1alpha1.FourDigits(reachable)
	}
	if blocks, ok := stats.BlocksForPrecision(x.rule.Precision, spread, rate); ok && x.rule.Precision > 0 {
		f.ExpectedBlocks = new(max(int32(math.Ceil(float64(blocks)/counted)), f.AfterBlocks))
	}
	return f
}

// elapsed from the beginning of the first window to the end of the last record; 0 where a time is not known.
func elapsed(records []contract.Record) time.Duration {
	var from, to *time.Time
	for _, r := range records {
		if from == nil {
			from = r.WindowStartTime
		}
		if r.CompletionTime != nil {
			to = r.CompletionTime
		}
	}
	if from == nil || to == nil {
		return 0
	}
	return max(0, to.Sub(*from))
}
