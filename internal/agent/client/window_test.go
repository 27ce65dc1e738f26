package client

import (
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/runners/runner"
)

// timedRig is an agent whose tool is told when its window begins. It says that it warmed up for
// as long as it lived before.
func timedRig(t *testing.T, tool string, o runner.Opening, change func(*contract.Trial)) *rig {
	t.Helper()
	r := newRig(t, tool, contract.PhaseRun, change)
	r.agent.Runner = timedRunner(o)
	return r
}

func timedRunner(o runner.Opening) func(string) (runner.Runner, bool) {
	return adapter(func(a *runner.Runner) {
		command, parse := a.Command, a.Parse
		a.Phases.Opening = func(contract.Trial) runner.Opening { return o }
		a.Command = func(t contract.Trial, p contract.Phase, c runner.Credentials) (runner.Command, error) {
			out, err := command(t, p, c)
			at := t.Begin
			if p == contract.PhaseWarmup {
				at = time.Now().Add(time.Duration(t.WarmupSeconds)*time.Second - 200*time.Millisecond)
			}
			out.Args = append([]string{strconv.FormatInt(at.UnixMilli(), 10)}, out.Args...)
			return out, err
		}
		a.Parse = func(t contract.Trial, p contract.Phase, o runner.Output) runner.Report {
			report := parse(t, p, o)
			line, _, _ := strings.Cut(string(o.Stdout), "\n")
			if ms, err := strconv.ParseInt(line, 10, 64); err == nil && p == contract.PhaseRun {
				report.Window = &runner.Span{From: t.Begin, To: t.Begin.Add(200 * time.Millisecond)}
				report.WarmupSeconds = new(t.Begin.Sub(time.UnixMilli(ms)).Seconds())
				report.Warmup = report.Measurements
			}
			return report
		}
	})
}

func TestAToolThatIsToldWhenToBegin(t *testing.T) {
	const lead = 150 * time.Millisecond
	tests := map[string]struct {
		opening runner.Opening
		warmup  int64
		// launched is how long after the start the process is started, and planned the window.
		launched, planned time.Duration
		cut               contract.WarmupCut
	}{
		"it warms up in the process that measures": {runner.Opening{Timed: true, Lead: lead, WarmsUp: true}, 1, 0, time.Second + lead, contract.WarmupInProcess},
		"it has no warm-up":                        {runner.Opening{Timed: true, Lead: lead}, 0, 0, lead, contract.WarmupNone},
		"another process warms up before": {
			runner.Opening{Timed: true, Lead: lead}, 1, time.Second + lead + 100*time.Millisecond, time.Second + 2*lead + 100*time.Millisecond, contract.WarmupSeparateProcess},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := timedRig(t, "timed", tc.opening, func(trial *contract.Trial) { trial.WarmupSeconds, trial.SettleSeconds = tc.warmup, 0.1 })
			r.startWhenReady(t)
			res := runAll(t, []*rig{r})[0]
			times := res.Times
			if got := times.Planned.Sub(*times.Start); got != tc.planned {
				t.Errorf("planned %s after the start, want %s", got, tc.planned)
			}
			if late := times.MeasureStarted.Sub(times.Start.Add(tc.launched)); late < 0 {
				t.Errorf("the process was started %s before its time", -late)
			}
			if !times.WindowStarted.Equal(*times.Planned) || times.WindowEnded.Sub(*times.WindowStarted) != 200*time.Millisecond {
				t.Errorf("the window is %s to %s, want that of the tool from %s on", times.WindowStarted, times.WindowEnded, times.Planned)
			}
			// The counters: once when the window begins, while the tool is at work, and once after it.
			at := r.server.statusAt
			if len(at) != 2 || at[0].Before(*times.WindowStarted) || at[1].Before(*times.MeasureEnded) {
				t.Errorf("the counters were read at %v, the window was %s to %s", at, times.WindowStarted, times.WindowEnded)
			}
			if from := res.Server.CountedFrom; from == nil || from.Before(at[0]) || from.After(at[1]) {
				t.Errorf("the result says that the counters had been read at %v, they were asked for at %s", from, at[0])
			}
			if res.Tool.WarmupCut != tc.cut || (res.Tool.WarmupSeconds == nil) != (tc.warmup == 0) || (len(res.Warmup) > 0) != (tc.warmup > 0) {
				t.Errorf("cut %q of %v s with %d measurements", res.Tool.WarmupCut, res.Tool.WarmupSeconds, len(res.Warmup))
			}
			if tc.warmup > 0 && (*res.Tool.WarmupSeconds > times.WindowEnded.Sub(*times.Start).Seconds() || times.WarmupStarted.After(*times.WindowStarted)) {
				t.Errorf("warm-up of %v s from %s on", *res.Tool.WarmupSeconds, times.WarmupStarted)
			}
		})
	}
}

