package analysis

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// BlockValues are the values of one measurement of one target in one cell.
type BlockValues struct {
	// Target that was measured, and Parameters of the cell by the names of the axes.
	Target     string
	Parameters map[string]string
	// Name, Unit, Direction and Labels of the measurement, all of its labels included.
	Name, Unit string
	Direction  contract.Direction
	Labels     map[string]string
	// Blocks are the values of the trials that count, in the order of their blocks.
	Blocks []float64
}

// Values of a run that count, by measurement.
type Values struct {
	run    Run
	series *series
	units  []Unit
}

// ValuesOf a run, by the rules of its analysis. It fails for an experiment whose units cannot be listed.
func ValuesOf(run Run) (*Values, error) {
	units, err := run.Layout.units()
	if err != nil {
		return nil, err
	}
	units = slices.DeleteFunc(units, func(u Unit) bool { return run.Layout.Plan.Targets[u.Target] == v1alpha1.ControlName })
	return &Values{run: run, series: readSeries(run.Layout, run.Records, summary.LeftOut), units: units}, nil
}

// Primary are the values of the measurements that the run declared for its comparisons, without any
// the usual ones, and besides them of more: of each unit that has them, in the order of the plan. The
// control is left out: it measures the baseline once more.
func (v *Values) Primary(more ...Measurement) []BlockValues {
	var out []BlockValues
	measurements := v.run.measurements()
	for _, m := range more {
		if !slices.ContainsFunc(measurements, func(o Measurement) bool { return o.Name == m.Name && maps.Equal(o.Labels, m.Labels) }) {
			measurements = append(measurements, m)
		}
	}
	for i := range measurements {
		for _, u := range v.units {
			if id, has := v.series.find(Contrast{-1, &measurements[i], u, u}); has {
				out = append(out, v.series.of(v.run.Layout, u, id))
			}
		}
	}
	return out
}

// Named are the values of all measurements with these names, whatever their labels, in the order of the
// plan; the control is left out.
func (v *Values) Named(names []string) []BlockValues {
	var keys []seriesKey
	for key, values := range v.series.values {
		if len(values) > 0 && slices.Contains(names, v.series.kinds[key.kind].name) && v.run.Layout.Plan.Targets[key.unit.Target] != v1alpha1.ControlName {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b seriesKey) int {
		return cmp.Or(cmp.Compare(a.unit.Cell, b.unit.Cell), cmp.Compare(a.unit.Combination, b.unit.Combination), cmp.Compare(a.unit.Target, b.unit.Target), cmp.Compare(a.kind, b.kind))
	})
	out := make([]BlockValues, len(keys))
	for i, key := range keys {
		out[i] = v.series.of(v.run.Layout, key.unit, key.kind)
	}
	return out
}

// of one unit in one kind of measurement.
func (s *series) of(l Layout, u Unit, id int32) BlockValues {
	k := s.kinds[id]
	out := BlockValues{Target: l.Plan.Targets[u.Target], Name: k.name, Unit: k.unit, Direction: k.direction}
	out.Parameters = textsOf(l.Plan.Cells[u.Cell])
	combined := l.combinations()[u.Combination].Labels
	if len(combined)+len(k.labels) > 0 {
		out.Labels = map[string]string{}
		maps.Copy(out.Labels, combined)
		maps.Copy(out.Labels, k.labels)
	}
	for _, b := range s.values[seriesKey{u, id}] {
		out.Blocks = append(out.Blocks, b.value)
	}
	return out
}
