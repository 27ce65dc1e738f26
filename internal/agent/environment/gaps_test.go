package environment

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// stood is a container that did not run from 10 to 16 s.
func stood(until float64) *Sampler {
	s := &Sampler{}
	for i := 0; float64(i)*samplePause.Seconds() <= until; i++ {
		now := float64(i) * samplePause.Seconds()
		if now <= 10 || now >= 16 {
			s.add(contract.Usage{At: at(now), CPUSeconds: new(now / 4), Pressure: map[string]float64{contract.PressureOwnMemory: now / 8}})
		}
	}
	return s
}

func TestGapInsideAWindow(t *testing.T) {
	gap := func(inside float64) *contract.Gap {
		return &contract.Gap{From: at(10), Seconds: 6, InsideSeconds: inside, CPUSeconds: new(1.5), MemorySeconds: new(0.75)}
	}
	tests := map[string]struct {
		until, from, to float64
		want            *contract.Gap
	}{
		"a gap in the middle":                 {20, 5, 19, gap(6)},
		"one that had begun before":           {20, 13, 19, gap(3)},
		"one that went on afterwards":         {20, 5, 12, gap(2)},
		"one that is longer than the window":  {20, 12, 15, gap(3)},
		"one of which the window has little":  {20, 15.5, 19, nil},
		"one before the window":               {20, 16, 20, nil},
		"one after the window":                {20, 2, 10, nil},
		"one whose neighbours were forgotten": {90000, 0, 90000, gap(6)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, stood(tc.until).Gap(at(tc.from), at(tc.to))); diff != "" {
				t.Errorf("gap (-want +got):\n%s", diff)
			}
		})
	}
}

// Samples that come in time, also of a long window, are no gap, and what is not counted is absent.
func TestNoGap(t *testing.T) {
	if g := fill(90000, 0).Gap(at(0), at(90000)); g != nil {
		t.Errorf("a gap without one: %+v", g)
	}
	s := &Sampler{}
	s.add(contract.Usage{At: at(0)})
	s.add(contract.Usage{At: at(2)})
	if diff := cmp.Diff(&contract.Gap{From: at(0), Seconds: 2, InsideSeconds: 2}, s.Gap(at(0), at(2))); diff != "" {
		t.Errorf("gap (-want +got):\n%s", diff)
	}
}

// The longest ones are kept.
func TestGapsAreBounded(t *testing.T) {
	s := &Sampler{}
	now := 0.0
	for i := range 10 * mostGaps {
		now += 2
		if i == 5 {
			now += 7
		}
		s.add(contract.Usage{At: at(now)})
	}
	if len(s.gaps) != mostGaps {
		t.Errorf("%d gaps, want %d", len(s.gaps), mostGaps)
	}
	if g := s.Gap(at(0), at(now)); g == nil || g.Seconds != 9 {
		t.Errorf("the longest gap is %+v, want that of 9 s", g)
	}
}
