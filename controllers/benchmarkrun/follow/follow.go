// Package follow decides what follows a trial in a run whose plan says only what is possible.
//
// In: the declaration of the run, its plan, the record of the trial that has just ended for good, and
// the records before it. Out: the decision that is stored in that record, or none, where the next
// trial of the plan follows. A decision is a function of the spec and of the records: it has no
// clock, and asks the cluster for nothing but the records. It is taken once; from then on the record
// says what follows (journal.Position). It refuses to decide while records cannot be read.
package follow

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// Input is what a decision follows from.
type Input struct {
	// Input of the analysis, without records: the layout of the whole plan, the declaration of the run, and the
	// names of the measurements of the tool.
	analysis.Input
	// Search of the run; nil without one.
	Search *search.Search
	// Record of the trial that has just ended for good.
	Record contract.Record
	// First are the first records of the run. The state is as that of Earlier.
	First func() ([]contract.Record, decision.State)
	// Earlier are the records before it. The state is Done, or says why they cannot be read.
	Earlier func() ([]contract.Record, decision.State)
	// Block are those of its block, and maybe others.
	Block func() ([]contract.Record, decision.State)
}

// Result of the room.
type Result struct {
	// State is Done, or says why nothing can be decided.
	State decision.State
	// Decision for the record; nil where the next trial of the plan follows.
	Decision *contract.Decision
}

// After a trial. The result has no meaning while questions are open.
func After(in Input) Result {
	switch {
	case !in.Record.Final:
		return Result{State: decision.Done{}}
	case in.Search != nil:
		return in.afterProbe()
	case in.Declaration.Stop != nil:
		return in.afterBlock()
	}
	return Result{State: decision.Done{}}
}

// afterBlock analyses the data of a run that may stop early, where its rule says so.
func (in Input) afterBlock() Result {
	done := Result{State: decision.Done{}}
	at, p := int(in.Record.Index), in.Layout.Plan
	if at+1 >= len(p.Trials) || p.Trials[at+1].Block == in.Record.Block {
		return done
	}
	blocks := int(in.Record.Block) + 1
	// An error is one of a spec that another version accepted: this one compares nothing.
	is, err := analysis.IsInterim(in.Input, blocks)
	if err != nil {
		return done
	}
	if !is {
		if over, state := in.timeIsOver(blocks); !over {
			return Result{State: state}
		}
	}
	records, state := in.Earlier()
	if !decision.IsDone(state) {
		return Result{State: state}
	}
	in.Records = slices.Concat(records, []contract.Record{in.Record})
	found, err := analysis.Interim(in.Input, blocks)
	if err != nil {
		return done
	}
	done.Decision = &contract.Decision{Stop: found.Stop != "", Why: readout.InterimText(found), Forecast: found.Forecast}
	return done
}

// timeIsOver says whether the time of the run is over, or may be. All records of a run are many: where time alone decides, the first
// ones tell when it began.
func (in Input) timeIsOver(blocks int) (bool, decision.State) {
	if in.Declaration.Stop.Within == 0 {
		return false, decision.Done{}
	}
	first, state := in.First()
	if !decision.IsDone(state) {
		return false, state
	}
	over, known := in.Declaration.Stop.TimeIsOver(first, in.Record, blocks)
	return over || !known, state
}

// afterProbe says which trial follows in a run that searches, and at which rate.
func (in Input) afterProbe() Result {
	records, state := in.Block()
	if !decision.IsDone(state) {
		return Result{State: state}
	}
	next, err := in.Search.After(in.Layout.Plan, slices.Concat(records, []contract.Record{in.Record}))
	if err != nil {
		// The records are chained by hash: this is no accident.
		return Result{State: decision.FailWith(v1alpha1.ReasonJournalLost, "the records of this run are not those of its search: %v", err)}
	}
	return Result{State: decision.Done{}, Decision: &contract.Decision{Stop: next.Stop, Next: next.Next, Rate: next.Rate, Why: next.Why}}
}
