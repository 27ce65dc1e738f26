package analysis

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/stats"
)

// controlErrorRate of the check that the baseline does not differ from itself, for all contrasts of
// the control together. At 5 % one sound run in twenty would be flagged.
const controlErrorRate = 0.001

// differsFromItself is the reason of a control that is flagged.
const differsFromItself = "the baseline differs from itself"

// control compares the baseline with itself. The interval of each entry is by itself, at the error
// rate of the run: the resolution of the experiment.
func (a *analyst) control() ([]v1alpha1.ComparisonEntry, []v1alpha1.Finding) {
	var all []compared
	var family []stats.Comparison
	for _, c := range a.family.Control {
		one := compared{contrast: c, kind: -1, absent: noneOnBothSides}
		if id, has := a.series.find(c); has {
			one = a.compare(c, id)
		}
		all, family = append(all, one), append(family, one.tested())
	}
	var out []v1alpha1.ComparisonEntry
	var findings []v1alpha1.Finding
	flagged := 0
	for i, decision := range stats.Decide(family, controlErrorRate, a.Declaration.MinimumEffect) {
		e := a.entry(all[i], v1alpha1.FamilyControl)
		e.Verdict, e.Reason = v1alpha1.VerdictInconclusive, all[i].absent
		interval, ok := all[i].tested().Interval(a.Declaration.ErrorRate)
		if interval = *widen(&interval, all[i].above); ok {
			setInterval(&e, &interval)
		}
		switch {
		case all[i].absent != "":
		case all[i].once:
			e.Verdict, e.Reason = v1alpha1.VerdictExploratory, onlyOnce
		case decision.Larger || decision.Smaller:
			e.Verdict, e.Reason = v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(e))), differsFromItself
			flagged++
		case all[i].comparison.N < stats.MinBlocks:
			e.Verdict, e.Reason = v1alpha1.VerdictExploratory, fmt.Sprintf("%d blocks count on both sides, and an interval needs %d", all[i].comparison.N, stats.MinBlocks)
		case !ok:
			e.Reason = fmt.Sprintf("%d blocks have no interval at an error rate of %s", all[i].comparison.N, Percent(a.Declaration.ErrorRate))
		case interval.Low >= 1/(1+a.Declaration.MinimumEffect) && interval.High <= 1+a.Declaration.MinimumEffect:
			e.Verdict = v1alpha1.VerdictEquivalent
		default:
			e.Reason = fmt.Sprintf("the resolution is coarser than the minimum effect of %s", Percent(a.Declaration.MinimumEffect))
		}
		e.Text = a.describe(e, "")
		if flagged == 1 && len(findings) == 0 {
			findings = append(findings, v1alpha1.Finding{
				Check: "control-differs", Severity: v1alpha1.SeverityWarning,
				Message: fmt.Sprintf("%s: two servers of one spec differ, with an error rate of %s for all %d comparisons of the control: "+
					"something that is no part of the comparison decides the numbers, such as the place of a server, the data that it loaded, or a drift", e.Text, Percent(controlErrorRate), len(all)),
			})
		}
		out = append(out, e)
	}
	return out, findings
}

// resolution is the widest interval of the control in its first measurement, in words; empty without
// a control.
func (a *analyst) resolution(controls []v1alpha1.ComparisonEntry) string {
	if len(controls) == 0 {
		return ""
	}
	low, high, n, few := math.Inf(1), math.Inf(-1), 0, false
	needed := stats.BlocksNeeded(len(controls), controlErrorRate)
	for _, e := range controls {
		l, ok := number(e.IntervalLow)
		h, also := number(e.IntervalHigh)
		if e.Name != controls[0].Name || !ok || !also {
			continue
		}
		low, high, n = math.Min(low, l), math.Max(high, h), n+1
		few = few || !a.sequential() && int(e.BlockCount) < needed
	}
	if n == 0 {
		return "no resolution: " + controls[0].Reason
	}
	text := fmt.Sprintf("resolution %s to %s", signed(low-1), signed(high-1))
	if few {
		text += fmt.Sprintf(" (unchecked: that takes %d blocks)", needed)
	}
	for _, e := range controls {
		if e.Reason == differsFromItself {
			return text + ", and " + differsFromItself
		}
	}
	if low > 1 || high < 1 {
		text += fmt.Sprintf(", not around 0 (%s of sound controls are so)", Percent(a.Declaration.ErrorRate))
	}
	return text
}
