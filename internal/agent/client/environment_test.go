package client

import (
	"errors"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// credentials are those of the rig with another password.
func credentials(r *rig, password string) string {
	dir := filepath.Join(r.agent.Work, "credentials")
	for name, text := range map[string]string{"username": "assay", "password": password, contract.KeyAgent: password} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			panic(err)
		}
	}
	return dir
}

func TestEnvironmentOfBothSides(t *testing.T) {
	target := newFakeTarget(t)
	r := newRig(t, "good", contract.PhaseCleanup, func(trial *contract.Trial) { trial.Agent = target.address })
	res := runAll(t, []*rig{r})[0]
	want := &contract.Environment{
		Machine: contract.Machine{CPUModel: "A CPU"}, Limits: contract.Limits{CgroupVersion: 2}, Warnings: []string{"w"}, Storage: &contract.Storage{Filesystem: "ext4"},
		Before: &contract.Usage{Throttled: new(int64(1))}, After: &contract.Usage{Throttled: new(int64(2))},
	}
	if diff := cmp.Diff(want, res.Target); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
	if res.Client.Machine.Kernel == "" {
		t.Error("this machine has no kernel")
	}
	switches, known := contract.Increase(res.Client.Environment, func(u contract.Usage) *int64 { return u.VoluntarySwitches })
	if !known || switches < 1 {
		t.Errorf("%d context switches of the tool, known: %v", switches, known)
	}
	// timing: it decides what is looked at. A tool that lives for long enough has samples inside its window in place of these.
	sampled := res.Times.MeasureEnded.Sub(*res.Times.MeasureStarted) >= time.Second
	if before, after := res.Client.Before, res.Client.After; !sampled &&
		(!before.At.Before(after.At) || before.At.After(*res.Times.MeasureStarted) || after.At.Before(*res.Times.MeasureEnded)) {
		t.Errorf("counters at %s and %s do not embrace the measured window", before.At, after.At)
	}
	if step := res.Client.ClockStepSeconds; step == nil || *step < -1 || *step > 1 {
		t.Errorf("clock step %v, want about 0", step)
	}
}

// What the target's agent sampled inside the window is what counts.
func TestCountersOfTheTargetInsideTheWindow(t *testing.T) {
	target := newFakeTarget(t)
	target.window = &contract.UsageWindow{Before: contract.Usage{Throttled: new(int64(100))}, After: contract.Usage{Throttled: new(int64(200))}}
	target.gap = &contract.Gap{Seconds: 9}
	r := newRig(t, "slow", contract.PhaseRun, func(trial *contract.Trial) { trial.Agent = target.address })
	r.startWhenReady(t)
	res := runAll(t, []*rig{r})[0]
	if n, ok := contract.Increase(*res.Target, func(u contract.Usage) *int64 { return u.Throttled }); !ok || n != 100 {
		t.Errorf("throttled %d times, known %v: want what the window had", n, ok)
	}
	if res.Target.Gap == nil || res.Target.Gap.Seconds != 9 {
		t.Errorf("the gap is %+v, want that of 9 s", res.Target.Gap)
	}
	if len(target.ages) != 2 {
		t.Fatalf("a window was asked for with %q, want once", target.ages)
	}
	from, errFrom := strconv.ParseFloat(target.ages[0], 64)
	to, errTo := strconv.ParseFloat(target.ages[1], 64)
	length := res.Times.MeasureEnded.Sub(*res.Times.MeasureStarted).Seconds()
	if errFrom != nil || errTo != nil || to < 0 || math.Abs(from-to-length) > 0.01 {
		t.Errorf("a window was asked for with %q, want one of %.3f s", target.ages, length)
	}
}

// The counters of the client cover the window by the tool's own clock, as soon as it is long
// enough for samples, and not what the tool did before; those of the agent are apart.
func TestCountersOfTheClientInsideTheWindow(t *testing.T) {
	r := newRig(t, "slow", contract.PhaseRun, nil)
	r.agent.Runner = adapter(func(a *runner.Runner) {
		a.Parse = func(contract.Trial, contract.Phase, runner.Output) runner.Report {
			return runner.Report{Measurements: []contract.Measurement{{Name: contract.NameTotalTime, Value: new(1.4)}}}
		}
	})
	t.Setenv(sleepEnv, "2.1s")
	r.startWhenReady(t)
	res := runAll(t, []*rig{r})[0]
	began := res.Times.MeasureEnded.Add(-1400 * time.Millisecond)
	for name, before := range map[string]*contract.Usage{"client": res.Client.Before, "agent": res.Client.Agent.Before} {
		if before == nil || before.At.Before(began) || before.At.After(*res.Times.MeasureEnded) {
			t.Errorf("%s: counters %+v, want some between %s and %s", name, before, began, res.Times.MeasureEnded)
		}
	}
	if n := res.Client.Before.VoluntarySwitches; n == nil || *n != 0 {
		t.Errorf("context switches before %v, want those around the tool", n)
	}
}

