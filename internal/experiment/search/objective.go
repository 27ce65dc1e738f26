package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/runners/runner"
)

// Objective bounds one measurement.
type Objective struct {
	// Name and Labels of the measurement.
	Name   string
	Labels map[string]string
	// AtMost is its largest value: in seconds when IsTime, or else in the unit of the measurement.
	AtMost float64
	IsTime bool
	// Text is AtMost as the spec says it.
	Text string
}

// seconds of the units of time that measurements have.
var seconds = map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}

// timesBegin is how the names of latencies begin, which are times for every tool.
const timesBegin = "latency."

// parseObjective of the API. It fails for a bound that cannot be read, and for one without the unit
// that it needs.
func parseObjective(o v1alpha1.SearchObjective) (Objective, error) {
	out := Objective{Name: o.Measurement.Name, Labels: o.Measurement.Labels, Text: o.AtMost}
	number, scale := o.AtMost, 1.0
	for _, unit := range []string{"us", "ms", "s"} { // s last: all of them end with it
		if rest, has := strings.CutSuffix(o.AtMost, unit); has {
			number, scale, out.IsTime = rest, seconds[unit], true
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	digits := strings.Trim(number, "0123456789.") == "" // no sign, exponent or hexadecimal number
	isLatency := strings.HasPrefix(out.Name, timesBegin)
	switch {
	case err != nil || !digits:
		return out, fmt.Errorf("atMost: %q is neither a time, such as 20ms, nor a number", o.AtMost)
	case isLatency && !out.IsTime:
		return out, fmt.Errorf("atMost: %s is a time: give %s a unit, such as %sms", out.Name, o.AtMost, o.AtMost)
	}
	out.AtMost = v * scale
	return out, nil
}

// known fails when the records of the tool cannot have the measurement.
func (o Objective) known(offered runner.Offered, names []string) error {
	if !slices.Contains(names, o.Name) {
		return fmt.Errorf("measurement.name: the records of this tool have no %s: use one of %s", o.Name, strings.Join(names, ", "))
	}
	p, named := o.Labels[contract.LabelPercentile]
	if o.Name == contract.NameLatencyPercentile && named && !slices.Contains(offered.Percentiles, p) {
		return fmt.Errorf("measurement.labels: with this workload the tool computes the percentiles %s, and not %s",
			strings.Join(offered.Percentiles, ", "), p)
	}
	return nil
}

// String names the measurement, such as latency.percentile p=99.
func (o Objective) String() string { return named(o.Name, o.Labels) }

func named(name string, labels map[string]string) string {
	words := []string{name}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, label+"="+labels[label])
	}
	return strings.Join(words, " ")
}

// find the value that the objective is about; false where the record has none. Of several with the
// name and the labels it is the one with the fewest labels, of these the one with p: "95", and of
// these the first by its labels. Latencies from the intended start of an operation go before all
// others: in an open loop, those from the real start leave the wait out.
func (o Objective) find(values []contract.RecordedValue) (contract.RecordedValue, bool) {
	var found []contract.RecordedValue
	for _, v := range values {
		if v.Name == o.Name && contract.Selects(o.Labels, v.Labels) {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return contract.RecordedValue{}, false
	}
	return slices.MinFunc(found, plainer), true
}

// plainer orders values of one name as find says.
func plainer(a, b contract.RecordedValue) int {
	return cmp.Or(contract.PlainerLabels(a.Labels, b.Labels), strings.Compare(named("", a.Labels), named("", b.Labels)))
}

// check a trial: why it fails, empty when it holds. It cannot be judged without a value in a unit that
// fits.
func (o Objective) check(values []contract.RecordedValue) (failed string, err error) {
	v, has := o.find(values)
	if !has {
		return "", fmt.Errorf("a trial has no %s", o)
	}
	scale, isTime := seconds[v.Unit]
	switch {
	case isTime != o.IsTime && isTime:
		return "", fmt.Errorf("%s is a time in %s, and atMost is %s: give it a unit, such as ms", o, v.Unit, o.Text)
	case isTime != o.IsTime:
		return "", fmt.Errorf("%s is no time (its unit is %q), and atMost is %s: leave the unit out", o, v.Unit, o.Text)
	case !isTime:
		scale = 1
	}
	if v.Value*scale <= o.AtMost*(1+1e-12) { // 20ms is 0.02 s, and 20 of ms may be a little more
		return "", nil
	}
	return fmt.Sprintf("%s was %s %s, and at most %s holds", named(v.Name, v.Labels), figure.Number(v.Value), v.Unit, o.Text), nil
}
