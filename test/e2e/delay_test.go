package e2e

import (
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// Round trips are longer for a tool that knows nothing of it: a statement takes no less than the delay. The load goes without it.
func TestRoundTripsAreDelayed(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	ns := cluster.Namespace(t)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("delayed", "", "  matrix:\n  - {name: delay, values: [1us, 40ms]}\n"+
		"  - {name: test, values: [oltp_point_select]}\n  design: {blocks: 1, warmup: 1s, duration: 3s}\n")), 10*time.Minute)
	cluster.Complete(t, got)
	for _, trial := range got.Status.Trials {
		delay := trial.Parameters["delay"]
		latency, has := valueOf(t, trial, contract.NameLatencyAvg, nil)
		if !has || trial.Valid == nil || !*trial.Valid {
			t.Fatalf("trial %d: latency %g, %+v", trial.Index, latency, got.Status.Findings)
		}
		t.Logf("delay %s: %g ms", delay.String(), latency)
		if delay.String() == "40ms" && latency < 40 {
			t.Errorf("a statement took %g ms, and its round trip alone takes 40", latency)
		}
	}
}
