package environment

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

var began = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return began.Add(time.Duration(seconds * float64(time.Second)))
}

// quota is what a container of one CPU has: it is idle until it is saturated, from then on
// in every period.
func quota(seconds, saturated float64) contract.Usage {
	busy := max(0, seconds-saturated)
	return contract.Usage{At: at(seconds), CPUSeconds: new(busy), Periods: new(int64(10*seconds + 0.5)), Throttled: new(int64(10*busy + 0.5))}
}

// fill samples a container from the beginning to some time after it.
func fill(until, saturated float64) *Sampler {
	s := &Sampler{}
	for i := 0; float64(i)*samplePause.Seconds() <= until; i++ {
		s.add(quota(float64(i)*samplePause.Seconds(), saturated))
	}
	return s
}

func shareOf(before, after contract.Usage) float64 {
	return float64(*after.Throttled-*before.Throttled) / float64(*after.Periods-*before.Periods)
}

// A container that was idle for 3 s, waiting for its server, at the barrier and until its
// JVM was there, and then saturated for 10 s, was throttled in all periods of its window.
func TestCountersAreThoseOfTheWindow(t *testing.T) {
	s := fill(14, 3)
	if whole := shareOf(quota(0, 3), quota(13, 3)); whole > 0.8 {
		t.Fatalf("around the window the share is %.2f: the test shows nothing", whole)
	}
	if w := s.Window(at(3), at(13)); w == nil || shareOf(w.Before, w.After) != 1 {
		t.Errorf("the window has %+v, want the share 1", w)
	}
}

func TestWindow(t *testing.T) {
	tests := map[string]struct {
		until, from, to float64
		first, last     float64
		ok              bool
	}{
		"samples at both ends":                     {14, 3, 13, 3, 13, true},
		"an end between two samples":               {14, 3.2, 12.9, 3.5, 12.5, true},
		"a sample just when the tool ended":        {14, 3, 12.97, 3, 13, true},
		"a window of 1 s":                          {14, 3.3, 4.3, 3.5, 4, true},
		"one that is shorter than the pause":       {14, 3.1, 3.4, 0, 0, false},
		"one that is shorter than two pauses":      {14, 3, 3.9, 0, 0, false},
		"one that began before the samples":        {14, -5, 10, 0, 0, false},
		"one that began a little before":           {14, -0.5, 10, 0, 10, true},
		"one that ended long after the samples":    {14, 5, 30, 0, 0, false},
		"one of which there is nothing":            {14, 20, 30, 0, 0, false},
		"a minute that was an hour ago":            {3700, 30, 90, 32, 64, false},
		"an hour":                                  {3700, 50, 3650, 64, 3650, true},
		"a day":                                    {90000, 100, 86500, 1024, 86496, true},
		"a short window at the end of a long time": {90000, 89990, 90000, 89990, 90000, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := fill(tc.until, 0).Window(at(tc.from), at(tc.to))
			if (w != nil) != tc.ok || w != nil && (!w.Before.At.Equal(at(tc.first)) || !w.After.At.Equal(at(tc.last))) {
				t.Errorf("got %+v; want from %s to %s, %v", w, at(tc.first), at(tc.last), tc.ok)
			}
		})
	}
}

// Samples never go back in time, and there are not more of them than the rings hold.
func TestSamplesAreBounded(t *testing.T) {
	s := fill(200000, 0)
	all := s.samples()
	if len(all) > rings*ringSize || len(all) < ringSize {
		t.Errorf("%d samples", len(all))
	}
	for i := 1; i < len(all); i++ {
		gap, age := all[i].At.Sub(all[i-1].At), all[len(all)-1].At.Sub(all[i-1].At)
		if gap <= 0 {
			t.Fatalf("sample %d is %s after the one before it", i, gap)
		}
		if gap > samplePause && age < 48*time.Hour && gap > age/60 { // timing: the samples are made up
			t.Fatalf("%s ago two samples are %s apart", age, gap)
		}
	}
}

func TestSamplerOfThisMachine(t *testing.T) {
	s := &Sampler{}
	ctx, cancel := context.WithCancel(t.Context())
	from, ended := time.Now(), make(chan struct{})
	go func() { defer close(ended); s.Run(ctx) }()
	var w *contract.UsageWindow
	for end := time.Now().Add(hang.Limit); w == nil && time.Now().Before(end); time.Sleep(samplePause) {
		w = s.Window(from, time.Now())
	}
	cancel()
	<-ended
	if w == nil {
		t.Fatal("there is no window")
	}
	busy, known := contract.Increase(contract.Environment{Before: &w.Before, After: &w.After}, func(u contract.Usage) *float64 { return u.NodeCPUSeconds })
	if !known || busy < 0 {
		t.Errorf("the machine was busy for %v s, known %v", busy, known)
	}
}

func BenchmarkSample(b *testing.B) {
	if _, err := os.Stat(filepath.Join("/", cgroupRoot)); err != nil {
		b.Skip("no control groups")
	}
	s := &Sampler{}
	for b.Loop() {
		s.Sample()
	}
}
