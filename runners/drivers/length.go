package drivers

import (
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Limits of what one operation may take beside its window, so that a harness that hangs is
// found: with its table filled before and checked afterwards, on slow storage.
const (
	setUp   = time.Minute // the processes, and the connections of all drivers
	perTurn = 10 * time.Second
	perRow  = 5 * time.Millisecond
	perOpen = 50 * time.Millisecond // a connection, and runner.ConnectTrips of its delays
	longest = 720 * time.Hour       // that of a run
)

// warmups is how many runs of the cell are discarded.
func (c cell) warmups(m contract.Measuring) int {
	switch {
	case c.measure == measureRounds:
		return m.WarmupRounds
	case m.WarmupSeconds > 0:
		return 1
	}
	return 0
}

// counted is how many runs of the cell count.
func (c cell) counted(m contract.Measuring) int {
	if c.measure == measureRounds {
		return m.Rounds
	}
	return 1
}

// length of a cell: the windows alone, and the longest that everything may take.
func (c cell) length(m contract.Measuring, delay time.Duration) (least, most time.Duration) {
	if c.measure == measureTime {
		least = seconds(m.WarmupSeconds + m.DurationSeconds)
	}
	runs := time.Duration(c.warmups(m) + c.counted(m))
	open := time.Duration(c.concurrency-1) * (perOpen + runner.ConnectTrips*delay) // some languages open one after the other; the first is in setUp
	return least, least + runs*(open+perTurn+time.Duration(c.rows*c.concurrency)*(perRow+2*delay))
}

// length of a trial: the sums over its cells.
func length(t contract.Trial) (out runner.Length, err error) {
	p, err := decode(t.Workload)
	if err != nil {
		return out, err
	}
	if t.Measurement == nil {
		return out, errNoDesign
	}
	delay, err := runner.Delay(t)
	if err != nil {
		return out, err
	}
	out.Most = setUp
	for _, c := range p.cells() {
		least, most := c.length(*t.Measurement, delay)
		out.Least, out.Most = min(out.Least+least, longest), min(out.Most+most, longest)
	}
	return out, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
