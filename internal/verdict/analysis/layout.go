package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// Layout is what an experiment varies.
type Layout struct {
	// Plan of the experiment.
	Plan *plan.Plan
	// Combinations that each trial measures; none for a tool that makes one measurement.
	Combinations []Combination
	// Loads are the axes of which a larger value asks for more work at once.
	Loads []string
}

// Combination is one of several things that a trial measures.
type Combination struct {
	// Labels of its measurements, those of a percentile and the like excepted.
	Labels map[string]string
	// Factors of it, by name.
	Factors map[string]string
	// Axes are the values of the cells that have it; empty for all cells.
	Axes map[string]string
}

// Unit is what a value belongs to: indices of the target, the cell and the combination.
type Unit struct{ Target, Cell, Combination int32 }

// maxUnits of an experiment that are compared: 20,000 trials of one block, or 170 combinations of
// drivers in as many cells and targets as nobody measures.
const maxUnits = 1 << 17

// TooLargeError is the error for an experiment whose units cannot be listed.
type TooLargeError struct {
	// Units are targets times cells times combinations.
	Units int64
}

// Error has the number and the remedy.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("spec.analysis: %d targets x cells x combinations are too many to be compared (at most %d): use fewer, or several runs", e.Units, maxUnits)
}

// combinations of the layout, at least one.
func (l Layout) combinations() []Combination {
	if len(l.Combinations) == 0 {
		return []Combination{{}}
	}
	return l.Combinations
}

// units in the order of the cells, the combinations and the targets.
func (l Layout) units() ([]Unit, error) {
	combinations := l.combinations()
	if n := int64(len(l.Plan.Cells)) * int64(len(combinations)) * int64(len(l.Plan.Targets)); n > maxUnits {
		return nil, &TooLargeError{Units: n}
	}
	var out []Unit
	for cell, parameters := range l.Plan.Cells {
		for i, c := range combinations {
			if !c.in(parameters) {
				continue
			}
			for target := range l.Plan.Targets {
				out = append(out, Unit{int32(target), int32(cell), int32(i)})
			}
		}
	}
	return out, nil
}

func (c Combination) in(cell plan.Cell) bool {
	for axis, value := range c.Axes {
		if v, has := cell[axis]; has && v.String() != value {
			return false
		}
	}
	return true
}

// factors that a comparison may name.
func (l Layout) factors() []string {
	out := append([]string{v1alpha1.FactorTarget}, l.Plan.Axes...)
	return append(out, l.combined()...)
}

// combined are the factors within a trial.
func (l Layout) combined() []string {
	names := map[string]bool{}
	for _, c := range l.Combinations {
		for name := range c.Factors {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// valueOf a factor; false for a combination that does not have it.
func (l Layout) valueOf(factor string, u Unit) (string, bool) {
	if factor == v1alpha1.FactorTarget {
		return l.Plan.Targets[u.Target], true
	}
	if value, is := l.Plan.Cells[u.Cell][factor]; is {
		return value.String(), true
	}
	value, is := l.combinations()[u.Combination].Factors[factor]
	return value, is
}

// values of a factor, each once, in the order of the units.
func (l Layout) values(factor string, units []Unit) []string {
	var out []string
	seen := map[string]bool{}
	for _, u := range units {
		if v, has := l.valueOf(factor, u); has && !seen[v] {
			seen[v], out = true, append(out, v)
		}
	}
	return out
}

// known fails unless the experiment has the factor, and the value if one is given.
func (l Layout) known(factor, value string, units []Unit) error {
	if all := l.factors(); !slices.Contains(all, factor) {
		return fmt.Errorf("%q is no factor of this run: use one of %s", factor, strings.Join(all, ", "))
	}
	if all := l.values(factor, units); value != "" && !slices.Contains(all, value) {
		return fmt.Errorf("%q is no value of %s: use one of %s", value, factor, someOf(all))
	}
	return nil
}

// someOf a list, for a message.
func someOf(all []string) string {
	const most = 16
	if len(all) > most {
		return strings.Join(all[:most], ", ") + ", ..."
	}
	return strings.Join(all, ", ")
}

// grouping tells apart the units that differ in more than one factor.
type grouping struct {
	factor         string
	cells, combine []int32
}

// groupsBy a factor: units of one group differ in nothing else, but for these unlike factors of drivers.
func (l Layout) groupsBy(factor string, unlike map[string]string) grouping {
	g := grouping{factor: factor}
	// A custom tool may have a parameter that is called target. The factor means the targets.
	isAxis := factor != v1alpha1.FactorTarget && slices.Contains(l.Plan.Axes, factor)
	determined := map[string]bool{factor: isAxis}
	if !isAxis && factor != v1alpha1.FactorTarget || len(unlike) > 0 {
		// A driver decides its language, and so the cell.
		for _, c := range l.Combinations {
			for axis := range c.Axes {
				determined[axis] = true
			}
		}
	}
	ids := map[string]int32{}
	for _, cell := range l.Plan.Cells {
		var key strings.Builder
		for _, axis := range l.Plan.Axes {
			if value := cell[axis]; !determined[axis] {
				fmt.Fprintf(&key, "%s\x00%s\x00", axis, value.String())
			}
		}
		g.cells = append(g.cells, idOf(ids, key.String()))
	}
	ids = map[string]int32{}
	differing := append(slices.Collect(maps.Keys(unlike)), factor)
	for _, c := range l.combinations() {
		g.combine = append(g.combine, idOf(ids, without(c.Factors, differing...)))
	}
	return g
}

// group of a unit.
func (g grouping) group(u Unit) Unit {
	out := Unit{u.Target, g.cells[u.Cell], g.combine[u.Combination]}
	if g.factor == v1alpha1.FactorTarget {
		out.Target = -1
	}
	return out
}

// without is the same text for the same values of all names but some.
func without(values map[string]string, names ...string) string {
	var key strings.Builder
	for _, n := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, n) {
			fmt.Fprintf(&key, "%s\x00%s\x00", n, values[n])
		}
	}
	return key.String()
}

func idOf(ids map[string]int32, key string) int32 {
	id, known := ids[key]
	if !known {
		id = int32(len(ids))
		ids[key] = id
	}
	return id
}
