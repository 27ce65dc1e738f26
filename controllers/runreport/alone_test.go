package runreport

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// A run that takes too long to read is given up, and others may read again.
func TestReadingHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reading sync.Mutex
		began := time.Now()
		_, err := alone(t.Context(), &reading, nil, func(ctx context.Context, _ *v1alpha1.BenchmarkRun) (string, error) {
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-time.After(time.Hour):
				return "", nil
			}
		})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "reading the run took longer than 30s") || time.Since(began) != mostReading {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		if !reading.TryLock() {
			t.Error("nobody else may read")
		}
	})
}