// A tool's container that does not run for a while says so.
func TestTheGapOfTheToolsContainer(t *testing.T) {
	r := newRig(t, "held", contract.PhaseRun, nil)
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r.agent.Socket = filepath.Join(dir, "s")
	runs := filepath.Join(dir, "runs")
	supervisor := exec.Command(os.Args[0])
	supervisor.Env = append(os.Environ(), supervisorEnv+"="+r.agent.Socket, saidEnv+"="+runs)
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = supervisor.Wait() }()
	r.startWhenReady(t)
	go func() {
		for range hang.Limit / (10 * time.Millisecond) {
			if _, err := os.Stat(runs); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		_ = supervisor.Process.Signal(syscall.SIGSTOP)
		time.Sleep(3 * time.Second)
		_ = os.Remove(runs) // the tool runs for all of the gap
		_ = supervisor.Process.Signal(syscall.SIGCONT)
	}()
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	res, _ := r.outcome(t)
	if g := res.Client.Gap; g == nil || g.Seconds < 2 || g.InsideSeconds < 1 {
		t.Errorf("the gap is %+v (window %s to %s), want one of 3 s", g, res.Times.MeasureStarted, res.Times.MeasureEnded)
	}
}

// An agent of the target that is silent takes half of what is left until the planned start.
func TestAskUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for left, want := range map[time.Duration]time.Duration{
			time.Hour: 2 * time.Second, 3 * time.Second: 1500 * time.Millisecond, 100 * time.Millisecond: leastAsk, -time.Second: leastAsk,
		} {
			if got := (Timeouts{Ask: 2 * time.Second}).askUntil(time.Now().Add(left)); got != want {
				t.Errorf("%s before the start it is asked for %s, want %s", left, got, want)
			}
		}
	})
}

// silent takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func TestATargetAgentThatDoesNotAnswerIsAProblem(t *testing.T) {
	for name, address := range map[string]func(*testing.T) string{"nobody is there": nobody, "it is silent": silent} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "slow", contract.PhaseRun, func(trial *contract.Trial) {
				trial.Agent, trial.WarmupSeconds, trial.SettleSeconds = address(t), 1, 0.3
			})
			r.agent.Ask = time.Second // nobody will answer
			r.startWhenReady(t)
			res := runAll(t, []*rig{r})[0]
			if res.Target != nil {
				t.Errorf("target %+v, want none", res.Target)
			}
			var sources []string
			for _, p := range res.Problems {
				sources = append(sources, p.Source)
			}
			if want := []string{"target/clock", "target/speed", "target/environment", "target/environment"}; !slices.Equal(sources, want) {
				t.Errorf("problems %+v, want %v: one of the clock, of the speed, one before and one after the window", res.Problems, want)
			}
		})
	}
}

func TestAServerThatDoesNotTellItsDefaultsIsAProblem(t *testing.T) {
	r := newRig(t, "good", contract.PhaseCleanup, nil)
	r.server.defaultsErr = errors.New("unknown table")
	res := runAll(t, []*rig{r})[0]
	want := []contract.Problem{{Source: "server/variables", Text: "the server does not say which are not its default: unknown table"}}
	if diff := cmp.Diff(want, res.Problems); diff != "" || res.Server.NonDefault != nil {
		t.Errorf("non-default %v, problems (-want +got):\n%s", res.Server.NonDefault, diff)
	}
}

func TestClockStep(t *testing.T) {
	from := time.Now()
	to := from.Add(3 * time.Second)
	if got := clockStep(from, to); got != 0 {
		t.Errorf("a steady clock stepped by %v s", got)
	}
}

func TestLastWord(t *testing.T) {
	tests := map[string]struct {
		out  runner.Output
		want string
	}{
		"nothing was said":              {runner.Output{}, ""},
		"the last error on stderr":      {runner.Output{Stderr: []byte("error 1\nerror 2\nbye\n"), Stdout: []byte("error 3\n")}, "error 2"},
		"an error on stdout":            {runner.Output{Stderr: []byte("note\n"), Stdout: []byte("FATAL: no\n\n")}, "FATAL: no"},
		"no error: the last of stderr":  {runner.Output{Stderr: []byte("a\nb\n\n"), Stdout: []byte("c\n")}, "b"},
		"no stderr: the last of stdout": {runner.Output{Stdout: []byte("c\nd")}, "d"},
		"an error long ago":             {runner.Output{Stdout: []byte("error\n" + strings.Repeat("x\n", maxLines))}, "x"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := lastWord(tc.out); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	secret := strings.Repeat("x", maxWord-5) + " hunter2"
	in := invocation{output: runner.Output{Stderr: []byte(secret)}, secrets: []string{"hunter2"}}
	got := in.withLastWord(&contract.Failure{Reason: contract.ReasonToolFailed, Message: "m"}).Message
	if strings.Contains(got, "hunt") || !strings.HasPrefix(got, "m; the tool's last word: xxx") {
		t.Errorf("got %q, want a masked and cut line", got)
	}
	if in.withLastWord(nil) != nil {
		t.Error("no failure became one")
	}
}

// The speed of both machines is measured before the client reports ready, and only by the
// first of several clients.
func TestSpeedOfBothSides(t *testing.T) {
	target := newFakeTarget(t)
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Agent = target.address })
	r.startWhenReady(t)
	res := runAll(t, []*rig{r})[0]
	if res.Client.Speed == nil || res.Client.Speed.Integer == nil || res.Client.Speed.Memory == nil {
		t.Errorf("speed of the client: %+v", res.Client.Speed)
	}
	if diff := cmp.Diff(new(aSpeed()), res.Target.Speed); diff != "" {
		t.Errorf("speed of the target (-want +got):\n%s", diff)
	}
	if len(target.calls) == 0 || target.calls[0] != "speed" {
		t.Errorf("calls %v: the speed has to come before the counters of the window", target.calls)
	}
}
