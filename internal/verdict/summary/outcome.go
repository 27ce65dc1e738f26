package summary

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// reasons in the order of the list.
var reasons = []v1alpha1.LeftOutReason{
	v1alpha1.LeftOutFailed, v1alpha1.LeftOutInvalid, v1alpha1.LeftOutDisturbed, v1alpha1.LeftOutBlockDisturbed,
	v1alpha1.LeftOutNoValue, v1alpha1.LeftOutNotRun,
}

// outcome is the outcome of a planned trial.
type outcome struct {
	// record of its last attempt; nil without an attempt.
	record *contract.Record
	// leftOut is why the trial does not count; empty when it does.
	leftOut v1alpha1.LeftOutReason
	// values of the record, in the order of their kinds; readValues fills them in.
	values []kindValue
}

// valid reports whether the trial has a valid result, disturbed or not.
func (o outcome) valid() bool {
	switch o.leftOut {
	case "", v1alpha1.LeftOutDisturbed, v1alpha1.LeftOutBlockDisturbed:
		return true
	}
	return false
}

// pair has the trials that are compared with each other: those of a cell in a block, one for
// each target.
type pair struct{ block, cell int32 }

// LeftOut is why each trial is excluded from the medians, in the order of the plan; empty for
// a counted trial. The last record of a trial decides. NoValue is not among the reasons,
// because it depends on the measurement. A disturbance excludes the whole pair, so all targets
// are compared over the same blocks.
func LeftOut(p *plan.Plan, records []contract.Record) []v1alpha1.LeftOutReason {
	return reasonsOf(p, records, nil)
}

// reasonsOf is LeftOut, without what was disturbed by lasting checks alone.
func reasonsOf(p *plan.Plan, records []contract.Record, lasting []string) []v1alpha1.LeftOutReason {
	last := LastRecords(records)
	disturbed := map[pair]bool{}
	for _, t := range p.Trials {
		if rec := last[t.Index]; rec != nil && isDisturbed(rec, lasting) {
			disturbed[pair{t.Block, t.Cell}] = true
		}
	}
	out := make([]v1alpha1.LeftOutReason, 0, len(p.Trials))
	for _, t := range p.Trials {
		out = append(out, whyLeftOut(last[t.Index], disturbed[pair{t.Block, t.Cell}], lasting))
	}
	return out
}

// LastRecords are those of the last attempts, by the index of the trial.
func LastRecords(records []contract.Record) map[int32]*contract.Record {
	last := map[int32]*contract.Record{}
	for i := range records {
		last[records[i].Index] = &records[i]
	}
	return last
}

// outcomes of the plan's trials, by cell and target.
func outcomes(in Input) [][][]outcome {
	last, leftOut := LastRecords(in.Records), LeftOutShown(in.Plan, in.Records)
	out := make([][][]outcome, len(in.Plan.Cells))
	for i := range out {
		out[i] = make([][]outcome, len(in.Plan.Targets))
	}
	for i, t := range in.Plan.Trials {
		out[t.Cell][t.Target] = append(out[t.Cell][t.Target], outcome{record: last[t.Index], leftOut: leftOut[i]})
	}
	return out
}

func isDisturbed(rec *contract.Record, lasting []string) bool {
	return rec.State == contract.Succeeded && rec.Disturbed && !isShown(rec, lasting)
}

// whyLeftOut is the first reason that applies; pairDisturbed: a trial of the pair was
// disturbed.
func whyLeftOut(rec *contract.Record, pairDisturbed bool, lasting []string) v1alpha1.LeftOutReason {
	switch {
	case rec == nil:
		return v1alpha1.LeftOutNotRun
	case rec.State != contract.Succeeded:
		return v1alpha1.LeftOutFailed
	case rec.Valid == nil || !*rec.Valid:
		return v1alpha1.LeftOutInvalid
	case isDisturbed(rec, lasting):
		return v1alpha1.LeftOutDisturbed
	case pairDisturbed:
		return v1alpha1.LeftOutBlockDisturbed
	}
	return ""
}
