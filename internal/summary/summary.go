// Package summary turns the records of a run into what its reader sees: for every cell,
// target and measurement the median over the trials that count, and how many were left
// out for which reason. It is pure.
//
//	summary.go    the entries
//	outcome.go    which trials count, and why the others do not
//	labels.go     measurements of one name, told apart by their labels
//	caveat.go     why a value is not what its name suggests
//	shown.go      the entries that the status has room for
//	headline.go   one line for people
//
// No trial disappears unsaid: N and the trials left out add up to those planned, in every
// entry. Whether a trial counts never depends on the value that it measured.
package summary

import (
	"math"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/stats"
)

// Input is what a summary is made of.
type Input struct {
	// Plan of the run.
	Plan *plan.Plan
	// Names of the measurements in the order in which they are shown, the main one first.
	Names []string
	// Records of all attempts, in the order in which these ended.
	Records []contract.Record
}

// Of is the summary, in the order of the cells, targets, names and labels. An entry is there
// where a valid trial has a value; of the main measurement also where none has, so that
// every cell and target is seen. The main measurement is the first of the names that any
// trial has.
func Of(in Input) []v1alpha1.SummaryEntry {
	cells, main := outcomes(in), mainValue(in)
	var out []v1alpha1.SummaryEntry
	for cell, byTarget := range cells {
		known := readValues(byTarget)
		if main.Name != "" && len(known[main.Name]) == 0 {
			known[main.Name] = []contract.RecordedValue{{Name: main.Name, Unit: main.Unit, Direction: main.Direction}}
		}
		for target, trials := range byTarget {
			for _, name := range in.Names {
				for _, like := range known[name] {
					e, measured := entry(like, trials)
					if !measured && name != main.Name {
						continue // absent, not zero
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
	return out
}

// mainValue is one of the main measurement; empty when no trial has any.
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

// entry summarises the values that are like the given one; measured says whether a valid
// trial has any.
func entry(like contract.RecordedValue, trials []outcome) (e v1alpha1.SummaryEntry, measured bool) {
	e = v1alpha1.SummaryEntry{
		Name: like.Name, Labels: like.Labels, Unit: like.Unit, Direction: string(like.Direction), PlannedTrialCount: int32(len(trials)),
	}
	var counted, withDisturbed []float64
	var behind []outcome
	left := map[v1alpha1.LeftOutReason]int32{}
	key := keyOf(like)
	for _, o := range trials {
		v, has := o.values[key]
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
		e.Median, e.Min, e.Max = decimal(sum.Median), decimal(sum.Min), decimal(sum.Max)
		if i := sum.Interval; i != nil {
			e.IntervalLow, e.IntervalHigh, e.IntervalCoverage = decimal(i.Low), decimal(i.High), decimal(round(i.Coverage))
		}
	}
	if left[v1alpha1.LeftOutDisturbed]+left[v1alpha1.LeftOutBlockDisturbed] > 0 {
		e.WithDisturbed = spread(withDisturbed)
	}
	e.LimitedBy, e.SaturatedTrialCount = limits(behind)
	e.Caveat = caveat(e, behind)
	return e, len(withDisturbed) > 0
}

// spread of the values; nil without any.
func spread(sample []float64) *v1alpha1.Spread {
	sum, err := stats.Summarize(sample)
	if err != nil {
		return nil
	}
	return &v1alpha1.Spread{Median: decimal(sum.Median), Min: decimal(sum.Min), Max: decimal(sum.Max), TrialCount: int32(sum.N)}
}

// limits that the trials ran into, in the order of limitKinds, and how many were saturated.
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
			c.ThrottledShare = decimal(round(sum.Median))
		}
		out = append(out, c)
	}
	return out, saturated
}

var limitKinds = []v1alpha1.LimitKind{v1alpha1.LimitCPU, v1alpha1.LimitMemory, v1alpha1.LimitClient}

// number reads a decimal number; false for what is none, and for what is not finite.
func number(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// decimal is the shortest decimal number that reads back as v.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// round to six digits after the point: shares and probabilities are computed, and their
// last digits say nothing.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }
