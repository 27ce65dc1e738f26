package search

import (
	"cmp"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// Names of the measurements of a reduced experiment.
func Names() []string { return []string{contract.NameHighestRate} }

// placeOf an answer: indices of the cell and the target.
type placeOf struct{ cell, target int32 }

// Reduce is the experiment with one trial for each search, whose only value is the rate that it
// found, of all clients together. The facts and limits of such a trial are those of the last trial
// that held at this rate. Where the answer of any block is only a bound, no block of that place has a
// value: a median or a ratio of the others would leave the best or the worst ones out. A search without
// an answer is a trial that failed; one that did not end is a trial that did not run.
func (s Search) Reduce(p *plan.Plan, answers []Answer) (*plan.Plan, []contract.Record) {
	reduced := *p
	reduced.Trials = nil
	bounded := map[placeOf]bool{}
	for _, a := range answers {
		if a.censored() {
			bounded[placeOf{a.at.cell, a.at.target}] = true
		}
	}
	var records []contract.Record
	for _, a := range slices.SortedFunc(slices.Values(answers), func(a, b Answer) int { return cmp.Compare(a.first, b.first) }) {
		t := plan.Trial{Index: int32(len(reduced.Trials)), Block: a.at.block, Cell: a.at.cell, Target: a.at.target}
		reduced.Trials = append(reduced.Trials, t)
		if rec, has := s.reducedRecord(a, bounded[placeOf{t.Cell, t.Target}]); has {
			rec.Index = t.Index
			records = append(records, rec)
		}
	}
	return &reduced, records
}

// reducedRecord of a search; false for one that did not end.
func (s Search) reducedRecord(a Answer, bounded bool) (contract.Record, bool) {
	if a.record == nil || a.Outcome == v1alpha1.SearchUnfinished {
		return contract.Record{}, false
	}
	rec := *a.record
	unit := "operations/s"
	if v, has := (Objective{Name: contract.NameThroughput}).find(rec.Values); has {
		unit = v.Unit
	}
	rec.Attempt, rec.Final, rec.Saturated, rec.Steadiness, rec.Rate = 0, true, false, "", 0
	rec.Values, rec.Findings, rec.Delivered, rec.Decision, rec.Previous = nil, nil, nil, nil, ""
	if a.Outcome == v1alpha1.SearchUnknown {
		rec.State, rec.Valid, rec.Message = contract.Failed, nil, a.Reason
		return rec, true
	}
	rec.State, rec.Valid, rec.Disturbed, rec.Reason, rec.Message = contract.Succeeded, new(true), false, "", ""
	if !bounded {
		rec.Values = []contract.RecordedValue{{
			Name: contract.NameHighestRate, Unit: unit, Direction: contract.HigherIsBetter, Value: float64(a.Held) * float64(s.Clients),
		}}
	}
	return rec, true
}

// Judged is the plan for a verdict on the trials themselves: each stands for itself, because those of
// one search are at different rates and no pairs, and those that a search did not need are left out.
func Judged(p *plan.Plan, records []contract.Record) *plan.Plan {
	measured := map[int32]bool{}
	for _, rec := range records {
		measured[rec.Index] = true
	}
	out := *p
	out.Trials = nil
	for _, t := range p.Trials {
		if measured[t.Index] {
			t.Block = t.Index
			out.Trials = append(out.Trials, t)
		}
	}
	return &out
}
