package environment

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// leastGap is the shortest time between two samples that is kept as a gap.
	leastGap = 2 * samplePause
	// mostGaps is how many of them are kept: the longest ones. The rings cannot show them,
	// because they drop most samples of a long window.
	mostGaps = 128
)

// gap is the time between two successive samples.
type gap struct{ before, after contract.Usage }

func (g gap) length() time.Duration { return g.after.At.Sub(g.before.At) }

// note whether a sample is late; the lock is held.
func (s *Sampler) note(u contract.Usage) {
	late := gap{s.last, u}
	first := s.taken == 0
	s.last = u
	if first || late.length() < leastGap {
		return
	}
	// The longest one is first.
	i, _ := slices.BinarySearchFunc(s.gaps, late, func(a, b gap) int { return cmp.Compare(b.length(), a.length()) })
	s.gaps = slices.Insert(s.gaps, i, late)
	s.gaps = s.gaps[:min(len(s.gaps), mostGaps)]
}

// Gap is the longest time between two samples inside a window; nil if all samples were there
// in time. A gap that has not ended is not known: take a sample before.
func (s *Sampler) Gap(from, to time.Time) *contract.Gap {
	s.mu.Lock()
	defer s.mu.Unlock()
	var longest *contract.Gap
	for _, g := range s.gaps {
		inside := g.inside(from, to)
		if inside < leastGap || longest != nil && inside.Seconds() <= longest.InsideSeconds {
			continue
		}
		e := contract.Environment{Before: &g.before, After: &g.after}
		longest = &contract.Gap{From: g.before.At, Seconds: g.length().Seconds(), InsideSeconds: inside.Seconds()}
		if used, known := contract.Increase(e, func(u contract.Usage) *float64 { return u.CPUSeconds }); known {
			longest.CPUSeconds = &used
		}
		if waited, known := contract.Increase(e, ownMemory); known {
			longest.MemorySeconds = &waited
		}
	}
	return longest
}

// inside is the part of a gap that lies in a window. A window is known by the wall clock, which
// may have been set meanwhile, so it is at most the length by the monotonic clock.
func (g gap) inside(from, to time.Time) time.Duration {
	begin, end := g.before.At, g.after.At
	if from.After(begin) {
		begin = from
	}
	if to.Before(end) {
		end = to
	}
	return min(end.Sub(begin), g.length())
}

// ownMemory is how long all of the container waited for memory within its own limit.
func ownMemory(u contract.Usage) *float64 {
	if seconds, known := u.Pressure[contract.PressureOwnMemory]; known {
		return &seconds
	}
	return nil
}
