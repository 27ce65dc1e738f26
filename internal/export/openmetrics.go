package export

import (
	"io"
	"maps"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/stored"
)

// suffixes of names by units that Prometheus has a word for, with what one of them is in that unit.
var suffixes = map[string]struct {
	word   string
	factor float64
}{
	"s": {"seconds", 1}, "ms": {"seconds", 1e-3}, "us": {"seconds", 1e-6}, "µs": {"seconds", 1e-6}, "ns": {"seconds", 1e-9},
	"1": {"", 1}, "%": {"ratio", 1e-2}, "B": {"bytes", 1}, "KiB": {"bytes", 1 << 10}, "MiB": {"bytes", 1 << 20},
}

// writeOpenMetrics writes the medians, with the end of the run as their time: what a history of several
// runs is made of (promtool tsdb create-blocks-from openmetrics). The label "statistic" is median, min,
// max, interval_low or interval_high.
func writeOpenMetrics(out io.Writer, run *stored.Run) error {
	families := map[string]*dto.MetricFamily{soundName: soundness(run)}
	for _, e := range run.Summary.Entries {
		name, factor := familyOf(e)
		f := families[name]
		if f == nil {
			help := "The measurement " + labelled(e.Name, nil) + " of a run of Assay, over its trials that count, by target and cell. The interval is that of the median by order statistics, with a confidence of at least 95 %."
			f = &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_GAUGE.Enum()}
			families[name] = f
		}
		for _, s := range []struct{ statistic, text string }{
			{"median", e.Median}, {"min", e.Min}, {"max", e.Max}, {"interval_low", e.IntervalLow}, {"interval_high", e.IntervalHigh},
		} {
			if v, ok := number(s.text); ok {
				f.Metric = append(f.Metric, sample(run, e, s.statistic, v*factor))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		if len(families[name].Metric) == 0 {
			continue
		}
		if _, err := expfmt.MetricFamilyToOpenMetrics(out, families[name]); err != nil {
			return err
		}
	}
	_, err := expfmt.FinalizeOpenMetrics(out)
	return err
}

const (
	// soundName is the family that says whether a run as a whole is sound. What is doubtful of one median is in no sample.
	soundName = "assay_run_sound"
	soundHelp = "1 for a run that has ended, has not failed and is valid: trials count, and no result contradicts itself; 0 for any other. It says nothing of limits of clients, rates that were not achieved, steadiness, or the gate."
)

// soundness of a run: 1, or 0 for one that has caveats.
func soundness(run *stored.Run) *dto.MetricFamily {
	name, help, value := soundName, soundHelp, 1.0
	if len(Caveats(run)) > 0 {
		value = 0
	}
	ms := endOf(run).UnixMilli()
	label := func(name, value string) *dto.LabelPair {
		value = strings.ToValidUTF8(value, "\uFFFD")
		return &dto.LabelPair{Name: &name, Value: &value}
	}
	return &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_GAUGE.Enum(), Metric: []*dto.Metric{{
		Label: []*dto.LabelPair{label("namespace", run.Object.Namespace), label("run", run.Object.Name)}, Gauge: &dto.Gauge{Value: &value}, TimestampMs: &ms,
	}}}
}

// familyOf an entry, such as assay_result_latency_avg_seconds, and what its values are multiplied with.
func familyOf(e v1alpha1.SummaryEntry) (name string, factor float64) {
	unit, known := suffixes[e.Unit]
	if !known {
		unit.word, unit.factor = strings.ReplaceAll(e.Unit, "/", "_per_"), 1
		if rate, is := strings.CutSuffix(e.Unit, "/s"); is {
			unit.word = rate + "_per_second"
		}
	}
	words := strings.FieldsFunc("assay_result_"+strings.ToLower(word(e.Name+"_"+unit.word, "", '_')), func(r rune) bool { return r == '_' })
	return strings.Join(words, "_"), unit.factor
}

// sample of an entry. Axes have the prefix param_ and labels of the measurement label_, so that they
// cannot be taken for others.
func sample(run *stored.Run, e v1alpha1.SummaryEntry, statistic string, value float64) *dto.Metric {
	labels := map[string]string{
		"namespace": run.Object.Namespace, "run": run.Object.Name, "target": e.Target, "statistic": statistic, "direction": e.Direction, "measurement": e.Name,
	}
	put := func(name, value string) {
		for name = word(name, "_", '_'); labels[name] != ""; name += "_" { // two names that differ in a hyphen alone
		}
		labels[name] = value
	}
	for _, axis := range slices.Sorted(maps.Keys(e.Parameters)) {
		v := e.Parameters[axis]
		put("param_"+axis, v.String())
	}
	for _, name := range slices.Sorted(maps.Keys(e.Labels)) {
		put("label_"+name, e.Labels[name])
	}
	ms := endOf(run).UnixMilli()
	m := &dto.Metric{Gauge: &dto.Gauge{Value: &value}, TimestampMs: &ms}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if v := strings.ToValidUTF8(labels[name], "\uFFFD"); v != "" {
			m.Label = append(m.Label, &dto.LabelPair{Name: &name, Value: &v})
		}
	}
	return m
}
