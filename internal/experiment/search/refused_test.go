package search

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/runners/runner"
)

func TestSearchesThatCannotWork(t *testing.T) {
	objective := func(name, p, most string) func(*v1alpha1.BenchmarkRunSpec) {
		return func(s *v1alpha1.BenchmarkRunSpec) {
			o := &s.Search.Objectives[0]
			o.Measurement.Name, o.AtMost = name, most
			o.Measurement.Labels = map[string]string{"p": p}
		}
	}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.BenchmarkRunSpec)
		want   string
	}{
		"the rate is an axis": {func(s *v1alpha1.BenchmarkRunSpec) {
			s.Matrix = []v1alpha1.Axis{{Name: "rate", Values: []intstr.IntOrString{intstr.FromInt(1)}}}
		}, "spec.matrix: rate is an axis, and spec.search decides it"},
		"low above high":                {func(s *v1alpha1.BenchmarkRunSpec) { s.Search.Low = 1600 }, "spec.search: a search needs 0 < low < high"},
		"no percentage":                 {func(s *v1alpha1.BenchmarkRunSpec) { s.Search.Precision = "5" }, "spec.search.precision"},
		"a precision of nothing":        {func(s *v1alpha1.BenchmarkRunSpec) { s.Search.Precision = "0%" }, "spec.search.precision: 0% is too small"},
		"too many trials":               {func(s *v1alpha1.BenchmarkRunSpec) { s.Search.Trials = 16 }, "spec.search.trials: 16"},
		"too many repeats":              {func(s *v1alpha1.BenchmarkRunSpec) { s.Search.MaxRepeats = new(int32(21)) }, "spec.search.maxRepeats: 21"},
		"errors of more than all":       {func(s *v1alpha1.BenchmarkRunSpec) { s.Search.MaxErrors = "101%" }, "spec.search.maxErrors"},
		"a measurement that it has not": {objective("speed", "99", "20ms"), "spec.search.objectives[0]: measurement.name: the records of this tool have no speed: use one of throughput"},
		"a percentile that it has not":  {objective("latency.percentile", "95", "20ms"), "measurement.labels: with this workload the tool computes the percentiles 99, and not 95"},
		"a latency without a unit":      {objective("latency.avg", "99", "20"), "atMost: latency.avg is a time: give 20 a unit, such as 20ms"},
		"no number":                     {objective("latency.avg", "99", "fastms"), `atMost: "fastms" is neither a time`},
		"hexadecimal":                   {objective("latency.avg", "99", "0x1ms"), `atMost: "0x1ms" is neither a time`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Of(specOf(tt.change), rateOf100, names)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := Of(specOf(nil), runner.Offered{}, names); err == nil || !strings.Contains(err.Error(), "spec.search: sysbench offers no rate") {
		t.Errorf("a tool without a rate: %v", err)
	}
	if _, err := Of(specOf(nil), rateOf100, names[:1]); err == nil {
		t.Error("a tool whose errors nobody counts")
	}
}

// A bound that is read is a number that nobody can misunderstand.
func FuzzObjective(f *testing.F) {
	for _, text := range []string{"20ms", "1.5s", "250us", "7", "1e3", "-1ms", "NaN", "0x1p-2s", "", "ms", "1..2", "20 ms", "999999999999.999999999s"} {
		f.Add("latency.avg", text)
		f.Add("rate.errors", text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		o, err := parseObjective(v1alpha1.SearchObjective{Measurement: v1alpha1.MeasurementRef{Name: name}, AtMost: text})
		if err != nil {
			return
		}
		if !(o.AtMost >= 0) || strings.Trim(text, "0123456789.ums") != "" || strings.HasPrefix(name, "latency.") && !o.IsTime {
			t.Errorf("%s of %q is read as %+v", name, text, o)
		}
	})
}
