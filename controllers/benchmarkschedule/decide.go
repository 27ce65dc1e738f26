package benchmarkschedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// maxActive runs of one schedule.
const maxActive = 32

// start of a run.
type start struct {
	trigger v1alpha1.RunTrigger
	// id of the trigger, and the name of the run, which follows from it.
	id, name string
	// time of the schedule; zero for another trigger.
	time time.Time
	// runNow is the value of the annotation; empty for another trigger.
	runNow string
	// confirms the run with this name and UID; empty for another trigger.
	confirms, confirmsUID string
	// change is the token of the change that the run measures; empty for none.
	change string
	// replaces are the UIDs of the runs that are deleted for it.
	replaces []string
	// exists: an earlier pass has created the run, at that time.
	exists  bool
	created time.Time
}

// decision of a pass.
type decision struct {
	// invalid is why the schedule can start nothing by its times; empty where it can.
	invalid string
	times   times
	// history with what ended, and whether it has to be written.
	history contract.History
	write   bool
	// prune are runs beyond the history limits.
	prune []Run
	// found are starts whose run exists.
	found []start
	// waiting is what is to start and may not yet; why says so. wanting has none of them.
	waiting []start
	why     string
	// start is the run to create now; nil for none. replace are the runs to delete when it is there, and those that an earlier
	// pass did not come to.
	start   *start
	replace []Run
}

// decide what follows from a world.
func decide(w World) decision {
	d := decision{}
	d.keep(w)
	var err error
	if d.times, err = timesOf(w); err != nil {
		d.invalid = err.Error()
	}
	for _, s := range wanted(w, d) {
		if s.exists {
			d.found = append(d.found, s)
		} else {
			d.waiting = append(d.waiting, s)
		}
	}
	d.choose(w)
	return d
}

// keep what ended in the history, and find what may be deleted.
func (d *decision) keep(w World) {
	d.history = w.History
	for _, run := range w.Ended {
		d.history, d.write = history.Add(d.history, run), true
	}
	if w.HistoryError != "" {
		return
	}
	if h, changed := inOrder(w, d.history); changed {
		d.history, d.write = h, true
	}
	spec := w.Schedule.Spec
	if w.HistoryVersion != "" && w.HistoryOwned == retained(w.Schedule) {
		d.write = true
	}
	d.history.ScheduleUID = string(w.Schedule.UID)
	left := map[bool]int32{true: ptr.Deref(spec.SuccessfulRunsHistoryLimit, 10), false: ptr.Deref(spec.FailedRunsHistoryLimit, 3)}
	ended := slices.DeleteFunc(slices.Clone(w.Runs), func(r Run) bool { return !r.Ended || r.Deleting })
	slices.SortFunc(ended, func(a, b Run) int { return cmp.Or(b.Completed.Compare(a.Completed), cmp.Compare(b.Name, a.Name)) })
	for _, run := range ended {
		if left[run.Succeeded]--; left[run.Succeeded] >= 0 {
			continue
		}
		if history.Has(d.history, string(run.UID), run.Completed.Unix()) {
			d.prune = append(d.prune, run)
		}
	}
}

// wanted are the starts that are due: by time, by change, on demand.
func wanted(w World, d decision) []start {
	var out []start
	if !d.times.due.IsZero() {
		out = append(out, start{trigger: v1alpha1.TriggerSchedule, id: timeID(d.times.due), time: d.times.due})
	}
	if s, is := changed(w); is {
		out = append(out, s)
	}
	if value := contract.RunNow(w.Schedule.Annotations[v1alpha1.AnnotationRunNow]); value != "" && value != w.Schedule.Status.RunNow {
		out = append(out, start{trigger: v1alpha1.TriggerManual, id: contract.RunNowID(string(w.Schedule.UID), value), runNow: value})
	}
	if s, is := confirming(w); is {
		out = append(out, s)
	}
	for i := range out {
		s := &out[i]
		s.name = runName(w.Schedule, s.id)
		if s.name == "" {
			continue
		}
		s.change = token(w)
		if run, is := find(w, s.name); is {
			s.exists, s.created, s.change = true, run.Created, run.Change
		}
	}
	return out
}

