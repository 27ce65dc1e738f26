package readout

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// View says which numbers of a run are shown.
type View struct {
	// Name of the measurement; empty for those that the run compares, or its main one and a latency; All for all of them.
	Name string
	// Against is the label of a baseline, such as driver=mysql: quoted numbers have their factor to it.
	Against string
	// Bundle is the path of the bundle that the run was read from; empty for a run of a cluster.
	Bundle string
}

// All is the name for every measurement that the status has.
const All = "all"

// has says whether a measurement is shown beside others that a run has something to say of, such as a comparison.
func (v View) has(name string) bool { return v.Name == "" || v.Name == All || v.Name == name }

// names of the measurements that are shown, in the order of the summary.
func (v View) names(in Input) []string {
	if v.Name != "" && v.Name != All {
		return []string{v.Name}
	}
	var all, out []string
	for _, e := range in.Summary {
		if !slices.Contains(all, e.Name) {
			all = append(all, e.Name)
		}
	}
	if v.Name == All {
		return all
	}
	for _, name := range all {
		if slices.ContainsFunc(in.Comparisons, func(c v1alpha1.ComparisonEntry) bool {
			return c.Name == name && c.Family != v1alpha1.FamilyExploratory
		}) {
			out = append(out, name)
		}
	}
	if len(out) > 0 || len(all) == 0 {
		return out
	}
	out = all[:1]
	if i := slices.IndexFunc(all, func(name string) bool { return strings.HasPrefix(name, "latency.percentile") }); i > 0 {
		out = []string{all[0], all[i]}
	}
	return out
}

// measurements of a run: those of one name and place stand together, the measured ones first. There are none when
// nothing of the name was measured or quoted.
func (in Input) measurements() []Measurement {
	out := []Measurement{}
	for _, name := range in.View.names(in) {
		out = append(out, in.named(name)...)
	}
	return out
}

// named measurements of a run.
func (in Input) named(name string) []Measurement {
	var rows []Measurement
	direction := contract.Direction("")
	for _, e := range in.Summary {
		if e.Name != name {
			continue
		}
		direction = contract.Direction(e.Direction)
		rows = append(rows, MeasurementOf(e))
	}
	for _, t := range in.Run.Status.Targets {
		factors := factorsOf(t, name, direction, in.View.Against)
		for _, q := range t.Quoted {
			if q.Name == name && q.Stage == v1alpha1.QuotedRun {
				m := Measurement{Name: name, Where: q.Labels, Target: t.Name, Unit: q.Unit, Median: q.Value, Quoted: cmp.Or(t.Source, t.Name)}
				if factor := factors[PlaceOf(q.Labels)]; factor != "" {
					m.Factor = factor + " " + in.View.Against
				}
				rows = append(rows, m)
			}
		}
	}
	// Places in the order in which they come first.
	order := map[string]int{}
	for _, r := range rows {
		if _, known := order[PlaceOf(r.Where)]; !known {
			order[PlaceOf(r.Where)] = len(order)
		}
	}
	slices.SortStableFunc(rows, func(a, b Measurement) int { return order[PlaceOf(a.Where)] - order[PlaceOf(b.Where)] })
	return rows
}

// MeasurementOf an entry of the summary.
func MeasurementOf(e v1alpha1.SummaryEntry) Measurement {
	where := maps.Collect(maps.All(e.Labels))
	maps.Copy(where, ParametersOf(e.Parameters))
	m := Measurement{
		Name: e.Name, Where: where, Target: e.Target, Unit: e.Unit, Direction: e.Direction, Median: e.Median, IntervalLow: e.IntervalLow, IntervalHigh: e.IntervalHigh, IntervalCoverage: e.IntervalCoverage,
		Min: e.Min, Max: e.Max, Trials: e.TrialCount, PlannedTrials: e.PlannedTrialCount, Caveat: e.Caveat,
		LeftOut: map[string]int32{}, LimitedBy: map[string]int32{}, SaturatedTrials: e.SaturatedTrialCount,
	}
	for _, l := range e.LeftOut {
		m.LeftOut[string(l.Reason)] = l.TrialCount
	}
	for _, l := range e.LimitedBy {
		m.LimitedBy[string(l.By)] = l.TrialCount
	}
	if s := e.Steadiness; s != nil {
		m.NotSteadyTrials, m.UnknownSteadyTrials = s.NotSteady, s.TooShort
	}
	return m
}

// factorsOf the quoted numbers of a target to their baseline, by their places. Their direction is that
// of the measured numbers of the same name.
func factorsOf(t v1alpha1.TargetStatus, name string, direction contract.Direction, against string) map[string]string {
	label, baseline, ok := strings.Cut(against, "=")
	if !ok || direction == "" {
		return nil
	}
	var ms []contract.Measurement
	for _, q := range t.Quoted {
		v, err := strconv.ParseFloat(q.Value, 64)
		if err == nil && q.Name == name && q.Stage == v1alpha1.QuotedRun {
			ms = append(ms, contract.Measurement{Name: q.Name, Labels: q.Labels, Unit: q.Unit, Direction: direction, Value: &v})
		}
	}
	out := map[string]string{}
	for _, r := range quoted.Against(ms, label, baseline) {
		out[PlaceOf(r.Measurement.Labels)] = figure.Factor(r.Speed) + "x"
	}
	return out
}

// PlaceOf the experiment: parameters and labels, whichever a source uses; "-" for none.
func PlaceOf(labels map[string]string) string { return cmp.Or(whereOf(labels), "-") }

// whereOf the experiment, such as "test=oltp_insert threads=2"; empty for everywhere.
func whereOf(labels map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, contract.Line(name+"="+labels[name]))
	}
	return strings.Join(words, " ")
}

// ParametersOf a cell as text.
func ParametersOf(cell map[string]intstr.IntOrString) map[string]string {
	out := map[string]string{}
	for axis, value := range cell {
		out[axis] = value.String()
	}
	return out
}

// Better is which direction is better, for people: "higher" or "lower"; empty where neither is.
func Better(direction string) string {
	return map[contract.Direction]string{contract.HigherIsBetter: "higher", contract.LowerIsBetter: "lower"}[contract.Direction(direction)]
}

// Figures are the median of a measurement for people, and its interval or range, such as "1,130" and "880 to 1,420". A number
// without an interval has the range of its trials, marked "(all)"; a quoted one its source. Absent numbers are empty.
func (m Measurement) Figures() (median, interval string) {
	number, from, to := figure.Measured(m.Median, m.IntervalLow, m.IntervalHigh)
	switch {
	case m.Factor != "":
		return number, m.Factor + ", quoted: " + m.Quoted
	case m.Quoted != "":
		return number, "quoted: " + m.Quoted
	case from != "":
		return number, from + " to " + to
	case m.Min != "":
		number, from, to = figure.Measured(m.Median, m.Min, m.Max)
		return number, from + " to " + to + " (all)"
	}
	return number, ""
}
