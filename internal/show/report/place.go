package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
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

// manners are names of dimensions whose values say what they are without it.
var manners = []string{"driver", "language", "scheme", "transaction", "session", "category"}

// dimensionsOf an entry with their values.
func dimensionsOf(e *v1alpha1.SummaryEntry) map[string]string {
	out := maps.Collect(maps.All(e.Labels))
	maps.Copy(out, readout.ParametersOf(e.Parameters))
	out[v1alpha1.FactorTarget] = e.Target
	return out
}

// layOut the entries of a measurement: those in which they differ. What is compared becomes the series, a load
// what goes across, and what is done the panels. What is done goes across where there is no load; where a third of
// such a table would be empty, each entry is a row of its own.
func layOut(entries []*v1alpha1.SummaryEntry, factor string) layout {
	s := spanOf(entries)
	l := layout{}
	if slices.Contains(s.names, factor) && s.have[factor] == len(entries) { // each has a value of it
		l.series = s.take(factor)
	} else {
		l.series = s.take(v1alpha1.FactorTarget)
	}
	if load := s.load(); load != "" {
		l.across, l.numeric = s.take(load), true
	}
	var done []string
	for _, name := range slices.Clone(s.names) {
		if slices.Contains(operations, name) {
			done = append(done, s.take(name)...)
		}
	}
	for _, name := range slices.Clone(s.names) {
		if len(done) > 0 && s.follows(name, done) { // it says more of what is done
			done = append(done, s.take(name)...)
		}
	}
	if !l.numeric {
		l.across, done = done, nil
	}
	l.panel = done
	switch {
	case len(l.series) == 0:
		l.series = s.names
	case l.numeric: // several things at once are compared: each combination is one
		l.series = append(l.series, s.names...)
	default:
		l.across = append(l.across, s.names...)
	}
	if !l.numeric && l.sparse(entries) {
		l.across, l.series = nil, append(l.across, l.series...)
	}
	return l
}

// span is what entries differ in: the values of each dimension that not all of them have alike.
type span struct {
	entries []*v1alpha1.SummaryEntry
	// names of the dimensions, sorted; values that some entry has of each, and how many entries have one.
	names  []string
	values map[string]map[string]bool
	have   map[string]int
}

func spanOf(entries []*v1alpha1.SummaryEntry) *span {
	s := &span{entries: entries, values: map[string]map[string]bool{}, have: map[string]int{}}
	for _, e := range entries {
		for name, v := range dimensionsOf(e) {
			if s.values[name] == nil {
				s.values[name] = map[string]bool{}
			}
			s.values[name][v] = true
			s.have[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		if len(s.values[name]) > 1 || s.have[name] < len(entries) {
			s.names = append(s.names, name)
		}
	}
	return s
}

// take a dimension out of the names; nothing where they do not have it.
func (s *span) take(name string) []string {
	i := slices.Index(s.names, name)
	if i < 0 {
		return nil
	}
	s.names = slices.Delete(s.names, i, i+1)
	return []string{name}
}

// load is the dimension with the most values, all of which are numbers, if it varies in most of what is otherwise
// the same; empty without one.
func (s *span) load() (best string) {
	for _, name := range s.names {
		numbers := true
		for v := range s.values[name] {
			if _, err := strconv.ParseFloat(v, 64); err != nil {
				numbers = false
			}
		}
		if numbers && s.varies(name) && (best == "" || len(s.values[name]) > len(s.values[best])) {
			best = name
		}
	}
	return best
}

// varies says whether most groups of entries that are alike in all else have several values of the dimension.
func (s *span) varies(name string) bool {
	groups := map[string]map[string]bool{}
	for _, e := range s.entries {
		d := dimensionsOf(e)
		v := d[name]
		delete(d, name)
		key := labelKey(d)
		if groups[key] == nil {
			groups[key] = map[string]bool{}
		}
		groups[key][v] = true
	}
	several := 0
	for _, values := range groups {
		if len(values) > 1 {
			several++
		}
	}
	return 2*several > len(groups)
}

// follows says whether the values of other dimensions decide that of the dimension.
func (s *span) follows(name string, others []string) bool {
	of := map[string]string{}
	for _, e := range s.entries {
		d := dimensionsOf(e)
		key := named(others, d, true)
		if v, known := of[key]; known && v != d[name] {
			return false
		}
		of[key] = d[name]
	}
	return true
}

// sparse says whether a third or more of a table with series beside each other would be empty.
func (l layout) sparse(entries []*v1alpha1.SummaryEntry) bool {
	all := l.place(entries)
	across, series := each(all, func(p placed) string { return p.across }), each(all, func(p placed) string { return p.series })
	return len(across) > 1 && 2*len(across)*len(series) >= 3*len(entries)
}

// narrow is the layout of the table of a panel. Where it would have more than maxColumns, or two thirds of it would be empty,
// each entry is a row of its own: a table has as many cells as its rows times its columns, whatever the number of entries.
func (l layout) narrow(all []placed) (layout, []placed) {
	across, series := len(each(all, func(p placed) string { return p.across })), len(each(all, func(p placed) string { return p.series }))
	if len(l.across) == 0 || across <= 6 || series <= maxColumns && across*series <= 3*len(all) {
		return l, all
	}
	l.across, l.series, l.numeric = nil, append(slices.Clone(l.across), l.series...), false
	entries := make([]*v1alpha1.SummaryEntry, 0, len(all))
	for _, p := range all {
		entries = append(entries, p.entry)
	}
	return l, l.place(entries)
}

// place the entries, in their order.
func (l layout) place(entries []*v1alpha1.SummaryEntry) (out []placed) {
	for _, e := range entries {
		d := dimensionsOf(e)
		across := named(l.across, d, len(l.across) > 1)
		if l.numeric {
			across = cmp.Or(d[l.across[0]], "all")
		}
		out = append(out, placed{e, named(l.panel, d, true), across, named(l.series, d, l.across == nil)})
	}
	return out
}

// named are the values of some dimensions, with their names where a value alone says nothing: a number, or one of an axis
// when names are asked for.
func named(names []string, d map[string]string, withNames bool) string {
	var words []string
	for _, name := range names {
		v, has := d[name]
		_, err := strconv.ParseFloat(v, 64)
		speaks := name == v1alpha1.FactorTarget || slices.Contains(operations, name) || slices.Contains(manners, name) && err != nil
		switch {
		case !has || v == "":
		case !speaks && (withNames || err == nil):
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
	// notes say what limits a median, in the words of a legend.
	notes map[*v1alpha1.SummaryEntry]string
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

// doubt the numbers of measurements that stand in one section: it sets their notes, and returns what their words mean.
func doubt(all []*measurement) (legend []string) {
	var numbers []readout.Measurement
	for _, m := range all {
		for _, e := range m.entries {
			numbers = append(numbers, readout.MeasurementOf(*e))
		}
	}
	notes, i := readout.NotesOf(numbers), 0
	for _, m := range all {
		m.notes = map[*v1alpha1.SummaryEntry]string{}
		for _, e := range m.entries {
			m.notes[e] = notes.Of[i]
			i++
		}
	}
	return notes.Legend
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
