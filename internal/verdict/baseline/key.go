package baseline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// Key is the same text for the same measurement of one target in one cell: of all that a baseline and
// a run have, it tells what belongs together.
func Key(k v1alpha1.MeasurementKey) string {
	var key strings.Builder
	fmt.Fprintf(&key, "%q %q %q", k.Target, k.Name, k.Unit)
	for _, values := range []map[string]string{k.Parameters, k.Labels} {
		key.WriteString(" {")
		for _, name := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(&key, "%q:%q,", name, values[name])
		}
		key.WriteString("}")
	}
	return key.String()
}

// KeyOf the values of a run.
func KeyOf(v analysis.BlockValues) v1alpha1.MeasurementKey {
	return v1alpha1.MeasurementKey{Target: v.Target, Parameters: v.Parameters, Name: v.Name, Labels: v.Labels, Unit: v.Unit}
}

// Fits says whether a status can have the measurement: the bounds of the API, in bytes.
func Fits(k v1alpha1.MeasurementKey) bool {
	const (
		maxName                                 = 253
		maxParameters, maxParameter, maxSetting = 9, 63, 512
		maxLabels, maxLabel                     = 33, 1024
	)
	within := func(values map[string]string, most, name, value int) bool {
		for n, v := range values {
			if len(n) > name || len(v) > value {
				return false
			}
		}
		return len(values) <= most
	}
	return k.Target != "" && len(k.Target) <= maxName && k.Name != "" && len(k.Name) <= maxName && len(k.Unit) <= maxName &&
		within(k.Parameters, maxParameters, maxParameter, maxSetting) && within(k.Labels, maxLabels, maxName, maxLabel)
}

// Words of a measurement for people, such as "mysql threads=8 latency.percentile{p=95}".
func Words(k v1alpha1.MeasurementKey) string {
	words := []string{k.Target}
	for _, name := range slices.Sorted(maps.Keys(k.Parameters)) {
		words = append(words, name+"="+k.Parameters[name])
	}
	var labels []string
	for _, name := range slices.Sorted(maps.Keys(k.Labels)) {
		labels = append(labels, name+"="+k.Labels[name])
	}
	text := k.Name
	if len(labels) > 0 {
		text += "{" + strings.Join(labels, ",") + "}"
	}
	return strings.Join(append(words, text), " ")
}
