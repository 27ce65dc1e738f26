package invariants

import (
	"flag"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// seeds is how many runs are played, each with its own sequence of events.
var seeds = flag.Uint64("seeds", 20, "how many runs are played")

// TestInvariants plays runs. -seeds=1000 finds what is rare.
func TestInvariants(t *testing.T) {
	var played, refused, stopped atomic.Int64
	t.Cleanup(func() {
		if played.Load() >= 20 && refused.Load() == 0 {
			t.Error("no client was ever refused: a Job that is created again was not tried")
		}
		if played.Load() >= 20 && stopped.Load() == 0 {
			t.Error("no run ever stopped early")
		}
	})
	for seed := range *seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			c := play(t, seed)
			refused.Add(c.refused)
			if c.position().Stopped {
				stopped.Add(1)
			}
			played.Add(1)
		})
	}
}

// play a run: first with every disturbance, then in peace until it has ended. It returns the cluster
// as it is then.
func play(t *testing.T, seed uint64) *cluster {
	t.Helper()
	var changes []func(*v1alpha1.BenchmarkRun)
	if seed%5 == 4 {
		changes = append(changes, stopsEarly)
	}
	switch seed % 4 {
	case 1:
		changes = append(changes, clientsStand)
	case 3:
		changes = append(changes, looksAtData)
	}
	return playOn(t, newCluster(t, seed), seed, changes...)
}

func clientsStand(run *v1alpha1.BenchmarkRun) {
	run.Spec.Design.ClientPods = v1alpha1.ClientPodsStanding
}

// looksAtData makes a run one whose targets have their data, and whose only client stands: it looks at the data, and then measures.
func looksAtData(run *v1alpha1.BenchmarkRun) {
	clientsStand(run)
	run.Spec.Clients.Count = 1
	for i := range run.Spec.Targets {
		run.Spec.Targets[i].External.Data, run.Spec.Targets[i].External.AllowWrites = v1alpha1.DataExisting, true // nobody knows what its tool does
	}
}

// playOn a cluster a run with these changes.
func playOn(t *testing.T, c *cluster, seed uint64, changes ...func(*v1alpha1.BenchmarkRun)) *cluster {
	t.Helper()
	policies := []v1alpha1.TrialFailurePolicy{v1alpha1.OnFailureContinue, v1alpha1.OnFailureRetry, v1alpha1.OnFailureStop}
	c.createRun(policies[seed%3], changes...)
	managers := []*manager{c.start("A"), c.start("B")}
	pair := func() { managers[0].other, managers[1].other = managers[1], managers[0] }
	pair()
	for range 150 {
		kubelet{c}.step()
		i := c.rng.IntN(2)
		if managers[i].crashed {
			managers[i] = c.start(managers[i].name)
			pair()
		}
		managers[i].sync(false)
		managers[i].reconcile()
	}
	c.quiet = true
	run := c.run()
	run.Spec.Suspend = false
	c.must(c.api.Update(t.Context(), run))
	last := c.start("C")
	for range 600 * (1 + 3*len(changes)) {
		if c.run().Finished() {
			c.judgeEnd()
			return c
		}
		kubelet{c}.step()
		c.now = c.now.Add(time.Second)
		last.sync(true)
		last.reconcile()
	}
	run = c.run()
	t.Fatalf("the run never ended: phase %s, %+v; the journal is at %+v", run.Status.Phase, run.Status.Conditions, c.position())
	return c
}
