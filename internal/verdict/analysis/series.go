package analysis

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxKinds of measurements are compared: as many as one record has values. The labels of a hostile
// tool may differ in every trial.
const maxKinds = 5000

// kind is a measurement without the labels of its combination. Values in different units are of
// different kinds: a price in EUR is no multiple of one in USD.
type kind struct {
	name, unit string
	direction  contract.Direction
	labels     map[string]string
}

// is the same measurement, in another run.
func (k kind) is(o kind) bool {
	return k.name == o.name && k.unit == o.unit && k.direction == o.direction && maps.Equal(k.labels, o.labels)
}

// seriesKey of the values of one unit in one kind of measurement.
type seriesKey struct {
	unit Unit
	kind int32
}

// blockValue is the value of one block.
type blockValue struct {
	block int32
	value float64
}

// series are the values that count, in the order of their blocks.
type series struct {
	blocks int
	kinds  []kind
	values map[seriesKey][]blockValue
	// byName are the kinds of each name, the plainest first.
	byName map[string][]int32
	// left is how many values are of kinds beyond the limit.
	left int
}

// readSeries of the trials that count.
func readSeries(l Layout, records []contract.Record, leftOut rule) *series {
	s := &series{blocks: l.Plan.Blocks(), values: map[seriesKey][]blockValue{}, byName: map[string][]int32{}}
	reader := newKindReader(l, s)
	for _, t := range countedTrials(l, records, leftOut) {
		for _, v := range t.record.Values {
			id, known := reader.read(v)
			if !known {
				continue
			}
			key := seriesKey{Unit{t.Target, t.Cell, id.combination}, id.kind}
			if values := s.values[key]; len(values) == 0 || values[len(values)-1].block != t.Block {
				s.values[key] = append(values, blockValue{t.Block, v.Value})
			}
		}
	}
	for _, values := range s.values {
		slices.SortStableFunc(values, func(a, b blockValue) int { return cmp.Compare(a.block, b.block) })
	}
	for _, ids := range s.byName {
		slices.SortStableFunc(ids, func(a, b int32) int { return plainer(s.kinds[a].labels, s.kinds[b].labels) })
	}
	return s
}

// plainer orders labels: the fewest first, then those with p: "95", then by their text.
func plainer(a, b map[string]string) int {
	const usual = "95"
	if is, also := a[contract.LabelPercentile] == usual, b[contract.LabelPercentile] == usual; len(a) == len(b) && is != also {
		if is {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(without(a), without(b)))
}

// read is what a recorded value belongs to.
type read struct{ combination, kind int32 }

// kindReader tells measurements apart. It remembers the first sets of labels.
type kindReader struct {
	into *series
	// combinations by their labels; names of all their labels.
	combinations map[string]int32
	names        map[string]bool
	kinds        map[string]int32
	seen         map[string]read
}

func newKindReader(l Layout, into *series) *kindReader {
	r := &kindReader{into: into, combinations: map[string]int32{}, names: map[string]bool{}, kinds: map[string]int32{}, seen: map[string]read{}}
	for i, c := range l.combinations() {
		r.combinations[without(c.Labels)] = int32(i)
		for name := range c.Labels {
			r.names[name] = true
		}
	}
	return r
}

// read a value; false for one of no known combination.
func (r *kindReader) read(v contract.RecordedValue) (read, bool) {
	measured := v.Name + "\x00" + v.Unit + "\x00" + string(v.Direction) + "\x00"
	key := measured + without(v.Labels)
	if known, is := r.seen[key]; is {
		return known, known.combination >= 0
	}
	of, rest := map[string]string{}, maps.Clone(v.Labels)
	for name := range r.names {
		if value, has := v.Labels[name]; has {
			of[name] = value
			delete(rest, name)
		}
	}
	out := read{combination: -1}
	if i, is := r.combinations[without(of)]; is {
		kindKey := measured + without(rest)
		id, known := r.kinds[kindKey]
		if !known && len(r.kinds) >= maxKinds {
			r.into.left++
			return read{}, false
		}
		if !known {
			id = int32(len(r.into.kinds))
			r.kinds[kindKey] = id
			r.into.kinds = append(r.into.kinds, kind{v.Name, v.Unit, v.Direction, rest})
			r.into.byName[v.Name] = append(r.into.byName[v.Name], id)
		}
		out = read{i, id}
	}
	if len(r.seen) < maxKinds {
		r.seen[key] = out
	}
	return out, out.combination >= 0
}

// find the kind of a measurement that both units have; false where there is none.
func (s *series) find(c Contrast) (int32, bool) {
	for _, id := range s.byName[c.Measurement.Name] {
		if s.has(c, id) && contract.Selects(c.Measurement.Labels, s.kinds[id].labels) {
			return id, true
		}
	}
	return -1, false
}

// has says whether both units have values of a kind.
func (s *series) has(c Contrast, id int32) bool {
	return s.values[seriesKey{c.Value, id}] != nil && s.values[seriesKey{c.Baseline, id}] != nil
}

// pairs of the blocks with a value on both sides.
func (s *series) pairs(c Contrast, id int32) (subject, baseline []float64) {
	a, b := s.values[seriesKey{c.Value, id}], s.values[seriesKey{c.Baseline, id}]
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.block < y.block:
			a = a[1:]
		case x.block > y.block:
			b = b[1:]
		default:
			subject, baseline = append(subject, x.value), append(baseline, y.value)
			a, b = a[1:], b[1:]
		}
	}
	return subject, baseline
}
