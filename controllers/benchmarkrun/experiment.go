package benchmarkrun

import (
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/follow"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// addExperiment adds what the run compares to the input of its end. A spec that this version cannot
// read compares nothing: it was accepted by another one.
func (v view) addExperiment(in *conclude.Input) {
	if in.Plan == nil {
		return
	}
	l, d, err := v.accepted.Work.Experiment(in.Plan)
	if err != nil {
		return
	}
	in.Layout, in.Declaration, in.Limit = l, d, int(v.Catalogue.Config.Limits.Comparisons)
}

// follow says what follows a trial that has just ended. The result has no meaning while questions
// are open.
func (v view) follow(rec contract.Record) follow.Result {
	if v.endsAt(rec) {
		return follow.Result{State: decision.Done{}}
	}
	l, d, err := v.accepted.Work.Experiment(v.accepted.Planned.Plan)
	if err != nil {
		return follow.Result{State: decision.Done{}}
	}
	return follow.After(follow.Input{
		Layout: l, Declaration: d, Names: v.accepted.Work.Compared(), Search: v.accepted.Work.Search, Record: rec,
		Earlier: func() ([]contract.Record, decision.State) { return logbook.All(v.Run, v.book, v.ask) },
		Block:   func() ([]contract.Record, decision.State) { return logbook.OfBlock(v.Run, v.book, rec.Block, v.ask) },
	})
}
