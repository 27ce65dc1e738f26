package ycsb

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"

	"github.com/assay-bench/assay/internal/trial/merge"
)

// timedFixtures are those whose window begins within the process.
func timedFixtures(t *testing.T, each func(t *testing.T, f fixture, r reading, made runner.Report)) {
	t.Helper()
	tested := 0
	for name, f := range fixtures {
		if f.want != "" || f.of == nil || f.trial(t).Begin.IsZero() {
			continue
		}
		tested++
		t.Run(name, func(t *testing.T) {
			o := f.output(t, name)
			each(t, f, read(f.phase, o), parse(f.trial(t), f.phase, o))
		})
	}
	if tested < 4 {
		t.Errorf("only %d fixtures have a window of their own", tested)
	}
}

func valueIn(t *testing.T, ms []contract.Measurement, name string, labels map[string]string) float64 {
	t.Helper()
	m, ok := contract.Find(ms, name, labels)
	if !ok || m.Value == nil {
		t.Fatalf("no %s %v", name, labels)
	}
	return *m.Value
}

// Warm-up and window together are what YCSB reports of the whole process.
func TestWarmupAndWindowAreTheWholeProcess(t *testing.T) {
	timedFixtures(t, func(t *testing.T, _ fixture, r reading, made runner.Report) {
		for _, s := range r.report.sections {
			m := parseMetric(s.name)
			if m.operation == metricCleanup || m.intended {
				continue
			}
			n := valueIn(t, made.Measurements, contract.NameOperationCount, m.labels())
			if made.Warmup != nil {
				n += valueIn(t, made.Warmup, contract.NameOperationCount, m.labels())
			}
			if n != float64(*s.done()) {
				t.Errorf("%s: %v operations in the warm-up and the window, and YCSB counted %d", s.name, n, *s.done())
			}
		}
	})
}

func TestTheWindowIsAsLongAsAskedFor(t *testing.T) {
	timedFixtures(t, func(t *testing.T, f fixture, r reading, made runner.Report) {
		seconds, rate := valueIn(t, made.Measurements, contract.NameTotalTime, nil), valueIn(t, made.Measurements, contract.NameThroughput, nil)
		n := valueIn(t, made.Measurements, contract.NameEvents, nil)
		if math.Abs(n/seconds-rate) > 1e-6*rate {
			t.Errorf("%v operations in %v s are no %v per second", n, seconds, rate)
		}
		if f.params().OperationCount == 0 && (seconds < 5 || seconds > 5.2) {
			t.Errorf("a window of %v s, want 5 s and the last operations", seconds)
		}
		if got := made.Window.To.Sub(made.Window.From).Seconds(); math.Abs(got-seconds) > 1e-9 {
			t.Errorf("it lasts %v s on the wall clock, and %v s by its figures", got, seconds)
		}
		m, _ := contract.Find(made.Measurements, contract.NameThroughput, nil)
		sum, before := 0.0, 0.0
		for _, p := range m.Intervals {
			sum += *p.Value * (p.AtSeconds - before)
			before = p.AtSeconds
		}
		if math.Abs(sum-n) > 1e-6*n || before > seconds {
			t.Errorf("the intervals hold %v operations up to %v s, want %v up to %v s", sum, before, n, seconds)
		}
		if (made.WarmupSeconds != nil) != (r.marks.window.began > r.marks.window.connected+500) {
			t.Errorf("a warm-up of %v s", made.WarmupSeconds)
		}
		// Connecting is none of it: else a client that is long in connecting is never told.
		if all := float64(r.marks.window.began-r.marks.window.connected) / 1000; made.WarmupSeconds != nil && *made.WarmupSeconds > all {
			t.Errorf("a warm-up of %v s, and the threads had been connected for %v s", *made.WarmupSeconds, all)
		}
	})
}

// What the warm-up is for: the first second is slower than any of the window, or the worst latency is in it.
func TestTheWarmupHoldsTheSlowBegin(t *testing.T) {
	f := fixtures["own-maria1011-warm-rmw"]
	made := parse(f.trial(t), f.phase, f.output(t, "own-maria1011-warm-rmw"))
	cold, _ := contract.Find(made.Warmup, contract.NameThroughput, nil)
	warm, _ := contract.Find(made.Measurements, contract.NameThroughput, nil)
	if len(cold.Intervals) < 3 || *cold.Intervals[0].Value > *warm.Value/2 {
		t.Errorf("the warm-up begins with %v per second, and the window has %v: it should be much slower", *cold.Intervals[0].Value, *warm.Value)
	}
}

