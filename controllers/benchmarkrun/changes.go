package benchmarkrun

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/internal/verdict/gate"
)

// change of the status, which a step returned. It is applied once the actions of the step
// are performed.
type change func(statusWriter)

// showsBook: how far the records are.
func showsBook(book logbook.Book) change {
	return func(t statusWriter) { showBook(&t.run.Status, book) }
}

// places the run on its nodes.
func places(n accept.Placed) change {
	return func(t statusWriter) {
		st := &t.run.Status
		if n.Placement != nil {
			showBehind(st)
		}
		switch {
		case n.Placement == nil:
		case st.StartTime == nil:
			st.Placement, st.StartTime = n.Placement, &metav1.Time{Time: t.now}
			// Time spent suspended in the queue is no time of the run.
			st.SuspendedDuration = nil
		default:
			// It gave its nodes back meanwhile. The wait for others does not count either.
			st.Placement, st.SuspendedDuration = n.Placement, withoutNodes(*st, t.now)
		}
	}
}

// observes the targets.
func observes(res target.Result) change {
	return func(t statusWriter) {
		for _, one := range res.Targets {
			*targetStatus(&t.run.Status, one.Name) = one.Observed
			addNodes(&t.run.Status, one.Nodes)
		}
	}
}

// loadedChange: a target holds its data.
type loadedChange struct {
	described target.Description
	// bytes that the results of the load hold.
	bytes int64
	// findings about the load.
	findings []v1alpha1.Finding
}

func (n loadedChange) apply(t statusWriter) {
	st := &t.run.Status
	one := targetStatus(st, n.described.Status.Name)
	*one = n.described.Status
	if one.NodeName != "" {
		addNodes(st, []v1alpha1.NodeInfo{{Name: one.NodeName, CPUModel: n.described.CPUModel}})
	}
	resultsStatus(st).HeldBytes += n.bytes
	st.Findings = withFindings(st.Findings, n.described.Findings...)
	st.Findings = withFindings(st.Findings, n.findings...)
	for _, f := range n.findings {
		if f.IsInvalid() {
			one.InvalidatedBy = append(one.InvalidatedBy, f)
		}
	}
	st.Findings = withFindings(st.Findings, target.CompareDurability(t.run, st.Targets)...)
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

// recordsAttempt that has ended. Nodes are those of clients that were not known before.
func recordsAttempt(book logbook.Book, rec contract.Record, nodes []v1alpha1.NodeInfo) change {
	return func(t statusWriter) {
		addNodes(&t.run.Status, nodes)
		showRecord(&t.run.Status, rec)
		showBook(&t.run.Status, book)
	}
}

// cleans: the tables of an external target were dropped, or could not be.
func cleans(target, result string, end trial.End) change {
	return func(t statusWriter) {
		st := &t.run.Status
		targetStatus(st, target).CleanupResult = result
		resultsStatus(st).HeldBytes += end.Bytes
		st.Findings = withFindings(st.Findings, trial.Findings(target, end.Lost)...)
		if end.Reason != "" {
			st.Findings = withFindings(st.Findings, v1alpha1.Finding{
				Target: target, Check: "cleanup", Severity: string(validity.Warning),
				Message: "the workload's tables could not be dropped (" + end.Reason + "): " + end.Message,
			})
		}
	}
}

// endedChange: the run has ended; failure has no reason when it is complete.
type endedChange struct {
	result  conclude.Result
	failure decision.Failed
	// heldUntil is when a run that is retained gives its nodes back; zero for any other.
	heldUntil time.Time
	// gate is the verdict of spec.gate; nil without one.
	gate *gate.Verdict
	// bytes that the results of the trials, their records and the summary hold.
	bytes int64
}
