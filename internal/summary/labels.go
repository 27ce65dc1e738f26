package summary

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

// valueKey tells measurements apart.
type valueKey struct{ name, labels string }

func keyOf(v contract.RecordedValue) valueKey { return valueKey{v.Name, labelText(v.Labels)} }

// labelText is the same text for the same labels.
func labelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	words := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, name+"="+strconv.Quote(labels[name]))
	}
	return strings.Join(words, ",")
}

// readValues fills in the values of the trials of a cell, and returns for each name the
// measurements that there are, one for each set of labels: those without labels first, then
// in the order in which trials have them.
func readValues(byTarget [][]outcome) map[string][]contract.RecordedValue {
	known, seen := map[string][]contract.RecordedValue{}, map[valueKey]bool{}
	for _, trials := range byTarget {
		for i := range trials {
			o := &trials[i]
			if o.record == nil {
				continue
			}
			o.values = make(map[valueKey]float64, len(o.record.Values))
			for _, v := range o.record.Values {
				k := keyOf(v)
				o.values[k] = v.Value
				if !seen[k] {
					seen[k] = true
					known[v.Name] = append(known[v.Name], v)
				}
			}
		}
	}
	for _, vs := range known {
		slices.SortStableFunc(vs, func(a, b contract.RecordedValue) int { return len(a.Labels) - len(b.Labels) })
	}
	return known
}
