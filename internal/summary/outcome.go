package summary

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
)

// reasons in the order in which they are listed.
var reasons = []v1alpha1.LeftOutReason{
	v1alpha1.LeftOutFailed, v1alpha1.LeftOutInvalid, v1alpha1.LeftOutDisturbed, v1alpha1.LeftOutBlockDisturbed,
	v1alpha1.LeftOutNoValue, v1alpha1.LeftOutNotRun,
}

// outcome is what became of a planned trial.
type outcome struct {
	// record of its last attempt; nil when there was none.
	record *journal.Record
	// leftOut is why it does not count; empty when it does.
	leftOut v1alpha1.LeftOutReason
	// values of the record; readValues fills them in.
	values map[valueKey]float64
}

// valid says whether the trial has a result that does not contradict itself, disturbed
// or not.
func (o outcome) valid() bool {
	switch o.leftOut {
	case "", v1alpha1.LeftOutDisturbed, v1alpha1.LeftOutBlockDisturbed:
		return true
	}
	return false
}

// pair is what is compared with each other: the trials of a cell in a block, one for each
// target.
type pair struct{ block, cell int32 }

// outcomes of the plan's trials, by cell and target. A disturbance takes the whole pair out:
// else the targets would be compared over different blocks.
func outcomes(in Input) [][][]outcome {
	last := map[int32]*journal.Record{}
	for i := range in.Records {
		last[in.Records[i].Index] = &in.Records[i]
	}
	disturbed := map[pair]int{}
	for _, t := range in.Plan.Trials {
		if rec := last[t.Index]; rec != nil && isDisturbed(rec) {
			disturbed[pair{t.Block, t.Cell}]++
		}
	}
	out := make([][][]outcome, len(in.Plan.Cells))
	for i := range out {
		out[i] = make([][]outcome, len(in.Plan.Targets))
	}
	for _, t := range in.Plan.Trials {
		rec := last[t.Index]
		o := outcome{record: rec, leftOut: whyLeftOut(rec, disturbed[pair{t.Block, t.Cell}] > 0)}
		out[t.Cell][t.Target] = append(out[t.Cell][t.Target], o)
	}
	return out
}

func isDisturbed(rec *journal.Record) bool {
	return rec.State == v1alpha1.TrialSucceeded && rec.Disturbed
}

// whyLeftOut names the first reason that holds; pairDisturbed says whether any trial of its
// pair was.
func whyLeftOut(rec *journal.Record, pairDisturbed bool) v1alpha1.LeftOutReason {
	switch {
	case rec == nil:
		return v1alpha1.LeftOutNotRun
	case rec.State != v1alpha1.TrialSucceeded:
		return v1alpha1.LeftOutFailed
	case rec.Valid == nil || !*rec.Valid:
		return v1alpha1.LeftOutInvalid
	case rec.Disturbed:
		return v1alpha1.LeftOutDisturbed
	case pairDisturbed:
		return v1alpha1.LeftOutBlockDisturbed
	}
	return ""
}
