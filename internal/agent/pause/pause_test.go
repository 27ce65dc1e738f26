package pause

import (
	"context"
	"testing"
	"time"
)

func TestUntil(t *testing.T) {
	best := time.Hour
	for range 20 {
		at := time.Now().Add(7 * time.Millisecond)
		if err := Until(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		late := time.Since(at)
		if late < 0 {
			t.Fatalf("woke %s early", -late)
		}
		best = min(best, late)
	}
	if best > time.Millisecond {
		t.Errorf("woke %s late at best, want less than 1 ms", best)
	}
	ended, end := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, end)
	began := time.Now()
	if err := Until(ended, began.Add(time.Hour)); err == nil || time.Since(began) > 10*time.Second {
		t.Errorf("an end of the context: error %v after %s", err, time.Since(began))
	}
}
