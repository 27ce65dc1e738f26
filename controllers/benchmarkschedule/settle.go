package benchmarkschedule

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxMessage of a condition, in bytes.
const maxMessage = 1024

// settle is the status that follows from a pass.
func settle(w World, d decision, a done, j judgement) v1alpha1.BenchmarkScheduleStatus {
	st := *w.Schedule.Status.DeepCopy()
	st.ObservedGeneration = w.Schedule.Generation
	if d.invalid == "" {
		account(&st, w, d)
	}
	for _, s := range d.found {
		apply(&st, w, s, s.name, s.created)
	}
	if d.start != nil && a.started.Name != "" {
		apply(&st, w, *d.start, a.started.Name, a.started.Created)
	}
	refresh(&st, w)
	st.Active = active(w, a)
	st.NextScheduleTime = nil
	if next := d.times.next(); d.invalid == "" && !w.Schedule.Spec.Suspend && !next.IsZero() {
		st.NextScheduleTime = &metav1.Time{Time: next}
	}
	remember(&st, w, a)
	if st.Regressions = j.slower; st.History != nil {
		st.History.JudgedSHA256 = j.sha256
	}
	setConditions(&st, w, d, a)
	return st
}

// account for the times that passed.
func account(st *v1alpha1.BenchmarkScheduleStatus, w World, d decision) {
	st.ScheduleHash = d.times.hash
	if at := d.times.accounted(); st.AccountedTime != nil || !at.Equal(w.Schedule.CreationTimestamp.Time) {
		st.AccountedTime = &metav1.Time{Time: at}
	}
	if d.times.corrected() && st.LastScheduleTime != nil && st.LastScheduleTime.After(w.Now) {
		st.LastScheduleTime = nil
	}
	if n := d.times.missed.count; n > 0 {
		missed := v1alpha1.MissedTimes{Count: int64(n), LastTime: metav1.Time{Time: d.times.missed.last}, Message: contract.Cut(d.times.missed.why, maxMessage)}
		if st.Missed != nil {
			missed.Count += st.Missed.Count
		}
		st.Missed = &missed
	}
}

// apply a start whose run exists.
func apply(st *v1alpha1.BenchmarkScheduleStatus, w World, s start, run string, created time.Time) {
	switch s.trigger {
	case v1alpha1.TriggerSchedule:
		st.LastScheduleTime, st.AccountedTime = &metav1.Time{Time: s.time}, &metav1.Time{Time: s.time}
	case v1alpha1.TriggerManual:
		st.RunNow = s.runNow
	case v1alpha1.TriggerConfirm:
		st.Confirmation = &v1alpha1.Confirmation{Of: s.confirms, OfUID: s.confirmsUID, Run: run, Time: metav1.Time{Time: created}}
	case v1alpha1.TriggerChange:
	}
	if s.change != "" && s.change == token(w) {
		images := w.Inputs.Images
		if w.Schedule.Spec.Suspend && st.Change != nil {
			images = st.Change.Images // nothing was looked up: a tag that moves meanwhile has a run when the schedule is resumed
		}
		st.Change = &v1alpha1.SeenChange{
			Digest: w.Inputs.Fresh, SpecDigest: w.Inputs.SpecDigest, Generation: w.Schedule.Generation,
			Time: metav1.Time{Time: created}, Run: run, Images: images,
		}
	}
}

// refresh what the status knows of inputs that have not changed: how this manager reads the spec, and tags that were not
// looked up before.
func refresh(st *v1alpha1.BenchmarkScheduleStatus, w World) {
	c := st.Change
	if c == nil || w.Inputs.Digest == "" || c.Digest != w.Inputs.Digest {
		return
	}
	c.Digest, c.SpecDigest, c.Generation = w.Inputs.Fresh, w.Inputs.SpecDigest, w.Schedule.Generation
	for _, image := range w.Inputs.Images {
		if seenDigest(c, image.Image) == "" && len(c.Images) < maxImages {
			c.Images = append(c.Images, image)
		}
	}
}

