package benchmarkschedule

import (
	"slices"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// clocksDiffer by this at most, where nothing is wrong with them.
const clocksDiffer = 5 * time.Minute

// corrected says whether times count from now on, because those up to a time that has not come yet were accounted for: the clock
// of a manager was ahead. Without this no run would start until then.
func (t *times) corrected() bool { return !t.ahead.IsZero() && t.since.Before(t.ahead) }

// notYet says whether a time that has passed by the clock of some manager has not come yet, by this manager's clock and by the
// API server's.
func notYet(w World, at time.Time) bool {
	return at.After(w.Now.Add(clocksDiffer)) && at.After(stamped(w).Add(clocksDiffer))
}

// stamped is when the status was written last by the clock of the API server. It tells a clock that was ahead then from one that
// is behind now: what follows a time that was accounted for was written after it.
func stamped(w World) time.Time {
	last := w.Schedule.CreationTimestamp.Time
	for _, f := range w.Schedule.ManagedFields {
		if f.Subresource == "status" && f.Time != nil && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	return last
}

// inOrder is a history without runs that end in the future: one that ended while a clock was ahead would be the last run until
// then, whatever the runs after it show. Such runs ended now, in their order.
func inOrder(w World, h contract.History) (contract.History, bool) {
	first := slices.IndexFunc(h.Runs, func(r contract.PastRun) bool { return notYet(w, r.CompletionTime) })
	if first < 0 {
		return h, false
	}
	h.Runs = slices.Clone(h.Runs)
	for i := first; i < len(h.Runs); i++ {
		h.Runs[i].CompletionTime = w.Now.UTC().Truncate(time.Second).Add(-time.Duration(len(h.Runs)-1-i) * time.Second)
	}
	return h, true
}

// endedInTime gives runs whose end is in the future their creation instead, which the API server has stamped.
func endedInTime(w World) {
	for i := range w.Runs {
		if run := &w.Runs[i]; notYet(w, run.Completed) {
			run.Completed = run.Created
		}
	}
}
