package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

const (
	// factorRows is the factor of drivers by which an operation has more work or less.
	factorRows = "rows"
	// perRow is the measurement that means the same for any number of rows.
	perRow = "throughput.rows"
	// speedUp is over the throughput of a baseline of its own for each scheme and the like.
	speedUp = "speedup"
)

// mayBeUnlike are the factors of drivers in which the sides of a comparison may differ besides the one that is compared. They say
// how an operation is done, and not which: an operation is the same work on both sides, but for its rows.
var mayBeUnlike = []string{"driver", "scheme", "transaction", "session", factorRows}

// checkUnlike fails where the sides of a comparison cannot differ as it declares. What stands in within was checked before.
func (l Layout) checkUnlike(c Comparison, units []Unit) error {
	for _, name := range slices.Sorted(maps.Keys(c.BaselineWithin)) { // the same error every time
		value := c.BaselineWithin[name]
		refuse := func(format string, args ...any) error {
			return fmt.Errorf("%s.baselineWithin: "+format, append([]any{c.Field}, args...)...)
		}
		compared, has := c.Within[name]
		switch err := l.known(name, value, units); {
		case name == c.Factor:
			return refuse("%s is the factor itself: say its value on this side in baseline", name)
		case err != nil:
			return refuse("%w", err)
		case !slices.Contains(mayBeUnlike, name) || !slices.Contains(l.combined(), name):
			return refuse("%s has to be equal on both sides: only how a driver does an operation may differ (%s)", name, strings.Join(mayBeUnlike, ", "))
		case !has:
			return refuse("%s is not in within: say there which value the compared side has", name)
		case compared == value:
			return refuse("%s is %s on both sides: leave it out, or name another value", name, value)
		}
		for _, m := range c.Measurements {
			if means(m.Name, name) {
				continue
			}
			if name == factorRows {
				return refuse("%s is about whole operations, and those of %s and of %s rows are different work: set measurements: [{name: %s}]", m.Name, compared, value, perRow)
			}
			return refuse("the %s of each side is over a baseline of its own: compare throughput", m.Name)
		}
	}
	return nil
}

// baselineWithin are the values of other factors on the side of the baseline.
func (c Comparison) baselineWithin() map[string]string {
	if len(c.BaselineWithin) == 0 {
		return c.Within
	}
	out := maps.Clone(c.Within)
	maps.Copy(out, c.BaselineWithin)
	return out
}

// unlike factors of a contrast, with the values of both sides; none where all else is equal.
func (d Declaration) unlike(l Layout, c Contrast) (out []v1alpha1.UnlikeFactor) {
	if c.Comparison < 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(d.Comparisons[c.Comparison].BaselineWithin)) {
		one := v1alpha1.UnlikeFactor{Factor: name}
		one.Value, _ = l.valueOf(name, c.Value)
		one.Baseline, _ = l.valueOf(name, c.Baseline)
		out = append(out, one)
	}
	return out
}

// means says whether a measurement means the same on both sides, where they differ in an unlike factor.
func means(measurement, unlike string) bool {
	return measurement != speedUp && (unlike != factorRows || measurement == perRow)
}

// meansTheSame says whether a measurement means the same on both sides of a contrast.
func (d Declaration) meansTheSame(c Contrast, measurement string) bool {
	if c.Comparison < 0 {
		return true
	}
	for name := range d.Comparisons[c.Comparison].BaselineWithin {
		if !means(measurement, name) {
			return false
		}
	}
	return true
}

// SideOfValue names the side of the value of a comparison: the value, and where the sides differ in more than the factor, that as
// well, such as "mariadb with scheme Batch".
func SideOfValue(value string, unlike []v1alpha1.UnlikeFactor) string {
	return side(value, unlike, func(u v1alpha1.UnlikeFactor) string { return u.Value })
}

// SideOfBaseline names the side of the baseline likewise, such as "mysql with scheme SingleRow".
func SideOfBaseline(baseline string, unlike []v1alpha1.UnlikeFactor) string {
	return side(baseline, unlike, func(u v1alpha1.UnlikeFactor) string { return u.Baseline })
}

func side(value string, unlike []v1alpha1.UnlikeFactor, of func(v1alpha1.UnlikeFactor) string) string {
	var words []string
	for _, u := range unlike {
		words = append(words, u.Factor+" "+of(u))
	}
	if len(words) == 0 {
		return value
	}
	return value + " with " + strings.Join(words, " and ")
}
