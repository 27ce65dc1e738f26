package search

import (
	"cmp"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// Answer of one search.
type Answer struct {
	v1alpha1.SearchEntry
	// at is what was searched; first is its first trial in the plan.
	at    group
	first int32
	// record of a trial that stands for the search: one that held at the highest rate, or the last
	// one; nil for a search without trials.
	record *contract.Record
}

// Answers of all searches of a plan, in the order of the cells, the targets and the blocks. It fails
// for records that are not of this search.
func (s Search) Answers(p *plan.Plan, records []contract.Record) ([]Answer, error) {
	groups, err := byGroup(p, records)
	if err != nil {
		return nil, err
	}
	var out []Answer
	seen := map[group]bool{}
	for _, t := range p.Trials {
		g := groupOf(t)
		if seen[g] {
			continue
		}
		seen[g] = true
		st, err := s.stateOf(groups[g])
		if err != nil {
			return nil, err
		}
		a := Answer{at: g, first: t.Index, record: st.best}
		if n := len(groups[g]); a.record == nil && n > 0 {
			a.record = groups[g][n-1]
		}
		a.SearchEntry = v1alpha1.SearchEntry{
			Block: g.block, Cell: g.cell, Target: p.Targets[g.target], Outcome: st.outcome(),
			Held: int32(st.Held), Failed: int32(st.Failed), TrialCount: int32(st.trials), RepeatedTrialCount: int32(st.repeated),
			Saturated: st.saturated, Reason: contract.Cut(cmp.Or(st.lost, st.why), maxText),
		}
		if parameters := p.Cells[g.cell]; len(parameters) > 0 {
			a.Parameters = parameters
		}
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.at.target, b.at.target), cmp.Compare(a.Block, b.Block))
	})
	return out, nil
}

// outcome of a search.
func (s state) outcome() v1alpha1.SearchOutcome {
	switch {
	case s.lost != "":
		return v1alpha1.SearchUnknown
	case !s.Done:
		return v1alpha1.SearchUnfinished
	case s.Held == 0:
		return v1alpha1.SearchNoneHeld
	case s.Failed == 0:
		return v1alpha1.SearchAllHeld
	}
	return v1alpha1.SearchFound
}

// censored says that an answer is a bound and not a value.
func (a Answer) censored() bool {
	return a.Outcome == v1alpha1.SearchAllHeld || a.Outcome == v1alpha1.SearchNoneHeld
}

// Unit of the rates that all clients achieved together.
func Unit(answers []Answer) string {
	unit := "operations/s"
	for _, a := range answers {
		if a.record == nil {
			continue
		}
		if v, has := (Objective{Name: contract.NameThroughput}).find(a.record.Values); has {
			unit = v.Unit
		}
	}
	return unit
}

// Entries of the answers, without their texts.
func Entries(answers []Answer) []v1alpha1.SearchEntry {
	var out []v1alpha1.SearchEntry
	for _, a := range answers {
		out = append(out, a.SearchEntry)
	}
	return out
}
