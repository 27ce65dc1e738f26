package analysis

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// controlErrorRate of the check that the baseline does not differ from itself, for all contrasts of
// the control together. At 5 % one sound run in twenty would be flagged.
const controlErrorRate = 0.001

// control compares the baseline with itself. The interval of each entry is by itself, at the error
// rate of the run: the resolution of the experiment.
func (a *analyst) control() ([]v1alpha1.ComparisonEntry, []v1alpha1.Finding) {
	var all []compared
	var family []stats.Comparison
	for _, c := range a.family.Control {
		one := a.measured(c)
		all, family = append(all, one), append(family, one.tested())
	}
	var out []v1alpha1.ComparisonEntry
	var findings []v1alpha1.Finding
	for i, decision := range stats.Decide(family, controlErrorRate, a.Declaration.MinimumEffect) {
		e := a.entry(all[i], v1alpha1.FamilyControl)
		a.judgeControl(&e, all[i], decision)
		if e.Verdict != v1alpha1.VerdictExploratory && (decision.Larger || decision.Smaller) {
			findings = append(findings, controlDiffers(e, len(all)))
		}
		e.Reasons = append(e.Reasons, a.unchecked(e, len(all))...)
		out = append(out, e)
	}
	return out, findings[:min(len(findings), 1)]
}

// judgeControl compares a target with itself.
func (a *analyst) judgeControl(e *v1alpha1.ComparisonEntry, one compared, decision stats.Decision) {
	d, blocks := a.Declaration, count(one.comparison.N)
	alone := d.alone(one)
	setInterval(e, alone.Interval)
	e.Verdict = v1alpha1.VerdictInconclusive
	switch {
	case one.unmeasured():
		undecided(e, v1alpha1.VerdictNotMeasured, one.absent...)
	case len(one.absent) > 0:
		e.Reasons = one.absent
	case one.once:
		undecided(e, v1alpha1.VerdictExploratory, because(v1alpha1.CodeOneObservation))
	case len(a.limits.of(one.contrast).disturbances()) > 0:
		undecided(e, v1alpha1.VerdictExploratory, a.limits.of(one.contrast).disturbances()...)
	case decision.Larger || decision.Smaller:
		undecided(e, v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(*e))), because(v1alpha1.CodeDiffersFromItself))
	case one.comparison.N < stats.MinBlocks:
		undecided(e, v1alpha1.VerdictExploratory, because(v1alpha1.CodeTooFewBlocks, "blocks", blocks, "needed", count(stats.MinBlocks)))
	case alone.Interval == nil:
		e.Reasons = []v1alpha1.VerdictReason{because(v1alpha1.CodeNoInterval, "blocks", blocks, "errorRate", v1alpha1.FourDigits(d.ErrorRate))}
	case alone.Equivalent:
		e.Verdict = v1alpha1.VerdictEquivalent
		setEquivalence(e, alone)
	default:
		e.Reasons = []v1alpha1.VerdictReason{d.tooCoarse()}
	}
}

// alone is the decision on one comparison of a control by itself, at the error rate of the run.
func (d Declaration) alone(one compared) stats.Decision {
	return d.known(stats.Decide([]stats.Comparison{one.tested()}, d.ErrorRate, d.MinimumEffect)[0], one.above)
}

func (d Declaration) tooCoarse() v1alpha1.VerdictReason {
	return because(v1alpha1.CodeCoarserThanEffect, "minimumEffect", v1alpha1.FourDigits(d.MinimumEffect))
}

// unchecked says that so few blocks cannot show that a target differs from itself.
func (a *analyst) unchecked(e v1alpha1.ComparisonEntry, controls int) []v1alpha1.VerdictReason {
	needed := stats.BlocksNeeded(controls, controlErrorRate)
	if e.IntervalLow == "" || a.sequential() || int(e.BlockCount) >= needed {
		return nil
	}
	return []v1alpha1.VerdictReason{because(v1alpha1.CodeControlUnchecked, "blocks", count(e.BlockCount), "needed", count(needed))}
}

// controlDiffers is the finding of a baseline that differs from itself.
func controlDiffers(e v1alpha1.ComparisonEntry, controls int) v1alpha1.Finding {
	return v1alpha1.Finding{
		Check: "control-differs", Severity: v1alpha1.SeverityWarning,
		Message: fmt.Sprintf("%s against %s in %s: two servers of one spec differ, with an error rate of %s for all %d comparisons of the control: "+
			"something that is no part of the comparison decides the numbers, such as the place of a server, the data that it loaded, or a drift", e.Value, e.Baseline, e.Name, figure.Share(controlErrorRate), controls),
	}
}
