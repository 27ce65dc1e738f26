package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// valueKey tells measurements apart.
type valueKey struct{ name, labels string }

func keyOf(v v1alpha1.Value) valueKey { return valueKey{v.Name, labelText(v.Labels)} }

// labelText is the same text for the same labels.
func labelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	words := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, fmt.Sprintf("%s=%q", name, labels[name]))
	}
	return strings.Join(words, ",")
}

// valuesOf a trial. What is no number was written by another version.
func valuesOf(vs []v1alpha1.Value) map[valueKey]float64 {
	out := make(map[valueKey]float64, len(vs))
	for _, v := range vs {
		f, ok := number(v.Value)
		if _, twice := out[keyOf(v)]; ok && !twice {
			out[keyOf(v)] = f
		}
	}
	return out
}

// labelsOf are, for each name, the measurements of a cell, one for each set of labels: those
// without labels first, then in the order in which trials have them.
func labelsOf(byTarget [][]outcome) map[string][]v1alpha1.Value {
	out, seen := map[string][]v1alpha1.Value{}, map[valueKey]bool{}
	for _, trials := range byTarget {
		for _, o := range trials {
			if o.record == nil {
				continue
			}
			for _, v := range o.record.Values {
				if k := keyOf(v); !seen[k] {
					seen[k] = true
					out[v.Name] = append(out[v.Name], v)
				}
			}
		}
	}
	for _, vs := range out {
		sortedByLabels(vs)
	}
	return out
}