func TestAWindowThatCannotBeCutOut(t *testing.T) {
	f := fixtures["own-maria1011-warm"]
	line := func(o runner.Output, change func(string) string) runner.Output {
		lines := strings.SplitAfter(string(o.Stderr), "\n")
		for i, l := range lines {
			if strings.HasPrefix(l, markPrefix+"Window, ") {
				lines[i] = change(l)
			}
		}
		o.Stderr = []byte(strings.Join(lines, ""))
		return o
	}
	tests := map[string]struct {
		change func(*runner.Output)
		want   contract.Reason
		says   string
	}{
		"no word of the window": {func(o *runner.Output) { *o = line(*o, func(string) string { return "" }) }, contract.ReasonOutputTruncated, "lacks the line"},
		"times that go back": {func(o *runner.Output) {
			*o = line(*o, func(string) string { return markPrefix + "Window, 5, 4, 6, 7\n" })
		}, contract.ReasonOutputTruncated, "lacks the line"},
		"a histogram that was not cut": {func(o *runner.Output) {
			*o = line(*o, func(l string) string {
				parts := strings.Split(strings.TrimSpace(l), ", ")
				parts[3], parts[4] = parts[3][:10]+"300", parts[3][:10]+"301" // half a second beside the cut
				return strings.Join(parts, ", ") + "\n"
			})
		}, contract.ReasonToolFailed, "the warm-up cannot be told from the measured window: an interval of "},
		"no histograms": {func(o *runner.Output) { o.Files = nil }, contract.ReasonOutputTruncated, "it wrote no HDR log"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := f.output(t, "own-maria1011-warm")
			tc.change(&o)
			got := parse(f.trial(t), f.phase, o)
			if got.Failure == nil || got.Failure.Reason != tc.want || !strings.Contains(got.Failure.Message, tc.says) {
				t.Errorf("failure %+v, want %s with %q", got.Failure, tc.want, tc.says)
			}
		})
	}
}

func TestOpening(t *testing.T) {
	tests := map[string]struct {
		changes map[string]any
		clients int
		warmup  int64
		want    runner.Opening
		delay   time.Duration
	}{
		"bounded by time, with a warm-up":       {nil, 1, 30, runner.Opening{Timed: true, Lead: lead, WarmsUp: true}, 32 * time.Second},
		"the same with several clients":         {nil, 2, 30, runner.Opening{Timed: true, Lead: leadTogether, WarmsUp: true}, 35 * time.Second},
		"no warm-up":                            {nil, 1, 0, runner.Opening{Timed: true}, 0},
		"several clients without a warm-up":     {nil, 2, 0, runner.Opening{Timed: true, Lead: leadTogether}, 5 * time.Second},
		"one client that counts operations":     {map[string]any{"operationCount": 500}, 1, 30, runner.Opening{}, 31 * time.Second},
		"several clients that count operations": {map[string]any{"operationCount": 500}, 2, 30, runner.Opening{Timed: true, Lead: leadTogether}, 41 * time.Second},
		"a workload that cannot be understood":  {map[string]any{"batchUpdateAPI": true}, 2, 30, runner.Opening{}, 31 * time.Second},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrialOf(t, tc.changes)
			trial.Clients, trial.WarmupSeconds, trial.SettleSeconds = tc.clients, tc.warmup, 1
			got := opening(trial)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("opening (-want +got):\n%s", diff)
			}
			if delay := got.Delay(trial); delay != tc.delay {
				t.Errorf("the window is planned %s after the start, want %s", delay, tc.delay)
			}
		})
	}
}

// Two real clients, of which one was started later, measured the same time.
func TestTwoClientsMeasureTogether(t *testing.T) {
	var results []contract.Result
	sum := 0.0
	for client, name := range []string{"own-maria1011-two-0", "own-maria1011-two-1"} {
		f := fixtures[name]
		made := parse(f.trial(t), f.phase, f.output(t, name))
		r := asResult(client, made)
		r.Times.WindowStarted, r.Times.WindowEnded = &made.Window.From, &made.Window.To
		r.Client.Machine.BootID = "one" // both ran on one machine
		results = append(results, r)
		sum += valueIn(t, made.Measurements, contract.NameThroughput, nil)
	}
	merged, skew, err := merge.Results(results)
	if err != nil {
		t.Fatal(err)
	}
	if *skew.Overlap < 0.98 || *skew.SpreadSeconds > 0.1 {
		t.Errorf("overlap %v, spread %v s; want 0.98 or more", *skew.Overlap, *skew.SpreadSeconds)
	}
	if rate := valueIn(t, merged.Measurements, contract.NameThroughput, nil); math.Abs(rate-sum) > 0.02*sum {
		t.Errorf("together %v per second, want about %v", rate, sum)
	}
	if m, _ := contract.Find(merged.Measurements, contract.NameThroughput, nil); len(m.Intervals) != 5 {
		t.Errorf("%d intervals, want 5: %+v", len(m.Intervals), merged.Problems)
	}
}
