package contract

import "time"

// MeasuredWindow is the measured window of a client on its wall clock: from when its operations
// began to count until the last of them. It is that of the tool's own clock, not the life of
// the process, which holds the loading of the program, connecting, a warm-up in the same
// process, and the report:
//
//   - where the agent took it down (Times.WindowStarted and WindowEnded), it is that;
//   - else it ends with the process, and has the length that the tool gives (time.total);
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

// WindowSlack is by how many seconds the window may have been earlier than MeasuredWindow says. One that
// is counted back from the end of the process holds the time in which the tool printed its
// report, and its agent saw the end: at most as long as the process lived outside of its window.
// One that the tool told itself has none.
func WindowSlack(r Result) float64 {
	from, to, ok := MeasuredWindow(r)
	t := r.Times
	if !ok || t.MeasureStarted == nil || t.MeasureEnded == nil || !to.Equal(*t.MeasureEnded) {
		return 0
	}
	return max(0, from.Sub(*t.MeasureStarted).Seconds())
}
