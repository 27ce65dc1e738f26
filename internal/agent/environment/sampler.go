package environment

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// samplePause is the sampling interval.
	samplePause = 500 * time.Millisecond
	// ringSize is the number of samples in each ring, and rings is their number. The first
	// ring keeps every sample, each further ring every second sample of the previous ring. So
	// the first ring covers the last minute and the last ring more than two days. Samples from
	// A seconds ago are at most A/64 seconds apart.
	ringSize = 128
	rings    = 13
)

// Sampler records the usage of a container periodically, so counters of the measured window
// are available although its start is known only at its end.
//
// A sample reads about twelve small files in 0.5 ms: two samples a second use a thousandth of a
// CPU.
type Sampler struct {
	// Reader of the container.
	Reader Reader

	mu    sync.Mutex
	taken uint64
	rings [rings][]contract.Usage
	last  contract.Usage
	gaps  []gap
}

// Run samples until the context ends.
func (s *Sampler) Run(ctx context.Context) {
	tick := time.NewTicker(samplePause)
	defer tick.Stop()
	for {
		s.Sample()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sample takes one now, and returns it. It has no context switches.
func (s *Sampler) Sample() contract.Usage {
	s.mu.Lock() // samples must be stored in the order of their reading, so counters never decrease
	defer s.mu.Unlock()
	u := s.Reader.Usage(0)
	s.add(u)
	return u
}

// add a sample; the lock is held.
func (s *Sampler) add(u contract.Usage) {
	s.note(u)
	for i := range s.rings {
		if s.taken%(1<<i) != 0 {
			break
		}
		if len(s.rings[i]) == ringSize {
			s.rings[i] = slices.Delete(s.rings[i], 0, 1)
		}
		s.rings[i] = append(s.rings[i], u)
	}
	s.taken++
}

// samples in the order of their time, older ones from the slower rings.
func (s *Sampler) samples() []contract.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []contract.Usage
	for _, ring := range slices.Backward(s.rings[:]) {
		if len(ring) == 0 {
			continue
		}
		// The faster ring has more detail for its time.
		older := slices.IndexFunc(all, func(u contract.Usage) bool { return !u.At.Before(ring[0].At) })
		if older >= 0 {
			all = all[:older]
		}
		all = append(all, ring...)
	}
	return all
}

const (
	// endSlack is the time after the end of a window in which a sample still counts: the
	// sample at the end of the tool is slightly late.
	endSlack = 50 * time.Millisecond
	// edge is the tolerated share of the window before its first and after its last sample,
	// and leastEdge the tolerated minimum: samples are sometimes late on a busy machine.
	edge      = 0.1
	leastEdge = 1200 * time.Millisecond
	// leastWindow is the shortest window that always has two samples.
	leastWindow = 2 * samplePause
)

// Window has the first and the last sample between two instants; nil where no samples are near
// enough to both, such as for a window shorter than the sampling interval.
func (s *Sampler) Window(from, to time.Time) *contract.UsageWindow {
	all := s.samples()
	first := slices.IndexFunc(all, func(u contract.Usage) bool { return !u.At.Before(from) })
	last := len(all) - 1
	for last >= 0 && all[last].At.After(to.Add(endSlack)) {
		last--
	}
	if first < 0 || last <= first || to.Sub(from) < leastWindow {
		return nil
	}
	w := contract.UsageWindow{Before: all[first], After: all[last]}
	length := to.Sub(from)
	missing := max(w.Before.At.Sub(from), to.Sub(w.After.At))
	if missing > max(time.Duration(edge*float64(length)), min(leastEdge, length/2)) {
		return nil
	}
	return &w
}
