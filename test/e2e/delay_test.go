package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// Round trips are longer for a tool that knows nothing of it: a statement takes no less than the delay, and one by a relay that delays next to
// nothing takes less than that.
func TestRoundTripsAreDelayed(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	ns := cluster.Namespace(t)
	manifest := cluster.RunYAML("delayed", "", "  matrix:\n  - {name: delay, values: [1us, 200ms]}\n  - {name: test, values: [oltp_point_select]}\n"+
		"  design: {blocks: 1, warmup: 1s, duration: 3s}\n")
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, strings.Replace(manifest, "tableSize: 2000", "tableSize: 2000, delay: 200ms", 1)), 10*time.Minute)
	cluster.Complete(t, got)
	if len(got.Status.Trials) != 2 {
		t.Fatalf("%d trials", len(got.Status.Trials))
	}
	for _, trial := range got.Status.Trials {
		delay := trial.Parameters["delay"]
		latency, has := valueOf(t, trial, contract.NameLatencyAvg, nil)
		if !has || trial.Valid == nil || !*trial.Valid {
			t.Fatalf("trial %d: latency %g, %+v", trial.Index, latency, got.Status.Findings)
		}
		t.Logf("delay %s: %g ms", delay.String(), latency)
		if long := delay.String() == "200ms"; long != (latency >= 200) {
			t.Errorf("with a delay of %s a statement took %g ms", delay.String(), latency)
		}
	}
}
