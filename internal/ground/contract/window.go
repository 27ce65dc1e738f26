package contract

import "time"

// MeasuredWindow is the measured window of a client on its wall clock: from the first to the
// last counted operation. It is shorter than the lifetime of the process, which includes
// start-up, connecting, a warm-up in the same process, and the report:
//
//   - where the agent recorded it (Times.WindowStarted and WindowEnded), it is that;
//   - else it ends with the process and has the length that the tool reports (time.total);
//   - else, where the tool gives no length, or one that is longer than its process lived,
//     it is the life of the process.
//
// It is not ok where the tool did not run.
func MeasuredWindow(r Result) (start, end time.Time, ok bool) {
	t := r.Times
	if t.WindowStarted != nil && t.WindowEnded != nil {
		return *t.WindowStarted, *t.WindowEnded, true
	}
	if t.MeasureStarted == nil || t.MeasureEnded == nil {
		return time.Time{}, time.Time{}, false
	}
	m, found := r.Find(NameTotalTime, nil)
	if !found || m.Value == nil || !(*m.Value > 0) {
		return *t.MeasureStarted, *t.MeasureEnded, true
	}
	if *m.Value >= t.MeasureEnded.Sub(*t.MeasureStarted).Seconds() {
		return *t.MeasureStarted, *t.MeasureEnded, true
	}
	return t.MeasureEnded.Add(-time.Duration(*m.Value * float64(time.Second))), *t.MeasureEnded, true
}

// WindowSlack is the possible error of MeasuredWindow: the window may have been this many seconds earlier. A window
// computed back from the end of the process may include the time of the report, at most the lifetime of the process
// outside the window. A window that the tool reported has no slack.
func WindowSlack(r Result) float64 {
	from, to, ok := MeasuredWindow(r)
	t := r.Times
	if !ok || t.MeasureStarted == nil || t.MeasureEnded == nil || !to.Equal(*t.MeasureEnded) {
		return 0
	}
	return max(0, from.Sub(*t.MeasureStarted).Seconds())
}
