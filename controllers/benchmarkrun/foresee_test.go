package benchmarkrun

import (
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// What was foreseen stands in the status once, before anything is started.
func TestWhatIsForeseenStandsInTheStatus(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Workload.Sysbench.Test, r.Spec.Suspend = "oltp_delete", true
	})
	create(t, run)
	got := await(t, run, "accepted but for spec.suspend", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.SpecHash != "" })
	got.Spec.Priority = 1 // another pass
	if err := server.API.Update(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	got = await(t, run, "seen again", func(r *v1alpha1.BenchmarkRun) bool { return r.Spec.Priority == 1 })
	if f := got.Status.Findings; len(f) != 1 || f[0].Check != "data-runs-dry" || f[0].Severity != "Warning" || f[0].Trial != nil {
		t.Errorf("findings %+v, want one warning of the run as a whole", f)
	}
}
