package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// Contrast is one comparison: a unit against its baseline in one measurement.
type Contrast struct {
	// Comparison that declares it, by its index; -1 for the control.
	Comparison int32
	// Measurement that is compared.
	Measurement *Measurement
	// Value and Baseline differ in the factor only, and in what the comparison says of the side of the baseline.
	Value, Baseline Unit
}

// Family is what a run compares. It follows from the plan and the declaration alone.
type Family struct {
	// Primary contrasts, in the order of the comparisons, their measurements, the cells, the
	// combinations and the values.
	Primary []Contrast
	// Control has the contrasts of the baseline with itself.
	Control []Contrast
}

// TooManyError is the error for a family with more comparisons than the limit.
type TooManyError struct {
	// Comparisons of the family, and the limit for its number of blocks.
	Comparisons, Limit int
}

// Error has the remedy.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d comparisons are more than the %d that a run may have (limits.comparisons of the operator): "+
		"declare those that matter with spec.analysis.comparisons and within", e.Comparisons, e.Limit)
}

// maxShifts of all primary comparisons together: each keeps n(n+1)/2 numbers for n blocks, n² where
// they are not paired. 64 MiB.
const maxShifts = 8 << 20

// limitFor so many blocks.
func limitFor(limit, blocks int) int { return min(limit, maxShifts/max(blocks*blocks, 1)) }

// FamilyOf an experiment. Names are the measurements of the tool. Limit is that of the operator. It
// fails with a message that names the field, with a *TooManyError, or when the experiment is too
// large to be compared.
func FamilyOf(l Layout, d Declaration, names []string, limit int) (Family, error) {
	var f Family
	if len(d.Comparisons) == 0 && d.Control == "" {
		return f, nil
	}
	units, err := l.units()
	if err != nil {
		return f, err
	}
	twin := slices.Index(l.Plan.Targets, v1alpha1.ControlName)
	without := units
	if d.Control != "" {
		without = slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return int(u.Target) == twin })
	}
	tooMany := &TooManyError{Limit: limitFor(limit, l.Plan.Blocks())}
	for i := range d.Comparisons {
		c := &d.Comparisons[i]
		pairs, err := l.pairs(*c, without, names)
		if err != nil {
			return f, err
		}
		tooMany.Comparisons += len(pairs) * len(c.Measurements)
		if tooMany.Comparisons > tooMany.Limit {
			continue // counted, and not kept
		}
		for m := range c.Measurements {
			for _, p := range pairs {
				f.Primary = append(f.Primary, Contrast{int32(i), &c.Measurements[m], p.Value, p.Baseline})
			}
		}
	}
	if tooMany.Comparisons > tooMany.Limit {
		return Family{}, tooMany
	}
	if d.Control != "" {
		f.Control, err = l.control(d, units, names)
	}
	return f, err
}

// pairs of units that a comparison makes.
func (l Layout) pairs(c Comparison, units []Unit, names []string) ([]Contrast, error) {
	for i, m := range c.Measurements {
		if !slices.Contains(names, m.Name) {
			return nil, fmt.Errorf("%s.measurements[%d].name: the records of this tool have no %s: use one of %s", c.Field, i, m.Name, someOf(names))
		}
	}
	if err := l.known(c.Factor, "", units); err != nil {
		return nil, fmt.Errorf("%s.factor: %w", c.Field, err)
	}
	if err := l.known(c.Factor, c.Baseline, units); err != nil {
		return nil, fmt.Errorf("%s.baseline: %w", c.Field, err)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Within)) { // the same error every time
		if name == c.Factor {
			return nil, fmt.Errorf("%s.within: %s is the factor itself: leave it out, or name another factor", c.Field, name)
		}
		if err := l.known(name, c.Within[name], units); err != nil {
			return nil, fmt.Errorf("%s.within: %w", c.Field, err)
		}
	}
	if err := l.checkUnlike(c, units); err != nil {
		return nil, err
	}
	compared, against := l.within(units, c.Within), l.within(units, c.baselineWithin())
	baseline := c.Baseline
	if values := l.values(c.Factor, against); baseline == "" && len(values) > 0 {
		baseline = values[0]
	}
	g, bases := l.groupsBy(c.Factor, c.BaselineWithin), map[Unit]Unit{}
	for _, u := range against {
		if v, has := l.valueOf(c.Factor, u); has && v == baseline {
			bases[g.group(u)] = u
		}
	}
	var out []Contrast
	var alone []Unit
	for _, u := range compared {
		if v, has := l.valueOf(c.Factor, u); !has || v == baseline {
			continue
		}
		if base, has := bases[g.group(u)]; has {
			out = append(out, Contrast{Value: u, Baseline: base})
		} else {
			alone = append(alone, u)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: it compares nothing: no two parts of this run differ in %s alone, with the baseline %q on one side (its values here: %s)",
			c.Field, strings.Join(append([]string{c.Factor}, slices.Sorted(maps.Keys(c.BaselineWithin))...), " and "), baseline, someOf(l.values(c.Factor, compared)))
	}
	if len(c.BaselineWithin) > 0 && len(alone) > 0 {
		return nil, l.aloneError(c, alone, baseline)
	}
	return out, nil
}

// within are the units with these values of factors.
func (l Layout) within(units []Unit, values map[string]string) []Unit {
	return slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return !l.isWithin(u, values) })
}

func (l Layout) isWithin(u Unit, within map[string]string) bool {
	for name, value := range within {
		if v, has := l.valueOf(name, u); !has || v != value {
			return false
		}
	}
	return true
}

// control has the contrasts of the control with its baseline, in the measurements of all comparisons.
func (l Layout) control(d Declaration, units []Unit, names []string) ([]Contrast, error) {
	c := Comparison{Field: "spec.analysis.control", Factor: v1alpha1.FactorTarget, Baseline: d.Control, Measurements: usualMeasurements(names, len(l.Combinations) > 0)}
	if len(d.Comparisons) > 0 {
		c.Measurements = d.Comparisons[0].Measurements
	}
	twin, of := int32(slices.Index(l.Plan.Targets, v1alpha1.ControlName)), int32(slices.Index(l.Plan.Targets, d.Control))
	sides := slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return u.Target != twin && u.Target != of })
	pairs, err := l.pairs(c, sides, names)
	if err != nil {
		return nil, err
	}
	var out []Contrast
	for m := range c.Measurements {
		for _, p := range pairs {
			out = append(out, Contrast{-1, &c.Measurements[m], p.Value, p.Baseline})
		}
	}
	return out, nil
}

// Foresight is what is known of a family before its data. What its blocks detect is not: it depends on how the ratios of blocks
// spread, by which runs differ more than by anything that a spec says.
type Foresight struct {
	// Comparisons of the primary family.
	Comparisons int
	// Blocks of the plan, and the number that the family needs for any verdict.
	Blocks, Needed int
	// Pilot has the blocks after which the run first looks at its precision; 0 for one that wants none.
	Pilot int
}

// power of the stated effect.
const power = 0.8

// Foresee what the blocks of a plan can show.
func Foresee(f Family, l Layout, d Declaration) Foresight {
	out := Foresight{Comparisons: len(f.Primary), Blocks: l.Plan.Blocks()}
	if out.Comparisons > 0 {
		out.Needed, out.Pilot = stats.BlocksNeeded(out.Comparisons, d.stopping(f).ErrorRate), PilotOf(f, d)
	}
	return out
}

// Enough says that the blocks can carry a verdict.
func (f Foresight) Enough() bool { return f.Blocks >= f.Needed }