func TestAToolThatEndsBeforeItsWindow(t *testing.T) {
	for tool, want := range map[string]contract.Reason{"good": contract.ReasonToolFailed, "bad": contract.ReasonToolFailed} {
		r := timedRig(t, tool, runner.Opening{Timed: true, Lead: time.Hour, WarmsUp: true}, func(trial *contract.Trial) { trial.WarmupSeconds = 1 })
		r.startWhenReady(t)
		_ = r.agent.Run(t.Context())
		res, _ := r.outcome(t)
		if res.Failure == nil || res.Failure.Reason != want {
			t.Errorf("%s: failure %+v, want %s", tool, res.Failure, want)
		}
		if tool == "good" && !strings.Contains(res.Failure.Message, "before its measured window") {
			t.Errorf("message %q does not say that it ended early", res.Failure.Message)
		}
	}
}

// A server that is lost when the window begins ends the tool: nothing could be made of its work.
func TestALostServerEndsAToolThatBeginsByItself(t *testing.T) {
	r := timedRig(t, "stubborn", runner.Opening{Timed: true, Lead: 100 * time.Millisecond}, nil)
	r.server.statusErr = errors.New("connection refused")
	r.startWhenReady(t)
	_ = r.agent.Run(t.Context())
	res, _ := r.outcome(t)
	if res.Failure == nil || res.Failure.Reason != contract.ReasonConnectionLost || res.Times.MeasureEnded == nil {
		t.Errorf("failure %+v, times %+v; want ConnectionLost, and the tool ended", res.Failure, res.Times)
	}
}

// Clients whose processes take different times to get ready measure together even so.
func TestClientsThatAreToldBeginTogether(t *testing.T) {
	opening := runner.Opening{Timed: true, Lead: 200 * time.Millisecond, WarmsUp: true}
	first := timedRig(t, "timed", opening, func(trial *contract.Trial) { trial.Clients, trial.WarmupSeconds = 2, 1 })
	second := first.join(t, 1)
	second.agent.Runner = timedRunner(opening)
	first.startAfter(t, 2, 50*time.Millisecond)
	merged, skew, err := merge.Results(runAll(t, []*rig{first, second}))
	if err != nil {
		t.Fatal(err)
	}
	if *skew.Overlap != 1 || *skew.SpreadSeconds != 0 {
		t.Errorf("overlap %v, spread %v s, want one window", *skew.Overlap, *skew.SpreadSeconds)
	}
	if merged.Tool.WarmupCut != contract.WarmupInProcess {
		t.Errorf("the warm-up was cut %q", merged.Tool.WarmupCut)
	}
}

// What the wall clock did while the process warmed up is none of the window's.
func TestAStepOfTheClockIsLookedForInTheWindow(t *testing.T) {
	r := ran{in: invocation{started: time.Now()}}
	if got := r.from(); got != r.in.started {
		t.Errorf("from %s, want the start of the tool, %s", got, r.in.started)
	}
	r.begin = r.in.started.Add(time.Minute)
	if got := r.from(); got != r.begin {
		t.Errorf("from %s, want the begin of the window, %s", got, r.begin)
	}
}

// A target's agent that is slow to answer delays no counters of the server: what the tool does
// until they are read is missing in them.
func TestTheServerIsAskedFirstWhenTheWindowBegins(t *testing.T) {
	agent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = agent.Close() }()
	asked := connections(agent)
	r := timedRig(t, "timed", runner.Opening{Timed: true, Lead: 150 * time.Millisecond}, func(trial *contract.Trial) { trial.Agent = agent.Addr().String() })
	r.agent.Ask = time.Second // nobody will answer
	r.startWhenReady(t)
	res := runAll(t, []*rig{r})[0]
	at := asked()
	first := slices.IndexFunc(at, func(at time.Time) bool { return !at.Before(*res.Times.WindowStarted) })
	if first < 0 || res.Server.CountedFrom.After(at[first]) {
		t.Errorf("the window began at %s, the counters had been read at %s, and the target's agent was asked at %v", res.Times.WindowStarted, res.Server.CountedFrom, at)
	}
}

// connections of a listener that says nothing: when each of them came.
func connections(l net.Listener) func() []time.Time {
	var mu sync.Mutex
	var at []time.Time
	go func() {
		for {
			if _, err := l.Accept(); err != nil { // it was closed
				return
			}
			mu.Lock()
			at = append(at, time.Now())
			mu.Unlock()
		}
	}()
	return func() []time.Time {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(at)
	}
}

// A tool that warms up in the process that measures has connected long before its window: its
// handshakes count all the same, and what else it did then does not.
func TestHandshakesBeforeTheWindowCount(t *testing.T) {
	for mode, want := range map[contract.TLSMode]float64{contract.TLSRequired: 2, contract.TLSDisabled: 1} {
		r := timedRig(t, "timed", runner.Opening{Timed: true, Lead: 150 * time.Millisecond, WarmsUp: true}, func(trial *contract.Trial) {
			trial.WarmupSeconds, trial.Endpoint.TLS, trial.Endpoint.InsecureSkipVerify = 1, mode, true
		})
		r.server.cipher = "TLS_AES_256_GCM_SHA384"
		r.startWhenReady(t)
		delta := runAll(t, []*rig{r})[0].Server.StatusDelta
		if delta[contract.StatusTLSAccepts] != want || delta["Questions"] != 10 {
			t.Errorf("%s: counters %v, want %v handshakes and the 10 statements of the window", mode, delta, want)
		}
	}
}
