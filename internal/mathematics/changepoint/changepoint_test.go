package changepoint

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The examples of Apache Otava (tests/series_test.py, test_change_point_detection): a large change
// and a small one, found at the same places.
func TestPublishedSeries(t *testing.T) {
	for name, c := range map[string]struct {
		series []float64
		want   []int
	}{
		"half as large from the 7th value on": {[]float64{1.02, 0.95, 0.99, 1.00, 1.12, 0.90, 0.50, 0.51, 0.48, 0.48, 0.55}, []int{6}},
		"a tenth less from the 5th value on":  {[]float64{2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.80, 1.76, 1.78}, []int{4}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Find(t.Context(), c.series, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, indices(got)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			again, _ := Find(t.Context(), c.series, 0.05)
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("the same series differs:\n%s", diff)
			}
		})
	}
}

func indices(changes []Change) (out []int) {
	for _, c := range changes {
		out = append(out, c.Index)
	}
	return out
}

// The distance of the sides is the one of the definition, computed pair by pair.
func TestBestIsTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		x := make([]float64, 4+random.IntN(20))
		for i := range x {
			if x[i] = 1e6 + random.NormFloat64(); random.IntN(3) == 0 {
				x[i] = 1e6 // equal ones
			}
		}
		want := split{q: math.Inf(-1)}
		for at := leastSide; at <= len(x)-leastSide; at++ {
			if q := definition(x[:at], x[at:]); q > want.q {
				want = split{at, q}
			}
		}
		got, ok := newSegment(x).best(leastSide)
		if !ok || got.index != want.index || math.Abs(got.q-want.q) > 1e-9 {
			t.Fatalf("%v: %+v, want %+v", x, got, want)
		}
	}
}

func definition(x, y []float64) float64 {
	mean := func(a, b []float64, same bool) float64 {
		sum, n := 0.0, 0
		for i := range a {
			for j := range b {
				if same && i == j {
					continue
				}
				sum, n = sum+math.Abs(a[i]-b[j]), n+1
			}
		}
		return sum / float64(max(n, 1))
	}
	n, m := float64(len(x)), float64(len(y))
	return n * m / (n + m) * (2*mean(x, y, false) - mean(x, x, true) - mean(y, y, true))
}

// Two changes, and what lies between them.
func TestSeveralChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var series []float64
	for i := range 60 {
		level := 100.0
		if i >= 20 && i < 40 {
			level = 80
		}
		series = append(series, level*(1+0.02*random.NormFloat64()))
	}
	got, err := Find(t.Context(), series, 0.01)
	if err != nil || !slices.Equal(indices(got), []int{20, 40}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if c := got[0]; c.Before < 99 || c.Before > 101 || c.After < 79 || c.After > 81 || got[1].Before != c.After {
		t.Errorf("levels: %+v", got)
	}
}

// Without a change, few series have one: the error rate is kept.
func TestFalseAlarmsAreFew(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const series, rate = 400, 0.05
	alarms := 0
	for range series {
		x := make([]float64, 20)
		for j := range x {
			x[j] = math.Exp(0.05 * random.NormFloat64())
		}
		found, err := Find(t.Context(), x, rate)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			alarms++
		}
	}
	// 400 times 0.05 is 20, with a standard deviation of 4.4.
	if alarms > 34 {
		t.Errorf("%d of %d series have a false alarm", alarms, series)
	}
	if alarms < 6 {
		t.Errorf("%d of %d: the test is far from its level, so that it has less power than it could", alarms, series)
	}
}

func TestNoChange(t *testing.T) {
	for name, series := range map[string][]float64{
		"empty": {}, "one value": {1}, "three values": {1, 1, 5}, "all equal": {2, 2, 2, 2, 2, 2, 2, 2},
		"one value at the end differs": {1, 1.01, 0.99, 1, 1.02, 0.98, 1, 1.01, 0.99, 5},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Find(t.Context(), series, 0.05)
			if err != nil || len(got) > 0 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	if _, err := Find(t.Context(), []float64{1, math.NaN()}, 0.05); !errors.Is(err, ErrNotFinite) {
		t.Error(err)
	}
}

// What a caller does with the changes is nobody else's business.
func TestChangesAreTheCallersOwn(t *testing.T) {
	series := []float64{2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.80, 1.76, 1.78}
	first, err := Find(t.Context(), series, 0.05)
	if err != nil || len(first) != 1 {
		t.Fatalf("%+v, %v, want one change", first, err)
	}
	first[0].Index = 99
	again, _ := Find(t.Context(), series, 0.05)
	if diff := cmp.Diff([]int{4}, indices(again)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A search ends with its context, and what it did not finish is not kept.
func TestASearchThatIsEnded(t *testing.T) {
	series := make([]float64, MostValues)
	random := rand.New(rand.NewPCG(7, 8))
	for i := range series {
		series[i] = random.NormFloat64() + float64(10*(i/100))
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if got, err := Find(ended, series, 0.05); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", got, err)
	}
	got, err := Find(t.Context(), series, 0.05)
	if err != nil || !slices.Equal(indices(got), []int{100, 200, 300, 400}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// The longest search that there is for one measurement: as many values and changes as possible, and a small error rate.
func BenchmarkFind(b *testing.B) {
	random := rand.New(rand.NewPCG(9, 10))
	for b.Loop() {
		series := make([]float64, MostValues)
		for i := range series {
			series[i] = random.NormFloat64() + float64(100*(i/50))
		}
		if got, err := Find(b.Context(), series, 0.001); err != nil || len(got) != mostChanges {
			b.Fatalf("%d changes, %v", len(got), err)
		}
	}
}
