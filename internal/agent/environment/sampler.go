package environment

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// samplePause is the time between two samples.
	samplePause = 500 * time.Millisecond
	// ringSize is how many samples each ring keeps, and rings is their number: the first
	// has every sample, each further one every second of the one before it. So the first
	// holds the last minute, the last one more than two days, and what is A seconds ago has
	// samples that are no more than A/64 apart.
	ringSize = 128
	rings    = 13
)

// Sampler records the usage of a container again and again, so that counters of the
// measured window can be had although it is known only at its end when that began.
//
// A sample reads some ten small files, which takes 0.5 ms: two a second are a thousandth of a
// CPU.
type Sampler struct {
	// Reader of the container.
	Reader Reader

	mu    sync.Mutex
	taken uint64
	rings [rings][]contract.Usage
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
	s.mu.Lock() // read and kept in one order: else the counters of the later one could be less
	defer s.mu.Unlock()
	u := s.Reader.Usage(0)
	s.add(u)
	return u
}

// add a sample; the lock is held.
func (s *Sampler) add(u contract.Usage) {
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

// samples in the order of their time: as many of long ago as the slower rings have.
func (s *Sampler) samples() []contract.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []contract.Usage
	for _, ring := range slices.Backward(s.rings[:]) {
		if len(ring) == 0 {
			continue
		}
		// What the faster ring holds, it holds in more detail.
		older := slices.IndexFunc(all, func(u contract.Usage) bool { return !u.At.Before(ring[0].At) })
		if older >= 0 {
			all = all[:older]
		}
		all = append(all, ring...)
	}
	return all
}

const (
	// endSlack is how long after its end a sample still counts for a window: one that is
	// taken just when the tool ends is a little late.
	endSlack = 50 * time.Millisecond
	// edge is how much of the window may lie before its first sample or behind its last, and
	// leastEdge what is allowed anyhow: some samples are late on a busy machine.
	edge      = 0.1
	leastEdge = 1200 * time.Millisecond
	// leastWindow is the shortest that surely has two samples.
	leastWindow = 2 * samplePause
)

// Window returns the first and the last sample between two instants. Where there are none, or
// not near enough to both, as for a window that is shorter than the pause between samples,
// ok is false.
func (s *Sampler) Window(from, to time.Time) (before, after contract.Usage, ok bool) {
	all := s.samples()
	first := slices.IndexFunc(all, func(u contract.Usage) bool { return !u.At.Before(from) })
	last := len(all) - 1
	for last >= 0 && all[last].At.After(to.Add(endSlack)) {
		last--
	}
	if first < 0 || last <= first || to.Sub(from) < leastWindow {
		return before, after, false
	}
	before, after = all[first], all[last]
	length := to.Sub(from)
	missing := max(before.At.Sub(from), to.Sub(after.At))
	allowed := max(time.Duration(edge*float64(length)), min(leastEdge, length/2))
	return before, after, missing <= allowed
}
