// Package family has what the metrics of the manager and of the client pods share. In: texts that
// users wrote, and units of tools. Out: labels of a bounded length, and the base units that Prometheus
// asks for. Refused: nothing; what is too long is cut.
package family

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// Family is a metric with its labels.
type Family struct {
	// Name with its unit.
	Name string
	// Help says what it counts.
	Help string
	// Labels in the order of their values.
	Labels []string
	// Counter says that it only grows while its process lives; otherwise it is a gauge.
	Counter bool
}

// Section is a part of the reference.
type Section struct {
	// Title and Text stand above the table.
	Title, Text string
	// Families are its rows.
	Families []*Family
}

// Labels of measurements, wherever they are measured.
const (
	// LabelMeasurement is the name of a measurement, such as throughput.
	LabelMeasurement = "measurement"
	// LabelOf are the labels of the measurement itself, such as percentile=95.
	LabelOf = "of"
	// LabelUnit is the unit of the value.
	LabelUnit = "unit"
)

// MaxText is the length of a label's value, in bytes. What is longer is cut, with a hash for its end.
const MaxText = 128

// Bounded makes the value of a label of what a tenant wrote.
func Bounded(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= MaxText {
		return s
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(s)) // a hash never fails
	end := fmt.Sprintf("~%08x", sum.Sum32())
	return strings.ToValidUTF8(s[:MaxText-len(end)], "") + end
}

// Pairs writes a map as NAME=VALUE,NAME=VALUE in the order of the names.
func Pairs[V any](m map[string]V, text func(V) string) string {
	parts := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, name+"="+text(m[name]))
	}
	return Bounded(strings.Join(parts, ","))
}

// BaseUnit of a unit and the factor to it. Units that are none of time, size or share stay.
func BaseUnit(unit string) (base string, factor float64) {
	switch unit {
	case "s":
		return "seconds", 1
	case "ms":
		return "seconds", 1e-3
	case "us", "µs":
		return "seconds", 1e-6
	case "ns":
		return "seconds", 1e-9
	case "%":
		return "ratio", 1e-2
	case "B":
		return "bytes", 1
	case "KiB":
		return "bytes", 1 << 10
	case "MiB":
		return "bytes", 1 << 20
	case "GiB":
		return "bytes", 1 << 30
	}
	return unit, 1
}
