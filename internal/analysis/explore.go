package analysis

import (
	"github.com/assay-bench/assay/api/v1alpha1"
)

// explore compares the same units in the measurements that were not declared, and that have a
// direction. Each is by itself: hints for the next run. At most Limit are kept; left is how many
// are not.
func (a *analyst) explore() (out []v1alpha1.ComparisonEntry, left int) {
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
				if done[key] || !a.series.has(c, id) {
					continue
				}
				done[key] = true
				if len(out) >= a.Limit {
					left++
					continue
				}
				c.Measurement = &Measurement{Name: name}
				out = append(out, a.explored(c, id))
			}
		}
	}
	return out, left
}

func (a *analyst) explored(c Contrast, id int32) v1alpha1.ComparisonEntry {
	one := a.compare(c, id)
	e := a.entry(one, v1alpha1.FamilyExploratory)
	e.Verdict, e.Reason = v1alpha1.VerdictExploratory, "not declared"
	if one.absent != "" {
		e.Reason = one.absent
	} else if one.once {
		e.Reason = onlyOnce
	} else if interval, ok := one.comparison.Interval(a.Declaration.ErrorRate); ok {
		setInterval(&e, widen(&interval, one.above))
	}
	e.Text = a.describe(e, "")
	return e
}