// active runs, the oldest first.
func active(w World, a done) []v1alpha1.ActiveRun {
	all := activeRuns(w)
	if started := a.started; started.Name != "" && !started.Ended {
		if _, known := find(w, started.Name); !known {
			all = append(all, started)
		}
	}
	var out []v1alpha1.ActiveRun
	for _, run := range all {
		replaced := slices.ContainsFunc(a.replaced, func(r Run) bool { return r.UID == run.UID })
		if !run.Deleting && !replaced && len(out) < maxActive {
			out = append(out, v1alpha1.ActiveRun{Name: run.Name, UID: string(run.UID), StartTime: metav1.Time{Time: run.Created}})
		}
	}
	return out
}

// remember what the history says of the runs that ended.
func remember(st *v1alpha1.BenchmarkScheduleStatus, w World, a done) {
	was, h := historyOf(w), a.history
	was.DeletedRunCount += int32(len(gone(w)))
	if st.History != nil || was.DeletedRunCount > 0 {
		st.History = &was
	}
	if len(h.Runs) == 0 {
		return
	}
	st.History = &v1alpha1.HistoryStatus{
		ConfigMap: was.ConfigMap, RunCount: int32(len(h.Runs)), DroppedRunCount: h.DroppedRuns, LostRunCount: was.LostRunCount, DeletedRunCount: was.DeletedRunCount,
		SizeBytes: a.historyBytes, SHA256: a.historySHA256,
	}
	if was.SHA256 == a.historySHA256 {
		st.History.NextSHA256 = was.NextSHA256 // one of them may still be written over this one
	}
	last := h.Runs[len(h.Runs)-1]
	st.LastRun = &v1alpha1.EndedRun{
		Name: last.Name, UID: last.UID, CompletionTime: metav1.Time{Time: last.CompletionTime}, Outcome: contract.Cut(last.Outcome, 253), Trigger: trigger(last),
		Reason: contract.Cut(last.Reason, 128), Message: contract.Cut(last.Message, maxMessage),
		Verdict: contract.Cut(last.Verdict, maxMessage), Headline: contract.Cut(last.Headline, maxMessage),
	}
	for _, run := range slices.Backward(h.Runs) {
		if succeeded(run.Outcome) {
			st.LastSuccessfulTime = &metav1.Time{Time: run.CompletionTime}
			break
		}
	}
}

// historyOf the schedule as its status has it. One that somebody deleted is lost.
func historyOf(w World) v1alpha1.HistoryStatus {
	out, st := v1alpha1.HistoryStatus{}, w.Schedule.Status.History
	switch {
	case st == nil:
	case lost(w):
		out.LostRunCount, out.DeletedRunCount = st.LostRunCount+st.RunCount, st.DeletedRunCount
	default:
		out = *st.DeepCopy()
	}
	out.ConfigMap = contract.HistoryName(w.Schedule.Name, string(w.Schedule.UID))
	return out
}

// gone are the active runs that somebody deleted: the history, where it is known, does not have them.
func gone(w World) []string {
	return slices.DeleteFunc(slices.Clone(w.Gone), func(name string) bool {
		return slices.ContainsFunc(w.History.Runs, func(r contract.PastRun) bool { return r.Name == name })
	})
}

// lost says whether somebody deleted the ConfigMap with the history.
func lost(w World) bool {
	st := w.Schedule.Status.History
	return st != nil && st.SHA256 != "" && w.HistoryVersion == "" && w.HistoryError == ""
}

// succeeded says whether a run of this outcome was carried out, is valid, and passed the gate that it may have.
func succeeded(outcome string) bool {
	return !failed(outcome) && outcome != v1alpha1.OutcomeGateNotJudged
}

// failed says whether a run of this outcome needs somebody. A gate that could not decide stops no schedule: the next run may.
func failed(outcome string) bool {
	return slices.Contains([]string{"", v1alpha1.OutcomeFailed, v1alpha1.OutcomeInvalid, v1alpha1.OutcomeGateFailed}, outcome)
}

// trigger of an entry, as the API has it: others may have written the history.
func trigger(run contract.PastRun) v1alpha1.RunTrigger {
	t := v1alpha1.RunTrigger(run.Trigger)
	if slices.Contains([]v1alpha1.RunTrigger{v1alpha1.TriggerSchedule, v1alpha1.TriggerChange, v1alpha1.TriggerManual, v1alpha1.TriggerConfirm}, t) {
		return t
	}
	return ""
}

// state of a condition.
type state struct {
	status          metav1.ConditionStatus
	reason, message string
}

