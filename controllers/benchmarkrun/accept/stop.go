package accept

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/costs"
	"github.com/assay-bench/assay/internal/stats"
)

// checkStop refuses a run that is to stop early and never can.
func checkStop(family analysis.Family, d analysis.Declaration, order v1alpha1.TrialOrder) error {
	if d.Stop == nil {
		return nil
	}
	n := len(family.Primary)
	switch {
	case order == v1alpha1.OrderSequential:
		return fmt.Errorf("spec.design.stopEarly: with design.order %s no block ends before the last target: use RandomizedBlocks or ABBA", order)
	case n == 0:
		return fmt.Errorf("spec.design.stopEarly: the run compares nothing, and it stops when compared ratios are known: " +
			"leave stopEarly out, name a second target, or declare analysis.comparisons")
	}
	for _, c := range family.Primary {
		if costs.SinceStart(c.Measurement.Name) {
			return fmt.Errorf("spec.design.stopEarly: %s is the largest value since the server began, so that its ratio has no interval: "+
				"leave stopEarly out, or declare other measurements", c.Measurement.Name)
		}
	}
	if looks := analysis.LooksOf(family, d); len(looks) < 2 {
		return fmt.Errorf("spec.design.stopEarly: there is no room for a look before block %d: %d comparisons need %d blocks at a first look, "+
			"and the next one has half as many more: raise design.blocks, or leave stopEarly out", d.Stop.MaxBlocks, n, max(d.Stop.MinBlocks, stats.BlocksNeeded(n, d.ErrorRate/2)))
	}
	return nil
}

// showForesight for the status.
func showForesight(f analysis.Foresight) *v1alpha1.PlannedAnalysis {
	shows := &v1alpha1.PlannedAnalysis{ComparisonCount: int32(f.Comparisons), BlocksNeeded: int32(f.Needed)}
	if f.Detectable > 0 {
		shows.DetectableEffect = v1alpha1.FourDigits(f.Detectable)
	}
	for _, look := range f.Looks {
		shows.LookBlocks = append(shows.LookBlocks, int32(look.Blocks))
		shows.LookErrorRate = v1alpha1.FourDigits(look.ErrorRate)
	}
	return shows
}

// looksAt says when a run that may stop early looks at its data; empty for any other.
func looksAt(a *v1alpha1.PlannedAnalysis) string {
	if len(a.LookBlocks) == 0 {
		return ""
	}
	var words []string
	for _, n := range a.LookBlocks {
		words = append(words, strconv.Itoa(int(n)))
	}
	return fmt.Sprintf("; it may stop after %s of them, and its %d looks share the error rate", strings.Join(words[:len(words)-1], ", "), len(words))
}
