package show

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/quoted"
)

// View says which numbers of a run are shown.
type View struct {
	// Name of the measurement; empty for those that the run compares, or its main one and a latency; All for all of them.
	Name string
	// Against is the label of a baseline, such as driver=mysql: quoted numbers have their factor to it.
	Against string
}

// All is the name for every measurement that the status has.
const All = "all"

// has says whether a measurement is shown beside others that a run has something to say of, such as a comparison.
func (v View) has(name string) bool { return v.Name == "" || v.Name == All || v.Name == name }

// names of the measurements that are shown, in the order of the summary.
func (v View) names(run *v1alpha1.BenchmarkRun) []string {
	if v.Name != "" && v.Name != All {
		return []string{v.Name}
	}
	var all, out []string
	for _, e := range run.Status.Summary {
		if !slices.Contains(all, e.Name) {
			all = append(all, e.Name)
		}
	}
	if v.Name == All {
		return all
	}
	for _, name := range all {
		if slices.ContainsFunc(run.Status.Comparisons, func(c v1alpha1.ComparisonEntry) bool {
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

// Measurements of a run: those of one name and place stand together, the measured ones first. There are none when
// nothing of the name was measured or quoted.
func Measurements(run *v1alpha1.BenchmarkRun, view View) (out []output.Measurement) {
	for _, name := range view.names(run) {
		out = append(out, named(run, name, view.Against)...)
	}
	return out
}

// named measurements of a run.
func named(run *v1alpha1.BenchmarkRun, name, against string) []output.Measurement {
	var rows []output.Measurement
	direction := contract.Direction("")
	for _, e := range run.Status.Summary {
		if e.Name != name {
			continue
		}
		direction = contract.Direction(e.Direction)
		where := map[string]string{}
		maps.Copy(where, e.Labels)
		for axis, value := range e.Parameters {
			where[axis] = value.String()
		}
		rows = append(rows, doubted(output.Measurement{
			Name: name, Where: where, Target: e.Target, Unit: e.Unit, Median: e.Median, IntervalLow: e.IntervalLow, IntervalHigh: e.IntervalHigh,
			Min: e.Min, Max: e.Max, Trials: e.TrialCount, PlannedTrials: e.PlannedTrialCount, Caveat: e.Caveat,
		}, e))
	}
	for _, t := range run.Status.Targets {
		factors := factorsOf(t, name, direction, against)
		for _, q := range t.Quoted {
			if q.Name == name && q.Stage == v1alpha1.QuotedRun {
				m := output.Measurement{Name: name, Where: q.Labels, Target: t.Name, Unit: q.Unit, Median: q.Value, Quoted: cmp.Or(t.Source, t.Name)}
				if factor := factors[PlaceOf(q.Labels)]; factor != "" {
					m.Factor = factor + " " + against
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
	slices.SortStableFunc(rows, func(a, b output.Measurement) int { return order[PlaceOf(a.Where)] - order[PlaceOf(b.Where)] })
	return rows
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
		out[PlaceOf(r.Measurement.Labels)] = r.Times(2)
	}
	return out
}

// PlaceOf the experiment: parameters and labels, whichever a source uses; "-" for none.
func PlaceOf(labels map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, contract.Line(name+"="+labels[name]))
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, " ")
}