// set the condition of a name.
func (s state) set(st *v1alpha1.BenchmarkScheduleStatus, w World, name string) {
	apimeta.SetStatusCondition(&st.Conditions, metav1.Condition{
		Type: name, Status: s.status, Reason: s.reason, Message: contract.Cut(s.message, maxMessage), ObservedGeneration: w.Schedule.Generation,
		LastTransitionTime: metav1.Time{Time: w.Now},
	})
}

func setConditions(st *v1alpha1.BenchmarkScheduleStatus, w World, d decision, a done) {
	ready, stalled := readyState(*st, w, d, a)
	progress := progressState(*st, w)
	stall := state{metav1.ConditionFalse, v1alpha1.ReasonSucceeded, "the schedule can start runs"}
	switch {
	case progress.status == metav1.ConditionTrue && ready.reason == v1alpha1.ReasonLastRunFailed:
		stall = state{metav1.ConditionFalse, v1alpha1.ReasonProgressing, progress.message}
	case stalled:
		stall = state{metav1.ConditionTrue, ready.reason, ready.message}
	}
	suspended := state{metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "spec.suspend is false"}
	if w.Schedule.Spec.Suspend {
		suspended = state{metav1.ConditionTrue, v1alpha1.ReasonSuspended, "spec.suspend is true: nothing is started but by the annotation " + v1alpha1.AnnotationRunNow}
	}
	setRegressed(st, w, a.history)
	setImages(st, w)
	ready.set(st, w, v1alpha1.ConditionScheduleReady)
	progress.set(st, w, v1alpha1.ConditionReconciling)
	stall.set(st, w, v1alpha1.ConditionStalled)
	onSchedule(*st, w, d, a).set(st, w, v1alpha1.ConditionOnSchedule)
	suspended.set(st, w, v1alpha1.ConditionSuspended)
}

// setImages says whether the tags of the template's images could be looked up; the condition is absent where none is.
func setImages(st *v1alpha1.BenchmarkScheduleStatus, w World) {
	switch {
	case w.Schedule.Spec.OnChange && (w.Schedule.Spec.Suspend || w.Inputs.Digest == ""):
		return // as it was: nothing was looked up
	case !w.Inputs.Asked:
		apimeta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionImagesResolved)
		return
	}
	s := state{metav1.ConditionTrue, v1alpha1.ReasonSucceeded, "the tags of the template's images were looked up"}
	if w.Inputs.Unresolved != "" {
		s = state{metav1.ConditionFalse, v1alpha1.ReasonImageUnresolved, w.Inputs.Unresolved}
	}
	s.set(st, w, v1alpha1.ConditionImagesResolved)
}

// readyState is whether the schedule can start runs and its last run succeeded. Stalled: it does not
// go away by itself.
func readyState(st v1alpha1.BenchmarkScheduleStatus, w World, d decision, a done) (ready state, stalled bool) {
	no := func(reason, message string) state { return state{metav1.ConditionFalse, reason, message} }
	switch last := st.LastRun; {
	case d.invalid != "":
		return no(v1alpha1.ReasonInvalidSpec, "spec."+d.invalid), true
	case a.refused != "":
		return no(a.reason, a.refused), true
	case w.HistoryError != "":
		return no(w.HistoryReason, w.HistoryError), true
	case a.unwritten != "":
		return no(v1alpha1.ReasonHistoryUnreadable, a.unwritten), true
	case w.Inputs.Reason != "":
		return no(w.Inputs.Reason, w.Inputs.Message), false
	case last != nil && failed(last.Outcome) && unconfirmed(st, w):
		return state{metav1.ConditionTrue, v1alpha1.ReasonUnconfirmed, contract.Cut(fmt.Sprintf("run %s is slower than its gate allows, which no further run has confirmed yet: %s", last.Name, last.Message), maxMessage)}, false
	case last != nil && failed(last.Outcome):
		return no(v1alpha1.ReasonLastRunFailed, fmt.Sprintf("run %s did not succeed: %s: %s", last.Name, last.Reason, last.Message)), true
	}
	return state{metav1.ConditionTrue, v1alpha1.ReasonSucceeded, "the schedule can start runs"}, false
}

