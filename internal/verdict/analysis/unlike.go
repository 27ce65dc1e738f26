package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// mayBeUnlike are the factors of drivers in which the sides of a comparison may differ besides the one that is compared. They say
// how an operation is done, and not which: the same rows are written or read on both sides, unless their number is unlike.
var mayBeUnlike = []string{contract.LabelDriver, contract.LabelScheme, contract.LabelTransaction, contract.LabelSession, contract.LabelConcurrency, contract.LabelRows}

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
		if axis := l.apart(name, compared, value); axis != "" && axis != c.Factor {
			return refuse("%s and %s differ in their %s too, which nothing would name: use drivers of one %s, or compare them with factor: %s", compared, value, axis, axis, contract.LabelDriver)
		}
	}
	return c.checkMeaning()
}

// apart is the axis in which the cells of two drivers differ, as in their language; empty for other factors, and for drivers of the same cells.
func (l Layout) apart(name, x, y string) string {
	of := func(driver string) map[string]string {
		i := slices.IndexFunc(l.Combinations, func(c Combination) bool { return c.Factors[contract.LabelDriver] == driver })
		if name != contract.LabelDriver || i < 0 {
			return nil
		}
		return l.Combinations[i].Axes
	}
	for _, axis := range l.Plan.Axes {
		if of(x)[axis] != of(y)[axis] {
			return axis
		}
	}
	return ""
}

// checkMeaning fails where a measurement does not mean the same on both sides of a comparison that has unlike sides.
func (c Comparison) checkMeaning() error {
	for _, m := range c.Measurements {
		switch {
		case c.meansTheSame(m.Name):
		case m.Name == contract.NameSpeedUp:
			return fmt.Errorf("%s.baselineWithin: the %s of each side is over a baseline of its own: compare throughput", c.Field, m.Name)
		default:
			return fmt.Errorf("%s.baselineWithin: %s is about whole operations, and those of other %s are other work: set measurements: [{name: %s}]", c.Field, m.Name, contract.LabelRows, contract.NameRowRate)
		}
	}
	return nil
}

// aloneError is for units that a comparison with unlike sides selects, and that have nothing on the side of the baseline: they would be
// left out without a word.
func (l Layout) aloneError(c Comparison, alone []Unit, baseline string) error {
	var words []string
	factors := l.combinations()[alone[0].Combination].Factors
	for _, name := range slices.Sorted(maps.Keys(factors)) {
		words = append(words, name+" "+factors[name])
	}
	return fmt.Errorf("%s.baselineWithin: the baseline %q has no such side for %s of this run, such as %s: measure that too, or name in within what has one (a comparison for each)",
		c.Field, baseline, figure.Counted(len(alone), "part"), strings.Join(words, ", "))
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

// meansTheSame says whether a measurement means the same on both sides. Where the sides are alike but for the factor that is left to
// who declares it: operations of 1 and of 100 rows have no other difference.
func (c Comparison) meansTheSame(measurement string) bool {
	if len(c.BaselineWithin) == 0 {
		return true
	}
	_, unlikeRows := c.BaselineWithin[contract.LabelRows]
	return measurement != contract.NameSpeedUp && (measurement == contract.NameRowRate || !unlikeRows && c.Factor != contract.LabelRows)
}

// meansTheSame says so of a contrast.
func (d Declaration) meansTheSame(c Contrast, measurement string) bool {
	return c.Comparison < 0 || d.Comparisons[c.Comparison].meansTheSame(measurement)
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
