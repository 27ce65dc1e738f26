package environment

import (
	"sync"
	"testing"
)

// The samples of the clock and that of the end of a tool are in the order in which they were read.
func TestSamplesTakenTogetherAreInOrder(t *testing.T) {
	var s Sampler
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				s.Sample()
			}
		})
	}
	all.Wait()
	kept := s.samples()
	for i, u := range kept[1:] {
		if u.At.Before(kept[i].At) {
			t.Fatalf("sample %d is of %s, the one before of %s", i+1, u.At, kept[i].At)
		}
	}
}