// progressState is whether a change is still to be measured.
func progressState(st v1alpha1.BenchmarkScheduleStatus, w World) state {
	done := state{metav1.ConditionFalse, v1alpha1.ReasonSucceeded, "no change is to be measured"}
	spec := w.Schedule.Spec
	if !spec.OnChange || spec.Suspend {
		return done
	}
	if change := st.Change; change != nil && change.Digest == w.Inputs.Fresh && len(moved(w.Inputs, *change)) == 0 {
		if slices.ContainsFunc(st.Active, func(r v1alpha1.ActiveRun) bool { return r.Name == change.Run }) {
			return state{metav1.ConditionTrue, v1alpha1.ReasonProgressing, fmt.Sprintf("run %s measures the last change", change.Run)}
		}
		run, is := find(w, change.Run)
		unwritten := is && run.Ended && (st.LastRun == nil || st.LastRun.CompletionTime.Time.Before(run.Completed))
		if unwritten && w.HistoryError == "" {
			return state{metav1.ConditionTrue, v1alpha1.ReasonProgressing, fmt.Sprintf("run %s has ended, and is written to the history", change.Run)}
		}
		return done
	}
	if w.Inputs.Digest == "" {
		return done
	}
	return state{metav1.ConditionTrue, v1alpha1.ReasonProgressing, "a run is to measure the last change"}
}

// onSchedule is whether a run was started for the last time of the schedule.
func onSchedule(st v1alpha1.BenchmarkScheduleStatus, w World, d decision, a done) state {
	spec := w.Schedule.Spec
	switch {
	case d.invalid != "":
		return state{metav1.ConditionUnknown, v1alpha1.ReasonInvalidSpec, "spec." + d.invalid}
	case d.times.calendar.Empty():
		return state{metav1.ConditionUnknown, v1alpha1.ReasonNotScheduled, "spec.schedule has no times"}
	case spec.Suspend:
		return state{metav1.ConditionUnknown, v1alpha1.ReasonSuspended, "spec.suspend is true"}
	case !d.times.ahead.IsZero():
		return state{metav1.ConditionUnknown, v1alpha1.ReasonNotReached, aheadText(d)}
	}
	started, waits := startedFor(d, a), ""
	if started == "" && !d.times.due.IsZero() {
		waits = cmp.Or(a.refused, d.why, "another run is started first")
	}
	// Those before the time that is due now were missed, or there is none.
	lastMissed := st.Missed != nil && st.Missed.LastTime.Time.Equal(d.times.accounted())
	switch before := apimeta.FindStatusCondition(w.Schedule.Status.Conditions, v1alpha1.ConditionOnSchedule); {
	case d.times.missed.count > 0, lastMissed && started == "":
		text := fmt.Sprintf("times were missed, the last one at %s: %s", st.Missed.LastTime.UTC().Format(time.RFC3339), st.Missed.Message)
		if waits != "" {
			text = contract.Cut(text, maxMessage/2) + "; " + waits
		}
		return state{metav1.ConditionFalse, v1alpha1.ReasonScheduleMissed, text}
	case started != "":
		return state{metav1.ConditionTrue, v1alpha1.ReasonOnSchedule, fmt.Sprintf("run %s was started for %s", started, d.times.due.UTC().Format(time.RFC3339))}
	case waits != "":
		return state{metav1.ConditionFalse, cmp.Or(a.reason, v1alpha1.ReasonRunActive), waits}
	case before != nil && (before.Status != metav1.ConditionUnknown || before.Reason == v1alpha1.ReasonNotReached):
		return state{before.Status, before.Reason, before.Message}
	}
	return state{metav1.ConditionUnknown, v1alpha1.ReasonNotReached, "no time of the schedule has come"}
}

// aheadText says that times were accounted for that have not come yet.
func aheadText(d decision) string {
	text := fmt.Sprintf("times up to %s were accounted for, which has not come yet: a clock was ahead then, or is behind now", d.times.ahead.UTC().Format(time.RFC3339))
	if d.times.corrected() {
		text = fmt.Sprintf("times up to %s were accounted for by a clock that was ahead; they count again since %s", d.times.ahead.UTC().Format(time.RFC3339), d.times.since.UTC().Format(time.RFC3339))
	}
	return text
}

// startedFor is the run for the time that is due; empty for none.
func startedFor(d decision, a done) string {
	for _, s := range d.found {
		if s.trigger == v1alpha1.TriggerSchedule {
			return s.name
		}
	}
	if d.start != nil && d.start.trigger == v1alpha1.TriggerSchedule {
		return a.started.Name
	}
	return ""
}
