package export

import (
	"encoding/json"
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
	order := targetsOf(run)
	slices.SortStableFunc(out, func(a, b *series) int {
		if a.cell != b.cell {
			return int(a.cell) - int(b.cell)
		}
		return order[a.target] - order[b.target]
	})
	return out
}

// targetsOf a run by their place in the spec.
func targetsOf(run *stored.Run) map[string]int {
	out := map[string]int{}
	for i, t := range run.Object.Spec.Targets {
		out[t.Name] = i
	}
	return out
}

// measurement is the name with the labels, such as latency.percentile{p=95}.
func (s *series) measurement() string { return labelled(s.name, s.labels) }

func labelled(name string, labels map[string]string) string {
	if len(labels) == 0 {
		return name
	}
	var words []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, key+"="+labels[key])
	}
	return name + "{" + strings.Join(words, ",") + "}"
}

func cellText[V fmt.Stringer](parameters map[string]V) string {
	var words []string
	for _, axis := range slices.Sorted(maps.Keys(parameters)) {
		words = append(words, axis+"="+parameters[axis].String())
	}
	return strings.Join(words, " ")
}

// toolOf a run: the name of its workload's tool.
func toolOf(run *stored.Run) string {
	data, err := json.Marshal(run.Object.Spec.Workload)
	var fields map[string]json.RawMessage
	if err != nil || json.Unmarshal(data, &fields) != nil || len(fields) == 0 {
		return "workload"
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if strings.HasPrefix(string(fields[name]), "{") {
			return name // a run has one
		}
	}
	return "workload"
}

// perSecond says how many of a unit of time are a second.
var perSecond = map[string]float64{"s": 1, "ms": 1e3, "us": 1e6, "µs": 1e6, "ns": 1e9}

// inSeconds are the values of a series in seconds; ok is false for what is no time.
func (s *series) inSeconds() (values []float64, ok bool) {
	per, ok := perSecond[s.unit]
	if !ok {
		return nil, false
	}
	for _, v := range s.values {
		values = append(values, v/per)
	}
	return values, true
}
