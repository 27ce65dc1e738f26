package analysis

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// StopEarly is the rule by which a run ends before its last block: after a block at which it analyses its data,
// when every ratio of the primary family is known to within the precision.
type StopEarly struct {
	// MinBlocks before the first interim analysis, and MaxBlocks of the plan.
	MinBlocks, MaxBlocks int
	// Precision of a ratio, such as 0.02: its interval reaches from a ratio divided by 1.02 to that
	// ratio times 1.02, or is narrower.
	Precision float64
}

// declareStop is the rule of a spec; nil without one.
func declareStop(design v1alpha1.Design) (*StopEarly, error) {
	if design.StopEarly == nil {
		return nil, nil
	}
	precision, err := Share(design.StopEarly.Precision)
	if err != nil {
		return nil, fmt.Errorf("spec.design.stopEarly.precision: %w", err)
	}
	return &StopEarly{MinBlocks: int(design.StopEarly.MinBlocks), MaxBlocks: int(design.Blocks), Precision: precision}, nil
}

// InterimsOf a family: the blocks after which the run may stop, the last of the plan included. They
// follow from the spec alone. There are none without a rule, and where nothing is compared.
func InterimsOf(f Family, d Declaration) []stats.Interim {
	if d.Stop == nil || len(f.Primary) == 0 {
		return nil
	}
	return stats.Interims(d.Stop.MinBlocks, d.Stop.MaxBlocks, len(f.Primary), d.ErrorRate)
}

// atInterim is the declaration for the analysis of a family, at an interim analysis or at the end: the interim analyses divide
// the error rate evenly. A run that ends between interim analyses, as one that fails does, has spent no more.
func (d Declaration) atInterim(f Family) Declaration {
	if interims := InterimsOf(f, d); len(interims) > 0 {
		d.ErrorRate = interims[0].ErrorRate
	}
	return d
}

// InterimResult is what an interim analysis found.
type InterimResult struct {
	// Stop: the run ends here.
	Stop bool
	// Blocks that were measured, and the most that the plan has.
	Blocks, MaxBlocks int
	// Precision that is wanted of every ratio, and Widest, to within which the least certain one is known: both
	// are shares such as 0.02.
	Precision, Widest float64
	// Ratios of the family, and Without is how many of them have no interval, or too few blocks for a verdict.
	Ratios, Without int
}

// IsInterim says whether a run analyses its data after so many blocks. The end of the plan is none: the
// run ends there anyway. It fails as FamilyOf.
func IsInterim(in Input, blocks int) (bool, error) {
	if in.Declaration.Stop == nil || blocks >= in.Declaration.Stop.MaxBlocks {
		return false, nil
	}
	family, err := FamilyOf(in.Layout, in.Declaration, in.Names, math.MaxInt)
	if err != nil {
		return false, err
	}
	for _, interim := range InterimsOf(family, in.Declaration) {
		if interim.Blocks == blocks {
			return true, nil
		}
	}
	return false, nil
}

// Interim analyses the data of a run after so many blocks. The values are those that count in the final
// analysis: a trial that failed, or that was disturbed, is missing in the interim analysis as it is there. So a
// run that stops ends with the intervals for which it stopped. It fails as FamilyOf.
func Interim(in Input, blocks int) (InterimResult, error) {
	family, err := FamilyOf(in.Layout, in.Declaration, in.Names, math.MaxInt)
	if err != nil {
		return InterimResult{}, err
	}
	rule := in.Declaration.Stop
	in.Declaration = in.Declaration.atInterim(family)
	a := analystOf(in, family)
	all, decisions := a.decide()
	out := InterimResult{Stop: stats.Precise(decisions, rule.Precision), Blocks: blocks, MaxBlocks: rule.MaxBlocks, Precision: rule.Precision, Ratios: len(decisions)}
	for i, d := range decisions {
		disturbed := len(a.disturbed(all[i].contrast)) > 0
		out.Stop = out.Stop && !disturbed // there would be no verdict
		if d.Interval == nil || d.Exploratory || disturbed {
			out.Without++
			continue
		}
		out.Widest = math.Max(out.Widest, math.Sqrt(d.Interval.High/d.Interval.Low)-1)
	}
	return out, nil
}
