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

// news are what a room returned for the status. They are told once the actions of their
// chapter are performed.
type news interface{ isNews() }

// acceptedNews: what the spec means.
type acceptedNews struct{ accept.Result }

// bookNews: how far the records are.
type bookNews struct{ logbook.Book }

// placedNews: the nodes of the run.
type placedNews struct{ accept.Placed }

// targetNews: what is observed of the targets.
type targetNews struct{ target.Result }

// loadedNews: a target holds its data.
type loadedNews struct {
	// result is the ConfigMap of the load.
	result string
	// bytes that the results of the load hold.
	bytes     int64
	restarts  *int32
	described target.Description
	figures   []v1alpha1.Value
	findings  []v1alpha1.Finding
}

// runningNews: an attempt at a trial is under way.
type runningNews struct {
	planned contract.Record
	// what is measured, for people.
	what string
	// trials is the number of those in the plan; least is how long one takes at least.
	trials int
	least  time.Duration
}

// recordedNews: an attempt has ended and is recorded.
type recordedNews struct {
	book   logbook.Book
	record contract.Record
	// nodes of clients that were not known before.
	nodes []v1alpha1.NodeInfo
}

// cleanedNews: the tables of an external target were dropped, or could not be.
type cleanedNews struct {
	target, result string
	end            trial.End
}

// endedNews: the run has ended; failure has no reason when it is complete.
type endedNews struct {
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

func (acceptedNews) isNews() {}
func (bookNews) isNews()     {}
func (placedNews) isNews()   {}
func (targetNews) isNews()   {}
func (loadedNews) isNews()   {}
func (runningNews) isNews()  {}
func (recordedNews) isNews() {}
func (cleanedNews) isNews()  {}
func (endedNews) isNews()    {}
