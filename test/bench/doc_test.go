// Package bench measures Assay itself in a real cluster: what it costs, and whether it changes what
// a tool measures. The functions are benchmarks of Go, so that go test runs none of them by itself:
//
//	trials_test.go         start skew, dead time between trials, reset of data (make bench-trials)
//	fidelity_test.go       a tool through Assay against the same tool by hand (make bench-fidelity)
//	first_test.go          from a request to the first measured query, on data that exists (make bench-trials)
//	live_test.go           what scrapes of live figures cost the tool (by hand: it needs metrics.podMonitor.enabled)
//
// Each is measured once (-benchtime=1x), wants a quiet machine, and fails when a bar of
// docs/evidence/performance.md is missed.
package bench

import (
	"os"
	"testing"

	"github.com/assay-bench/assay/test/helpers/cluster"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }
