package analysis

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// explore compares the same units in the measurements that were not declared, and that have a
// direction. Each is by itself: hints for the next run. At most Limit are kept, and cut are left out.
func (a *analyst) explore() (out []v1alpha1.ComparisonEntry, cut int) {
	type contrast struct {
		value, baseline Unit
		kind            int32
	}
	done := map[contrast]bool{}
	for _, c := range a.family.Primary {
		if id, has := a.series.find(c); has {
			done[contrast{c.Value, c.Baseline, id}] = true
		}
	}
	for _, name := range a.Names {
		for _, id := range a.series.byName[name] {
			if a.series.kinds[id].direction == "" {
				continue
			}
			for _, c := range a.family.Primary {
				key := contrast{c.Value, c.Baseline, id}
				if done[key] || !a.series.has(c, id) || !a.Declaration.meansTheSame(c, name) {
					continue
				}
				done[key] = true
				if len(out) >= a.Limit {
					cut++
					continue
				}
				c.Measurement = &Measurement{Name: name}
				out = append(out, a.explored(c, id))
			}
		}
	}
	return out, cut
}

func (a *analyst) explored(c Contrast, id int32) v1alpha1.ComparisonEntry {
	one := a.compare(c, id)
	e := a.entry(one, v1alpha1.FamilyExploratory)
	why := []v1alpha1.VerdictReason{because(v1alpha1.CodeNotDeclared)}
	switch interval, ok := one.comparison.Interval(a.Declaration.ErrorRate); {
	case len(one.absent) > 0:
		why = one.absent
	case one.once:
		why = []v1alpha1.VerdictReason{because(v1alpha1.CodeOneObservation)}
	case ok:
		setInterval(&e, widen(&interval, one.above))
	}
	undecided(&e, v1alpha1.VerdictExploratory, append(slices.Clone(why), a.limits.of(c).disturbances()...)...)
	return e
}
