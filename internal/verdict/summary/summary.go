// Package summary summarises a run. In: its plan and records. Out: for every cell, target and
// measurement the median over the counted trials, and the number of excluded trials by reason.
// It is pure.
//
//	summary.go    the entries
//	outcome.go    which trials count, and why the others do not
//	lasting.go    interference that lasts for most of a run
//	labels.go     measurements of one name, told apart by their labels
//	steady.go     whether the throughput was constant
//	caveat.go     why a value is not what its name suggests
//	shown.go      the entries that the status has room for
//	headline.go   one line for people
//
// In every entry, the counted and the excluded trials add up to the planned trials. Whether a
// trial counts never depends on its measured value.
package summary

import (
	"math"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// Input is the input of a summary.
type Input struct {
	// Plan of the run.
	Plan *plan.Plan
	// Names of the measurements in display order, the main measurement first.
	Names []string
	// Records of all attempts, in the order of their ends.
	Records []contract.Record
}

// MaxEntries of a summary, beside one of the main measurement for each cell and target: the largest
// published sweep has 12,000. They are all in memory at the end of a run.
const MaxEntries = 40000

// Of is the summary, in the order of the cells, targets, names and labels. A measurement has
// an entry where a valid trial has a value. The main measurement has one for every cell and
// target. The main measurement is the first of the names with a value in any trial. Left is how many
// values and entries are left out, because there are too many: the records have them.
func Of(in Input) (out []v1alpha1.SummaryEntry, left int) {
	cells, main := outcomes(in), mainValue(in)
	for cell, byTarget := range cells {
		known, more := readValues(byTarget)
		left += more
		if main.Name != "" && len(known[main.Name]) == 0 {
			known[main.Name] = []kind{{-1, contract.RecordedValue{Name: main.Name, Unit: main.Unit, Direction: main.Direction}}}
		}
		for target, trials := range byTarget {
			for _, name := range in.Names {
				for i, k := range known[name] {
					e, measured := entry(k, trials, name == main.Name && len(k.like.Labels) == 0)
					switch {
					case name == main.Name && i == 0: // always there
					case !measured && name != main.Name:
						continue // absent, not zero
					case len(out) >= MaxEntries:
						left++
						continue
					}
					e.Cell, e.Target = int32(cell), in.Plan.Targets[target]
					if parameters := in.Plan.Cells[cell]; len(parameters) > 0 {
						e.Parameters = parameters
					}
					out = append(out, e)
				}
			}
		}
		cells[cell] = nil // a long run has millions of values
	}
	return out, left
}

// mainValue is a value of the main measurement; empty when no trial has one.
func mainValue(in Input) contract.RecordedValue {
	for _, name := range in.Names {
		for _, rec := range in.Records {
			for _, v := range rec.Values {
				if v.Name == name {
					return v
				}
			}
		}
	}
	return contract.RecordedValue{}
}

// entry summarises the values of a kind; measured: a valid trial has one. That of the main
// measurement, of all operations together, has the steadiness of its trials.
func entry(k kind, trials []outcome, main bool) (e v1alpha1.SummaryEntry, measured bool) {
	like := k.like
	e = v1alpha1.SummaryEntry{
		Name: like.Name, Labels: like.Labels, Unit: like.Unit, Direction: string(like.Direction), PlannedTrialCount: int32(len(trials)),
	}
	var counted, withDisturbed []float64
	var behind []outcome
	left := map[v1alpha1.LeftOutReason]int32{}
	for _, o := range trials {
		v, has := o.valueOf(k.id)
		if has && o.valid() {
			withDisturbed = append(withDisturbed, v)
		}
		switch {
		case o.leftOut != "":
			left[o.leftOut]++
		case !has:
			left[v1alpha1.LeftOutNoValue]++
		default:
			counted, behind = append(counted, v), append(behind, o)
		}
	}
	e.TrialCount = int32(len(counted))
	for _, reason := range reasons {
		if n := left[reason]; n > 0 {
			e.LeftOut = append(e.LeftOut, v1alpha1.LeftOut{Reason: reason, TrialCount: n})
		}
	}
	if sum, err := stats.EstimateMedian(counted); err == nil {
		e.Median, e.Min, e.Max = v1alpha1.Decimal(sum.Median), v1alpha1.Decimal(sum.Min), v1alpha1.Decimal(sum.Max)
		if i := sum.Interval; i != nil {
			e.IntervalLow, e.IntervalHigh, e.IntervalCoverage = v1alpha1.Decimal(i.Low), v1alpha1.Decimal(i.High), v1alpha1.Decimal(round(i.Coverage))
		}
	}
	if left[v1alpha1.LeftOutDisturbed]+left[v1alpha1.LeftOutBlockDisturbed] > 0 {
		e.WithDisturbed = spread(withDisturbed)
	}
	e.LimitedBy, e.SaturatedTrialCount = limits(behind)
	if main {
		e.Steadiness = steadiness(behind)
	}
	e.Caveat = caveat(e, behind)
	return e, len(withDisturbed) > 0
}

// spread of the values; nil without any.
func spread(sample []float64) *v1alpha1.Spread {
	sum, err := stats.Summarize(sample)
	if err != nil {
		return nil
	}
	return &v1alpha1.Spread{Median: v1alpha1.Decimal(sum.Median), Min: v1alpha1.Decimal(sum.Min), Max: v1alpha1.Decimal(sum.Max), TrialCount: int32(sum.N)}
}

// limits that the trials reached, in the order of limitKinds, and the number of saturated
// trials.
func limits(trials []outcome) (out []v1alpha1.LimitCount, saturated int32) {
	counts, shares := map[v1alpha1.LimitKind]int32{}, map[v1alpha1.LimitKind][]float64{}
	for _, o := range trials {
		if o.record.Saturated {
			saturated++
		}
		for _, l := range o.record.LimitedBy {
			kind := v1alpha1.LimitKind(l.By)
			counts[kind]++
			if l.ThrottledShare != nil {
				shares[kind] = append(shares[kind], *l.ThrottledShare)
			}
		}
	}
	for _, kind := range limitKinds {
		if counts[kind] == 0 {
			continue
		}
		c := v1alpha1.LimitCount{By: kind, TrialCount: counts[kind]}
		if sum, err := stats.Summarize(shares[kind]); err == nil {
			c.ThrottledShare = v1alpha1.Decimal(round(sum.Median))
		}
		out = append(out, c)
	}
	return out, saturated
}

var limitKinds = []v1alpha1.LimitKind{v1alpha1.LimitCPU, v1alpha1.LimitMemory, v1alpha1.LimitClient}

// round to six decimals: the last digits of computed shares and probabilities are not
// meaningful.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }
