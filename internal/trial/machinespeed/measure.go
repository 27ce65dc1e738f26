//go:build linux

package machinespeed

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// repetitions is the number of timed repetitions of each kernel.
	repetitions = 24
	// warm is the number of repetitions before them, while clocks rise and caches fill.
	warm = 2
	// budget bounds the time of each kernel on a slow machine; the last repetition may exceed
	// it.
	budget = 16 * time.Millisecond
)

// Throttled returns how often the container's own CPU limit has stopped it; nil without a
// limit or where that is unknown.
type Throttled func() *int64

// sink keeps the results of the kernels, so that no compiler may leave them out.
var sink uint64

// Measure times both kernels in sequence on a separate thread. It takes at most about 30 ms
// unless the thread is stopped.
func Measure(throttled Throttled) (contract.Speed, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := time.Now()
	var s contract.Speed
	x := uint64(began.UnixNano()) | 1
	s.Integer = timed(func() { x = integer(x) }, throttled, budget)
	w, err := newWalk()
	if err != nil {
		s.Seconds = time.Since(began).Seconds()
		return s, fmt.Errorf("memory kernel: %w", err)
	}
	s.Memory = timed(func() { x += w.goOn() }, throttled, budget)
	sink = x
	err = w.close()
	s.Seconds = time.Since(began).Seconds()
	return s, err
}

// timed repeats a kernel within a time. It returns nil if the container's own limit stopped every repetition.
func timed(kernel func(), throttled Throttled, within time.Duration) *contract.Kernel {
	end := time.Now().Add(within)
	for range warm {
		kernel()
	}
	var walls []time.Duration
	var cpu, wall time.Duration
	var stopped int64
	limits := throttled()
	for i := 0; i < repetitions && (i == 0 || time.Now().Before(end)); i++ {
		began, had := time.Now(), threadTime()
		kernel()
		took, used := time.Since(began), threadTime()-had
		before := limits
		if limits = throttled(); different(before, limits) {
			stopped++
			continue
		}
		walls, wall, cpu = append(walls, took), wall+took, cpu+used
	}
	n := len(walls)
	if n == 0 {
		return nil
	}
	slices.SortFunc(walls, cmp.Compare[time.Duration])
	return &contract.Kernel{
		N: int64(n), MeanSeconds: wall.Seconds() / float64(n), CPUSeconds: cpu.Seconds() / float64(n),
		MinSeconds: walls[0].Seconds(), P50Seconds: walls[(n-1)/2].Seconds(), Throttled: stopped,
	}
}

func different(a, b *int64) bool { return a != nil && b != nil && *a != *b }

// threadTime is how long the thread has had a CPU.
func threadTime() time.Duration {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at) != nil {
		return 0
	}
	return time.Duration(at.Nano())
}
