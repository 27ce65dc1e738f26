package summary

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// MaxKinds of measurements of a cell are summarised: as many as one record has values. The labels of a
// hostile tool may differ in every trial.
const MaxKinds = 5000

// valueKey identifies a measurement. Values in different units are not of the same one.
type valueKey struct{ name, unit, direction, labels string }

func keyOf(v contract.RecordedValue) valueKey {
	return valueKey{v.Name, v.Unit, string(v.Direction), LabelText(v.Labels)}
}

// kind is a measurement of a cell, with the number that it has there.
type kind struct {
	id   int32
	like contract.RecordedValue
}

// kindValue is the value of one kind in one trial.
type kindValue struct {
	kind  int32
	value float64
}

// LabelText is the same text for the same labels.
func LabelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	words := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, name+"="+strconv.Quote(labels[name]))
	}
	return strings.Join(words, ",")
}

// readValues sets the values of the trials of a cell, and returns the measurements of each name, the
// ones with the fewest labels first, and how many values are of none of them.
func readValues(byTarget [][]outcome) (known map[string][]kind, left int) {
	known = map[string][]kind{}
	ids := map[valueKey]int32{}
	for _, trials := range byTarget {
		for i := range trials {
			o := &trials[i]
			if o.record == nil {
				continue
			}
			o.values = make([]kindValue, 0, len(o.record.Values))
			for _, v := range o.record.Values {
				key := keyOf(v)
				id, seen := ids[key]
				if !seen && len(ids) >= MaxKinds {
					left++
					continue
				}
				if !seen {
					id = int32(len(ids))
					ids[key] = id
					known[v.Name] = append(known[v.Name], kind{id, v})
				}
				o.values = append(o.values, kindValue{id, v.Value})
			}
			slices.SortStableFunc(o.values, func(a, b kindValue) int { return cmp.Compare(a.kind, b.kind) })
		}
	}
	for _, kinds := range known {
		slices.SortStableFunc(kinds, func(a, b kind) int { return len(a.like.Labels) - len(b.like.Labels) })
	}
	return known, left
}

// valueOf a kind; false for a trial without one.
func (o outcome) valueOf(kind int32) (float64, bool) {
	i, has := slices.BinarySearchFunc(o.values, kind, func(v kindValue, id int32) int { return cmp.Compare(v.kind, id) })
	if !has {
		return 0, false
	}
	return o.values[i].value, true
}
