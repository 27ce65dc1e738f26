package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// layout says where the numbers of one measurement stand: in panels, in a panel in rows, in a row by series. Each
// is what some of the dimensions of the experiment say: the target, the axes of the matrix, the labels.
type layout struct {
	// panel, across and series are dimensions; across and series may be empty.
	panel, across, series []string
	// numeric: the values across are numbers.
	numeric bool
}

// placed is an entry with where it stands.
type placed struct {
	entry                 *v1alpha1.SummaryEntry
	panel, across, series string
}

// operations are names of dimensions that say what is done: things done are not compared with each other.
var operations = []string{"operation", "test", "workload", "query", "benchmark", "group", "kind"}

// dimensionsOf an entry with their values.
func dimensionsOf(e *v1alpha1.SummaryEntry) map[string]string {
	out := maps.Clone(e.Labels)
	if out == nil {
		out = map[string]string{}
	}
	for axis, v := range e.Parameters {
		out[axis] = v.String()
	}
	out[v1alpha1.FactorTarget] = e.Target
	return out
}

// layOut the entries of a measurement: those in which they differ. What is compared becomes the series, a load
// what goes across, and what is done the panels.
func layOut(entries []*v1alpha1.SummaryEntry, factor string) layout {
	values := map[string]map[string]bool{}
	for _, e := range entries {
		for name, v := range dimensionsOf(e) {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][v] = true
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			names = append(names, name)
		}
	}
	l := layout{}
	take := func(name string) { names = slices.DeleteFunc(names, func(n string) bool { return n == name }) }
	if slices.Contains(names, factor) {
		l.series = []string{factor}
		take(factor)
	} else if slices.Contains(names, v1alpha1.FactorTarget) {
		l.series = []string{v1alpha1.FactorTarget}
		take(v1alpha1.FactorTarget)
	}
	if best := mostNumbers(names, values); best != "" {
		l.across, l.numeric = []string{best}, true
		take(best)
	}
	var done []string
	for _, name := range names {
		if slices.Contains(operations, name) {
			done = append(done, name)
		}
	}
	for _, name := range done {
		take(name)
	}
	if len(l.across) == 0 { // what is done goes across, where there is no load
		l.across, done = done, nil
	}
	l.panel = done
	switch {
	case len(l.series) == 0:
		l.series = names
	case len(l.across) == 0:
		l.across = names
	case len(names) > 0: // several things at once are compared: each combination is one
		l.series = append(l.series, names...)
	}
	return l
}

// mostNumbers is the dimension with the most values, all of which are numbers; at least two.
func mostNumbers(names []string, values map[string]map[string]bool) (best string) {
	for _, name := range names {
		numbers := true
		for v := range values[name] {
			if _, err := strconv.ParseFloat(v, 64); err != nil {
				numbers = false
			}
		}
		if numbers && (best == "" || len(values[name]) > len(values[best])) {
			best = name
		}
	}
	return best
}

// place the entries, in their order.
func (l layout) place(entries []*v1alpha1.SummaryEntry) (out []placed) {
	for _, e := range entries {
		d := dimensionsOf(e)
		series := named(l.series, d, false)
		if _, err := strconv.ParseFloat(series, 64); err == nil && l.series[0] != v1alpha1.FactorTarget {
			series = l.series[0] + " " + series // a number alone says nothing
		}
		out = append(out, placed{e, named(l.panel, d, true), named(l.across, d, len(l.across) > 1), series})
	}
	return out
}

// named are the values of some dimensions, with their names or without.
func named(names []string, d map[string]string, withNames bool) string {
	var words []string
	for _, name := range names {
		switch v, has := d[name]; {
		case !has:
		case withNames && name != v1alpha1.FactorTarget && !slices.Contains(operations, name):
			words = append(words, name+" "+v)
		default:
			words = append(words, v)
		}
	}
	if len(words) == 0 && len(names) > 0 {
		return "all"
	}
	return strings.Join(words, ", ")
}

// panels of placed entries, in the order in which they come first.
func panels(all []placed) (names []string, by map[string][]placed) {
	by = map[string][]placed{}
	for _, p := range all {
		if _, known := by[p.panel]; !known {
			names = append(names, p.panel)
		}
		by[p.panel] = append(by[p.panel], p)
	}
	return names, by
}

// each value once, in the order in which it comes first; numbers in their order.
func each(all []placed, of func(placed) string) (out []string) {
	seen := map[string]bool{}
	for _, p := range all {
		if v := of(p); !seen[v] {
			seen[v], out = true, append(out, v)
		}
	}
	numbers := !slices.ContainsFunc(out, func(v string) bool { _, err := strconv.ParseFloat(v, 64); return err != nil })
	if numbers {
		slices.SortStableFunc(out, func(a, b string) int {
			x, _ := strconv.ParseFloat(a, 64)
			y, _ := strconv.ParseFloat(b, 64)
			return cmp.Compare(x, y)
		})
	}
	return out
}

// grouped are placed entries by what goes across, in the order of its values.
func grouped(all []placed) []placed {
	at := map[string]int{}
	for i, v := range each(all, func(p placed) string { return p.across }) {
		at[v] = i
	}
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b placed) int { return cmp.Compare(at[a.across], at[b.across]) })
	return out
}

// measurement is one of the names of the summary, with the labels that are part of its name.
type measurement struct {
	name, unit, direction string
	entries               []*v1alpha1.SummaryEntry
}

// measurements of the summary, in its order. Percentiles are one each.
func measurements(entries []v1alpha1.SummaryEntry) (out []*measurement) {
	known := map[[2]string]*measurement{}
	for i := range entries {
		e := &entries[i]
		name := e.Name
		if p := e.Labels["p"]; p != "" {
			name += " p" + p
		}
		key := [2]string{name, e.Unit}
		m := known[key]
		if m == nil {
			m = &measurement{name: name, unit: e.Unit, direction: e.Direction}
			known[key], out = m, append(out, m)
		}
		m.entries = append(m.entries, e)
	}
	return out
}

// title of a measurement with its unit.
func (m *measurement) title() string {
	name := strings.ReplaceAll(m.name, "latency.percentile p", "latency p")
	if m.unit == "" || m.unit == "1" {
		return line(name)
	}
	return line(name + ", " + m.unit)
}

// labelKey is the same text for the same labels.
func labelKey(labels map[string]string) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		out.WriteString(strconv.Quote(name) + strconv.Quote(labels[name]))
	}
	return out.String()
}
