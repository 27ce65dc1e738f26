//go:build linux

package machinespeed

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

const (
	// childGroup tells a process of this test into which control group it has to go.
	childGroup = "ASSAY_SPEED_GROUP"
	// samples names how many times the test of quotas takes of each machine.
	samples = "ASSAY_SPEED_SAMPLES"
	// quotaPeriod is short, so that a burst of some milliseconds meets the quota: with the
	// usual period of 100 ms an idle node has 95 ms at once, and no short kernel can know.
	quotaPeriod = 5000
	// busyBefore is how long a process works before it measures, as a node does that starts
	// pods: one that rested has its quota saved up.
	busyBefore = 50 * time.Millisecond
)

// TestMain measures instead of testing in a process of the test of quotas: once for each line
// that it reads.
func TestMain(m *testing.M) {
	group := os.Getenv(childGroup)
	if group == "" {
		os.Exit(m.Run())
	}
	if err := measureFor(group, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measureFor(group string, in io.Reader, out io.Writer) error {
	runtime.LockOSThread()
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		for end := time.Now().Add(busyBefore); time.Now().Before(end); { // timing: it works for so long
			sink = integer(sink | 1)
		}
		k := timed(func() { sink = integer(sink | 1) }, func() *int64 { return nil }, budget)
		if err := json.NewEncoder(out).Encode(k); err != nil {
			return err
		}
	}
	return nil
}

// machine is a process that measures in a control group.
type machine struct {
	in  io.WriteCloser
	out *json.Decoder
}

func startMachine(t *testing.T, group string) machine {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), childGroup+"="+group), os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	return machine{in: in, out: json.NewDecoder(out)}
}

func (m machine) measure(t *testing.T) contract.Kernel {
	t.Helper()
	if _, err := io.WriteString(m.in, "\n"); err != nil {
		t.Fatal(err)
	}
	var s contract.Kernel
	if err := m.out.Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// cpuGroup makes a control group whose processes go before all others; with a share of one CPU
// as its quota, or none for 0.
func cpuGroup(t *testing.T, name string, quota float64) string {
	t.Helper()
	const root = "/sys/fs/cgroup"
	files := map[string]string{}
	limit := int(quota * quotaPeriod)
	parent := root
	if _, err := os.Stat(root + "/cpu/cpu.cfs_quota_us"); err == nil {
		parent = root + "/cpu"
		files["cpu.shares"] = "262144"
		if quota > 0 {
			files["cpu.cfs_period_us"], files["cpu.cfs_quota_us"] = strconv.Itoa(quotaPeriod), strconv.Itoa(limit)
		}
	} else {
		files["cpu.weight"] = "10000"
		if quota > 0 {
			files["cpu.max"] = fmt.Sprintf("%d %d", limit, quotaPeriod)
		}
	}
	dir := filepath.Join(parent, fmt.Sprintf("assay-speed-%d-%s", os.Getpid(), name))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: a machine that is slowed by a CPU quota: no control group can be made here: %v", err)
	}
	t.Cleanup(func() {
		// The kernel removes a process from its group a moment after its end.
		for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if os.Remove(dir) == nil {
				return
			}
		}
		t.Errorf("%s stays behind", dir)
	})
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Skipf("SKIPPED, NOT TESTED: a machine that is slowed by a CPU quota: %s cannot be set here: %v", file, err)
		}
	}
	return dir
}

// A machine that is slowed by a real CPU quota is found, and one that is like the first is not:
// the three take turns, so that what else happens here meets them alike. What can be found
// depends on that: where the noise leaves no room for the quota's effect, the test says so.
// With samples in the environment it takes so many, of a quota that makes such a burst
// about 5 % slower, and tells in which
// share of the runs that can be drawn from them the slower machine is found.
func TestQuota(t *testing.T) {
	quota, n := 0.75, 40
	if asked, err := strconv.Atoi(os.Getenv(samples)); err == nil {
		quota, n = 0.88, asked
	}
	machines := []machine{startMachine(t, cpuGroup(t, "free", 0)), startMachine(t, cpuGroup(t, "same", 0)), startMachine(t, cpuGroup(t, "slow", quota))}
	// Of runs that are long enough to find it, one in twenty does not: three in a row are no chance.
	for try := range tries {
		found, hidden := tellApart(t, machines, quota, n)
		switch {
		case found:
			return
		case hidden:
			t.Skip("SKIPPED, NOT TESTED: the noise of this machine hides the change")
		case try == tries-1:
			t.Errorf("a machine that is slowed by a quota of %g of a CPU is not found in %d runs", quota, tries)
		}
	}
}

// tries is how many runs may have to find a slower machine.
const tries = 3

// tellApart measures on the machines in turn: the first two are alike, the third is slowed by a
// quota. hidden says that the noise is too large for so many samples to tell.
func tellApart(t *testing.T, machines []machine, quota float64, n int) (found, hidden bool) {
	t.Helper()
	times := make([][]float64, len(machines))
	for range n {
		for i, m := range machines {
			times[i] = append(times[i], m.measure(t).MeanSeconds)
		}
	}
	same, _ := Compare(times[0], times[1], 1)
	slow, ok := Compare(times[0], times[2], 1)
	t.Logf("alike: %+v; with a quota of %g of a CPU: %+v", same, quota, slow)
	if os.Getenv(samples) != "" {
		tellDraws(t, times)
	}
	// A change is found in 95 of 100 runs if it is 1.64 times the half interval. What a quota
	// takes of a burst is less than of a long run: 10 % here, where 33 % are taken in the end.
	room := 1.64 * (same.High - same.Low) / 2
	return ok && slow.Slower(), 0.4*(1-quota) < max(room, Least)
}

// tellDraws logs in how many of the runs that can be drawn from the times the machines differ.
func tellDraws(t *testing.T, times [][]float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(from []float64, n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = from[rng.IntN(len(from))]
		}
		return out
	}
	const runs = 1000
	for _, trials := range []int{30, 60, 120, 240} {
		found, alarms := 0, 0
		for range runs {
			if c, ok := Compare(draw(times[0], trials), draw(times[2], trials), 1); ok && c.Slower() {
				found++
			}
			if c, ok := Compare(draw(times[0], trials), draw(times[0], trials), 1); ok && (c.Slower() || c.Faster()) {
				alarms++
			}
		}
		t.Logf("%d trials: the slower machine is found in %d of %d runs, false alarms %d", trials, found, runs, alarms)
	}
}
