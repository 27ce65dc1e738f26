package runner

import (
	"math/rand/v2"
	"testing"
)

// Found against keys that were really drawn, uniform and as sysbench's special draws them.
func TestFoundIsWhatDrawsFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	uniform := func(rows int) int { return r.IntN(rows) }
	special := func(rows int) int {
		if r.Float64() < 0.75 {
			return rows/2 + r.IntN(max(rows/100, 1))
		}
		sum := 0
		for range 12 {
			sum += r.IntN(rows)
		}
		return sum / 12
	}
	tests := map[string]struct {
		wear  Wear
		draw  func(int) int
		exact bool
	}{
		"uniform keys": {Wear{}, uniform, true},
		"special keys": {Wear{HotRows: 0.01, HotKeys: 0.75}, special, false},
	}
	const rows = 20000
	for name, tt := range tests {
		for _, keys := range []int{100, 2000, 20000, 100000} {
			met := map[int]bool{}
			for range keys {
				met[tt.draw(rows)] = true
			}
			got, want := tt.wear.Found(float64(keys), rows), float64(len(met))
			if got < 0.97*want || tt.exact && got > 1.03*want {
				t.Errorf("%s: %d keys meet %.0f rows, and Found says %.0f", name, keys, want, got)
			}
			if got > float64(keys) || got > rows {
				t.Errorf("%s: %d keys cannot meet %.0f of %d rows", name, keys, got, rows)
			}
		}
	}
	if got := (Wear{}).Found(10, 0); got != 0 {
		t.Errorf("Found in no rows = %g", got)
	}
}
