//go:build linux

package machinespeed

import (
	"testing"
	"time"
)

func TestMeasure(t *testing.T) {
	began := time.Now()
	s, err := Measure(func() *int64 { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); s.Seconds <= 0 || s.Seconds > took.Seconds() {
		t.Errorf("it says that it took %g s, of %s", s.Seconds, took)
	}
	if s.Integer == nil || s.Memory == nil || s.Fsync != nil {
		t.Fatalf("speed %+v", s)
	}
	for name, k := range map[string]*struct{ n, mean, cpu, least, p50 float64 }{
		"integer": {float64(s.Integer.N), s.Integer.MeanSeconds, s.Integer.CPUSeconds, s.Integer.MinSeconds, s.Integer.P50Seconds},
		"memory":  {float64(s.Memory.N), s.Memory.MeanSeconds, s.Memory.CPUSeconds, s.Memory.MinSeconds, s.Memory.P50Seconds},
	} {
		if k.n < 1 || k.n > repetitions || k.cpu <= 0 || k.least <= 0 || k.p50 < k.least || k.mean < k.least {
			t.Errorf("%s: %+v", name, k)
		}
		// The clock may be read just before the thread is stopped, and its CPU time after.
		if k.cpu > 1.1*k.mean {
			t.Errorf("%s: the thread had %g s of a CPU in %g s", name, k.cpu, k.mean)
		}
	}
}

// The fixed work is what makes two machines comparable: whoever changes it changes what
// published figures mean.
func TestTheWorkIsFixed(t *testing.T) {
	if got, want := integer(1), uint64(5961068619290085581); got != want {
		t.Errorf("the chain of integers ends at %d, want %d", got, want)
	}
	w, err := newWalk()
	if err != nil {
		t.Fatal(err)
	}
	seen, pages := make([]bool, walkLines), 0
	at, page := w.at, uint64(0)
	for range walkLines {
		at = (at*6364136223846793005 + 1442695040888963407) % walkLines
		if seen[at] {
			t.Fatalf("line %d comes twice", at)
		}
		seen[at] = true
		if p := at * lineBytes >> 12; p != page {
			page, pages = p, pages+1
		}
	}
	if pages < walkLines*99/100 {
		t.Errorf("only %d of %d steps lead to another page: a prefetcher can guess them", pages, walkLines)
	}
	for range walkLines / steps {
		w.goOn()
	}
	if w.at != at {
		t.Errorf("the walk ended at line %d, want %d", w.at, at)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}
}

// A repetition during which the container's own limit stopped it says nothing of the node.
func TestThrottledRepetitionsAreLeftOut(t *testing.T) {
	tests := map[string]struct {
		// counter of the limit before each repetition and after the last.
		counter              func(call int64) *int64
		throttled, mostTimed int64
	}{
		"no limit":         {func(int64) *int64 { return nil }, 0, repetitions},
		"never stopped":    {func(int64) *int64 { return new(int64(7)) }, 0, repetitions},
		"stopped once":     {func(call int64) *int64 { return new(min(call, 1)) }, 1, repetitions - 1},
		"becomes readable": {func(call int64) *int64 { return map[bool]*int64{true: new(int64(3))}[call > 0] }, 0, repetitions},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			calls := int64(-1)
			k := timed(func() {}, func() *int64 { calls++; return tc.counter(calls) }, time.Minute)
			if k == nil || k.Throttled != tc.throttled || k.N != tc.mostTimed {
				t.Errorf("kernel %+v, want %d throttled and %d timed", k, tc.throttled, tc.mostTimed)
			}
		})
	}
	each := int64(0)
	if k := timed(func() {}, func() *int64 { each++; return new(each) }, time.Minute); k != nil {
		t.Errorf("every repetition was stopped, and there is %+v", k)
	}
}
