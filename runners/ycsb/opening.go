package ycsb

import (
	"math"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// lead is how long before its window, or before its warm-up, a process is started: Java
	// begins, loads the drivers and connects, which took 0.6 to 1.2 s with one CPU. One client
	// that takes longer begins its window later.
	lead = 2 * time.Second
	// leadTogether is that of several clients, of which none may be late: with a third of a
	// CPU, Java takes 4 s.
	leadTogether = 5 * time.Second
	// lastResort is how much longer than its window a process may go on before YCSB ends it
	// by itself, in s: our binding has told it to stop long before.
	lastResort = 60
)

// opening: a workload that is bounded by time warms up in the process that measures, or else
// the window would begin with code that Java has not compiled yet. One that counts operations
// has a warm-up of its own process: the published experiments count them from the first one.
// Several clients are told when to begin in any case, as Java does not start in a fixed time.
func opening(t contract.Trial) runner.Opening {
	p, err := ofTrial(t)
	if err != nil {
		return runner.Opening{} // Command says what is wrong
	}
	o := runner.Opening{
		Timed:   p.OperationCount == 0 || t.Together(),
		WarmsUp: p.OperationCount == 0 && t.WarmupSeconds > 0,
	}
	switch {
	case t.Together():
		o.Lead = leadTogether
	case o.WarmsUp:
		o.Lead = lead // a single client that has no warm-up begins when it can
	}
	return o
}

// isTimed says whether the process is told when its window begins.
func (p Params) isTimed(t contract.Trial, phase contract.Phase) bool {
	return phase == contract.PhaseRun && !t.Begin.IsZero() && opening(t).Timed
}

// windowArgs tell our binding of the window. YCSB's own status lines would cut the histograms
// as well, at instants of their own: there is one at the begin and one at the end.
func (p Params) windowArgs(t contract.Trial) map[string]string {
	if !p.isTimed(t, contract.PhaseRun) {
		return nil
	}
	o := opening(t)
	whole := int64(o.Delay(t)/time.Second) + t.DurationSeconds + lastResort
	length := t.DurationSeconds
	if p.OperationCount > 0 {
		whole, length = int64(o.Lead/time.Second)+t.DurationSeconds, 0
	}
	whole = min(whole, math.MaxInt32)
	return map[string]string{
		"assay.begin":      strconv.FormatInt(t.Begin.UnixMilli(), 10),
		"assay.window":     strconv.FormatInt(length, 10),
		"assay.interval":   strconv.Itoa(int(p.StatusIntervalSeconds)),
		"assay.hold":       strconv.FormatBool(!o.WarmsUp),
		"maxexecutiontime": strconv.FormatInt(whole, 10),
		"status.interval":  strconv.FormatInt(whole, 10),
	}
}