// changed is the start for a change that no run was started for.
func changed(w World) (start, bool) {
	change := token(w)
	if change == "" || w.Schedule.Spec.Suspend {
		return start{}, false
	}
	return start{trigger: v1alpha1.TriggerChange, id: changeID(w.Schedule, change)}, true
}

// changeID is the part of the name of a run that measures a change.
func changeID(schedule *v1alpha1.BenchmarkSchedule, change string) string {
	return "change-" + contract.ShortID(string(schedule.UID), change)
}

// token of the change that no run was started for; empty for none. It follows from what is, and from
// the change before: what comes back is another change.
func token(w World) string {
	before := v1alpha1.SeenChange{}
	if st := w.Schedule.Status.Change; st != nil {
		before = *st
	}
	tags := moved(w.Inputs, before)
	if w.Inputs.Digest == "" || w.Inputs.Digest == before.Digest && len(tags) == 0 {
		return ""
	}
	return contract.Digest([]byte(strings.Join(append(tags, w.Inputs.Digest, before.Digest, before.Run), " ")))
}

// runName for the id of a trigger.
func runName(s *v1alpha1.BenchmarkSchedule, id string) string {
	return contract.ScheduledRunName(s.Spec.RunTemplate.NamePattern, s.Name, id)
}

// find a run by its name.
func find(w World, name string) (Run, bool) {
	if i := slices.IndexFunc(w.Runs, func(r Run) bool { return r.Name == name }); i >= 0 {
		return w.Runs[i], true
	}
	return Run{}, false
}

func exists(w World, id string) bool {
	_, is := find(w, runName(w.Schedule, id))
	return is
}

// choose the one start of this pass, if the policy allows it. A run that measures a change is not
// started again for that change.
func (d *decision) choose(w World) {
	change := token(w)
	// Whatever else started it.
	if i := slices.IndexFunc(w.Runs, func(r Run) bool { return change != "" && r.Change == change }); i >= 0 {
		run := w.Runs[i]
		d.waiting = slices.DeleteFunc(d.waiting, func(s start) bool {
			if s.trigger != v1alpha1.TriggerChange {
				return false
			}
			s.name, s.exists, s.created, s.change = run.Name, true, run.Created, run.Change
			d.found = append(d.found, s)
			return true
		})
	}
	active := activeRuns(w)
	d.replace = slices.DeleteFunc(slices.Clone(active), func(r Run) bool { return r.Deleting || !replaced(w, r) })
	if len(d.waiting) == 0 {
		return
	}
	first := d.waiting[0]
	switch policy := w.Schedule.Spec.ConcurrencyPolicy; {
	case policy == v1alpha1.ReplaceConcurrent:
		d.replace = slices.DeleteFunc(slices.Clone(active), func(r Run) bool { return r.Deleting })
		for _, run := range d.replace {
			first.replaces = append(first.replaces, string(run.UID))
		}
	case policy == v1alpha1.AllowConcurrent && len(active) >= maxActive:
		d.why = fmt.Sprintf("%s is to start, and %d runs are active, which is the most", d.waiting[0].name, len(active))
		return
	case policy != v1alpha1.AllowConcurrent && len(active) > 0:
		d.why = fmt.Sprintf("%s is to start, and waits until run %s has ended (concurrencyPolicy: Forbid)", d.waiting[0].name, active[0].Name)
		return
	}
	d.start, d.waiting = &first, d.waiting[1:]
}

// replaced says whether a run was to be deleted for another one, which is there.
func replaced(w World, run Run) bool {
	return slices.ContainsFunc(w.Runs, func(by Run) bool { return slices.Contains(by.Replaces, string(run.UID)) })
}

// activeRuns have not ended, or hold what belongs to them until they are gone.
func activeRuns(w World) []Run {
	return slices.DeleteFunc(slices.Clone(w.Runs), func(r Run) bool { return r.Ended })
}
