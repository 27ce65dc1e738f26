package pause

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestUntil(t *testing.T) {
	for range 20 {
		at := time.Now().Add(7 * time.Millisecond)
		if err := Until(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if late := time.Since(at); late < 0 {
			t.Fatalf("woke %s early", -late)
		}
	}
	ended, end := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, end)
	if err := Until(ended, time.Now().Add(time.Hour)); err == nil {
		t.Error("an end of the context is no error")
	}
}

// BenchmarkUntil has how late the first of the wakes was, and the median. The bar is 1 ms at best.
func BenchmarkUntil(b *testing.B) {
	var late []time.Duration
	for b.Loop() {
		at := time.Now().Add(7 * time.Millisecond)
		if err := Until(b.Context(), at); err != nil {
			b.Fatal(err)
		}
		late = append(late, time.Since(at))
	}
	slices.Sort(late)
	b.ReportMetric(float64(late[0].Microseconds()), "us-late-at-best")
	b.ReportMetric(float64(late[len(late)/2].Microseconds()), "us-late")
	if late[0] > time.Millisecond {
		b.Errorf("woke %s late at best, want less than 1 ms", late[0])
	}
}
