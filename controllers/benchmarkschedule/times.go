package benchmarkschedule

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/calendar"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// times of a schedule in one pass.
type times struct {
	calendar calendar.Delayed
	// since is the time up to which all times are accounted for.
	since time.Time
	// ahead is what the status says for since where that has not come yet; zero where it has.
	ahead time.Time
	// hash of the schedule that since is about.
	hash string
	// until is the last time before due, to which all times have a run or were missed; zero for none.
	until time.Time
	// due is the time that a run is to start for; zero for none.
	due time.Time
	// missed are times that no run will start for.
	missed missed
}

// missed times of a schedule.
type missed struct {
	count int
	// more than were counted.
	more bool
	// last of them, and why.
	last time.Time
	why  string
}

// timesOf the schedule. A schedule whose times cannot be read is an error.
func timesOf(w World) (times, error) {
	spec, st := w.Schedule.Spec, w.Schedule.Status
	c, err := calendar.Parse(spec.Schedule, spec.TimeZone)
	if err != nil {
		return times{}, err
	}
	t := times{
		calendar: calendar.Delayed{Calendar: c, By: spec.Jitter.Duration, Name: string(w.Schedule.UID)},
		since:    w.Schedule.CreationTimestamp.Time,
		hash:     contract.Digest([]byte(spec.TimeZone + "\n" + spec.Schedule)),
	}
	if st.AccountedTime != nil {
		t.since = st.AccountedTime.Time
	}
	if t.since.After(w.Now.Add(clocksDiffer)) {
		t.ahead = t.since
		if notYet(w, t.since) {
			t.since = w.Now
		}
	}
	resumed := apimeta.IsStatusConditionTrue(st.Conditions, v1alpha1.ConditionSuspended) && !spec.Suspend
	if resumed || st.ScheduleHash != "" && st.ScheduleHash != t.hash {
		if changed := changedAt(w); changed.After(t.since) {
			t.since = changed
		}
	}
	if spec.Suspend || c.Empty() {
		return t, nil
	}
	t.find(w)
	return t, nil
}

// changedAt is when the schedule was changed last, by its managed fields: a manager that was not there
// misses nothing between the change and its return.
func changedAt(w World) time.Time {
	var last time.Time
	for _, f := range w.Schedule.ManagedFields {
		if f.Subresource == "" && f.Time != nil && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	if last.IsZero() || last.After(w.Now) {
		return w.Now
	}
	return last
}

// find which time is due, and which were missed. Of several, the last one is due: what was measured
// late is no replacement for what was not measured then.
func (t *times) find(w World) {
	found := t.calendar.Due(t.since, w.Now)
	if found.Latest.IsZero() {
		return
	}
	if found.Earlier > 0 {
		t.until = t.before(found.Latest)
		t.miss(w, found)
	}
	if startedTimes(w, t.since, found.Latest.Add(time.Second))[found.Latest.Unix()] && !exists(w, timeID(found.Latest)) {
		t.until = found.Latest // only the history has its run, as of a clock that was ahead
		return
	}
	late := w.Schedule.Spec.StartingDeadlineSeconds
	if late == nil || !w.Now.After(t.deadline(found.Latest, *late)) || exists(w, timeID(found.Latest)) {
		t.due = found.Latest
		return
	}
	t.missed.count++
	t.until, t.missed.last = found.Latest, found.Latest
	t.missed.why = cmp.Or(waitReason(w), fmt.Sprintf("no run could start within startingDeadlineSeconds (%d)", *late))
}

// miss the times before the latest one, but those whose run exists or has ended: a manager that died before it wrote the
// status has started them.
func (t *times) miss(w World, found calendar.Times) {
	started := startedTimes(w, t.since, found.Latest)
	if len(started) >= found.Earlier {
		return
	}
	t.missed = missed{count: found.Earlier - len(started), more: found.More, last: t.until, why: "another time of the schedule came before a run could start"}
	for started[t.missed.last.Unix()] {
		t.missed.last = t.before(t.missed.last)
	}
	if r := waitReason(w); r != "" {
		t.missed.why = r
	}
}

// startedTimes between two times, excluded, as seconds: those of runs that are there, and of runs in the history.
func startedTimes(w World, after, before time.Time) map[int64]bool {
	out := map[int64]bool{}
	add := func(name string, at time.Time) {
		if at.After(after) && at.Before(before) && name == runName(w.Schedule, timeID(at)) {
			out[at.Unix()] = true
		}
	}
	for _, run := range w.Runs {
		add(run.Name, run.Scheduled)
	}
	for _, run := range w.History.Runs {
		if run.ScheduledTime != nil {
			add(run.Name, *run.ScheduledTime)
		}
	}
	return out
}

// waitReason is why runs have waited; empty where they did not.
func waitReason(w World) string {
	c := apimeta.FindStatusCondition(w.Schedule.Status.Conditions, v1alpha1.ConditionOnSchedule)
	if c == nil || c.Status != metav1.ConditionFalse {
		return ""
	}
	switch c.Reason {
	case v1alpha1.ReasonRunActive, v1alpha1.ReasonRunRejected, v1alpha1.ReasonChildConflict:
		return c.Message
	}
	return ""
}

// before a time is the one that precedes it, since the times that are accounted for.
func (t *times) before(latest time.Time) time.Time {
	return t.calendar.Between(t.since, latest.Add(-time.Second)).Latest
}

// deadline for a time.
func (t *times) deadline(at time.Time, seconds int64) time.Time {
	return t.calendar.At(at).Add(time.Duration(seconds) * time.Second)
}

// accounted is the time up to which all times are accounted for; due stays open.
func (t *times) accounted() time.Time {
	if t.until.After(t.since) {
		return t.until
	}
	return t.since
}

// next is when the next time after those that were found is due; zero for none.
func (t *times) next() time.Time {
	after := t.accounted()
	if t.due.After(after) {
		after = t.due
	}
	next, is := t.calendar.Next(after)
	if !is {
		return time.Time{}
	}
	return t.calendar.At(next)
}

// timeID is the part of a run's name for a time: minutes in UTC, which no clock change repeats.
func timeID(t time.Time) string { return t.UTC().Format("20060102-1504") }

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

// inOrder is a history without what lies in the future: a run that ended while a clock was ahead would be the last run until
// then, whatever the runs after it show. Such runs ended now, in their order. Runs that were dropped ended before those that are there.
func inOrder(w World, h contract.History) (contract.History, bool) {
	dropped := h.DroppedUntil != nil && notYet(w, *h.DroppedUntil)
	first := slices.IndexFunc(h.Runs, func(r contract.PastRun) bool { return notYet(w, r.CompletionTime) })
	if first < 0 && !dropped {
		return h, false
	}
	h.Runs = slices.Clone(h.Runs)
	for i := first; first >= 0 && i < len(h.Runs); i++ {
		h.Runs[i].CompletionTime = w.Now.UTC().Truncate(time.Second).Add(-time.Duration(len(h.Runs)-1-i) * time.Second)
	}
	if dropped {
		h.DroppedUntil = nil
		if len(h.Runs) > 0 {
			h.DroppedUntil = new(h.Runs[0].CompletionTime.Add(-time.Second))
		}
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
