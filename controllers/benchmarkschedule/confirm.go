package benchmarkschedule

import (
	"slices"

	"k8s.io/utils/ptr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// confirmPrefix of the part of the name of an extra run.
const confirmPrefix = "again-"

// confirming is the extra run that is to confirm what the gate of the last run calls slower. It has time:
// it starts when nothing else is active, after all else that is to start, because any other run confirms
// it as well. So it never replaces a run.
func confirming(w World) (start, bool) {
	s := w.Schedule
	if len(w.Ended) > 0 || w.MoreEnded || w.HistoryError != "" || judgedBefore(w).sha256 != w.HistorySHA256 || !unanswered(s, w.History) {
		return start{}, false
	}
	if extraRuns(w.History) >= confirmations(s.Spec.Alarm) {
		return start{}, false
	}
	last := s.Status.LastRun
	out := start{trigger: v1alpha1.TriggerConfirm, id: confirmPrefix + contract.ShortID(string(s.UID), last.UID), confirms: last.Name, confirmsUID: last.UID}
	if !exists(w, out.id) && len(activeRuns(w)) > 0 {
		return start{}, false
	}
	return out, true
}

// toConfirm says whether the next pass has a run to start that confirms what this one has found.
func toConfirm(w World, a done, after *v1alpha1.BenchmarkSchedule) bool {
	w.Schedule, w.History, w.HistorySHA256, w.Ended = after, a.history, a.historySHA256, nil
	_, is := confirming(w)
	return is
}

// unanswered says whether an extra run is wanted and was not started: the last run shows a regression
// that is not confirmed, or only extra runs that show nothing followed the one that does. What change points find asks for none: they do not count extra runs.
func unanswered(s *v1alpha1.BenchmarkSchedule, h contract.History) bool {
	alarm, last := s.Spec.Alarm, s.Status.LastRun
	if alarm == nil || alarm.ConfirmBy != v1alpha1.ConfirmByExtraRun || s.Spec.Suspend || last == nil {
		return false
	}
	if c := s.Status.Confirmation; c != nil && c.OfUID == last.UID {
		return false
	}
	return slices.ContainsFunc(s.Status.Regressions, func(r v1alpha1.ScheduleRegression) bool {
		return r.Source == v1alpha1.RegressionOfGate && !r.Confirmed && isLast(h, r.Last)
	})
}

// isLast says whether a run is the last one but for extra runs.
func isLast(h contract.History, name string) bool {
	for _, run := range slices.Backward(h.Runs) {
		if run.Name == name {
			return true
		}
		if trigger(run) != v1alpha1.TriggerConfirm {
			break
		}
	}
	return false
}

// extraRuns at the end of a history. Their number is bounded, whatever they show.
func extraRuns(h contract.History) (n int) {
	for _, run := range slices.Backward(h.Runs) {
		if trigger(run) != v1alpha1.TriggerConfirm {
			break
		}
		n++
	}
	return n
}

// confirmations that an alarm asks for; without a number that of the API server.
func confirmations(alarm *v1alpha1.Alarm) int { return int(ptr.Deref(alarm.Confirm, 1)) }

// unprompted are the runs that started for themselves. One that confirms another is there because that
// one was slow: to change points it would be a second value of the same night.
func unprompted(runs []contract.PastRun) []contract.PastRun {
	return slices.DeleteFunc(slices.Clone(runs), func(r contract.PastRun) bool { return trigger(r) == v1alpha1.TriggerConfirm })
}
