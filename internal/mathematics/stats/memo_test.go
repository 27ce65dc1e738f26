package stats

import (
	"sync"
	"testing"
)

func TestMemoIsBounded(t *testing.T) {
	m := Memo[int, int]{Most: 10}
	computed := 0
	square := func(k int) int { computed++; return k * k }
	for range 3 {
		for k := range 10 {
			if got := m.Of(k, square); got != k*k {
				t.Fatalf("%d: %d", k, got)
			}
		}
	}
	if computed != 10 {
		t.Errorf("10 values were computed %d times", computed)
	}
	for k := range 1000 {
		m.Of(k, square)
		if len(m.known) > 10 {
			t.Fatalf("%d values are kept, want at most 10", len(m.known))
		}
	}
}

// Many callers at once get what one gets. The race detector looks at the rest.
func TestComparisonsSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for n := range 60 {
		all.Go(func() {
			c, err := CompareUnpaired(upTo(6+n%7), upTo(6+n%5))
			if err != nil {
				t.Error(err)
				return
			}
			want := lowerRankSum(sizes{6 + n%7, 6 + n%5})[0]
			if got := c.tail(0); got != want {
				t.Errorf("%d values: %v, want %v", n, got, want)
			}
		})
	}
	all.Wait()
}
