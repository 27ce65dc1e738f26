package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// A native histogram of the library in use, over the wire and back, knows the
// quantiles of what was put in to within a bucket.
func TestQuantilesOfANativeHistogram(t *testing.T) {
	tests := map[string]struct {
		before, after []float64
	}{
		"from nothing":                 {nil, spread(2000, 0.003, 0.3)},
		"only what came later counts":  {spread(500, 1, 2), spread(2000, 0.003, 0.3)},
		"one that has become coarser":  {spread(50, 0.02, 0.03), spread(4000, 1e-6, 1e3)},
		"a single value":               {nil, []float64{0.02}},
		"values that are all the same": {spread(10, 5, 6), slices.Repeat([]float64{0.25}, 100)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := prometheus.NewHistogram(prometheus.HistogramOpts{
				Name: "h", NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100,
			})
			before := observe(t, h, tt.before)
			got := observe(t, h, tt.after).since(before)
			if got.count != uint64(len(tt.after)) {
				t.Errorf("counted %d values, want %d", got.count, len(tt.after))
			}
			sorted := slices.Sorted(slices.Values(tt.after))
			width := math.Exp2(math.Exp2(-float64(got.schema)))
			for _, q := range []float64{0.5, 0.99} {
				want := sorted[int(math.Ceil(q*float64(len(sorted))))-1]
				if g := got.quantile(q); g < want/width || g > want*width {
					t.Errorf("quantile %g is %g, want %g to a factor of %g", q, g, want, width)
				}
			}
		})
	}
}

func TestAHistogramWithoutValuesHasNoQuantile(t *testing.T) {
	if got := (histogram{}).quantile(0.5); !math.IsNaN(got) {
		t.Errorf("got %g", got)
	}
}

func spread(n int, from, to float64) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]float64, n)
	for i := range out {
		out[i] = from * math.Pow(to/from, r.Float64())
	}
	return out
}

func observe(t *testing.T, h prometheus.Histogram, values []float64) histogram {
	t.Helper()
	for _, v := range values {
		h.Observe(v)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(h)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var wire bytes.Buffer
	format := expfmt.NewFormat(expfmt.TypeProtoDelim)
	for _, f := range families {
		if err := expfmt.NewEncoder(&wire, format).Encode(f); err != nil {
			t.Fatal(err)
		}
	}
	s, err := decode(&wire, format)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.native("h", nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCountersAddUpByLabel(t *testing.T) {
	text := "# TYPE c counter\nc{verb=\"POST\",code=\"201\"} 3\nc{verb=\"POST\",code=\"409\"} 1\nc{verb=\"GET\",code=\"200\"} 7\n"
	s, err := decode(bytes.NewBufferString(text), expfmt.NewFormat(expfmt.TypeTextPlain))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{
		"verb": s.counter("c", map[string]string{"verb": "POST"}), "both": s.counter("c", map[string]string{"verb": "POST", "code": "409"}),
		"all": s.counter("c", nil), "none": s.counter("d", nil), "other": s.counter("c", map[string]string{"verb": "PUT"}),
	}
	want := map[string]float64{"verb": 4, "both": 1, "all": 11, "none": 0, "other": 0}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
