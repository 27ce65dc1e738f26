package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
)

// series are the values of one measurement of a target in a cell, of the trials that count, in the
// order of their ends.
type series struct {
	target     string
	cell       int32
	parameters map[string]contract.Scalar
	name       string
	labels     map[string]string
	unit       string
	direction  contract.Direction
	values     []float64
	// trials are the records of the values.
	trials []contract.Record
}

// seriesOf a run, in the order of the cells, the targets, and the records.
func seriesOf(run *stored.Run) []*series {
	left := leftOut(run)
	byKey := map[string]*series{}
	var out []*series
	for _, rec := range run.Records {
		if leftOutReason(rec, left) != "" {
			continue
		}
		for _, v := range rec.Values {
			// Trials of a search are at several rates, and so no trials of one thing.
			key := fmt.Sprintf("%d\x00%d\x00%s\x00%s\x00%s", rec.Rate, rec.Cell, rec.Target, labelled(v.Name, v.Labels), v.Unit)
			s := byKey[key]
			if s == nil {
				s = &series{target: rec.Target, cell: rec.Cell, parameters: rec.Parameters, name: v.Name, labels: v.Labels, unit: v.Unit, direction: v.Direction}
				byKey[key], out = s, append(out, s)
			}
			s.values, s.trials = append(s.values, v.Value), append(s.trials, rec)
		}
	}
	order := map[string]int{}
	for i, t := range run.Object.Spec.Targets {
		order[t.Name] = i
	}
	slices.SortStableFunc(out, func(a, b *series) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(order[a.target], order[b.target]))
	})
	return out
}

// measurement is the name with the labels, such as latency.percentile{p=95}.
func (s *series) measurement() string { return labelled(s.name, s.labels) }

func labelled(name string, labels map[string]string) string {
	if len(labels) == 0 {
		return name
	}
	return name + "{" + pairs(labels, ",") + "}"
}

// pairs such as a=1,b=2, sorted.
func pairs[V any](values map[string]V, separator string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		words = append(words, fmt.Sprintf("%s=%v", name, values[name]))
	}
	return strings.Join(words, separator)
}

// toolOf a run: the name of its workload's tool.
func toolOf(run *stored.Run) string {
	if name, _, err := run.Object.Spec.Workload.Tool(); err == nil {
		return name
	}
	return "workload"
}

// perSecond says how many of a unit of time are a second.
var perSecond = map[string]float64{"s": 1, "ms": 1e3, "us": 1e6, "µs": 1e6, "ns": 1e9}
