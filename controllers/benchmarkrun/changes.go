package benchmarkrun

import (
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// change of the status, which a room returned. It is applied once the actions of its step
// are performed.
type change interface{ isChange() }

// acceptedChange: what the spec means.
type acceptedChange struct{ accept.Result }

// bookChange: how far the records are.
type bookChange struct{ logbook.Book }

// placedChange: the nodes of the run.
type placedChange struct{ accept.Placed }

// targetChange: what is observed of the targets.
type targetChange struct{ target.Result }

// loadedChange: a target holds its data.
type loadedChange struct {
	// result is the ConfigMap of the load.
	result string
	// bytes that the results of the load hold.
	bytes     int64
	restarts  *int32
	described target.Description
	figures   []v1alpha1.Value
	findings  []v1alpha1.Finding
}

// runningChange: an attempt at a trial is under way.
type runningChange struct {
	planned contract.Record
	// what is measured, for people.
	what string
	// trials is the number of those in the plan; least is how long one takes at least.
	trials int
	least  time.Duration
}

// recordedChange: an attempt has ended and is recorded.
type recordedChange struct {
	book   logbook.Book
	record contract.Record
	// nodes of clients that were not known before.
	nodes []v1alpha1.NodeInfo
}

// cleanedChange: the tables of an external target were dropped, or could not be.
type cleanedChange struct {
	target, result string
	end            trial.End
}

// endedChange: the run has ended; failure has no reason when it is complete.
type endedChange struct {
	result  conclude.Result
	failure decision.Failed
	at      time.Time
	// heldUntil is when a run that is retained gives its nodes back; zero for any other.
	heldUntil time.Time
	// gate is the verdict of spec.gate; nil without one.
	gate *conclude.Gated
	// bytes that the results of the trials, their records and the summary hold.
	bytes int64
}

func (acceptedChange) isChange() {}
func (bookChange) isChange()     {}
func (placedChange) isChange()   {}
func (targetChange) isChange()   {}
func (loadedChange) isChange()   {}
func (runningChange) isChange()  {}
func (recordedChange) isChange() {}
func (cleanedChange) isChange()  {}
func (endedChange) isChange()    {}
