package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// The throughput of the first trial falls by half after 40 s: its record, its status and the summary
// say so, and it counts like the others.
func TestAThroughputThatChangesIsNotSteady(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	do := delivers(always(100))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		res := do(trial)
		for i := range res.Measurements {
			if m := &res.Measurements[i]; m.Name == contract.NameThroughput {
				m.Intervals = nil
				for at := range 60 {
					v := 120.0 + float64(at%2)
					if isTrial(trial, 0) && at >= 40 {
						v /= 2
					}
					m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(at + 1), Value: &v})
				}
			}
		}
		return res
	}})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	for _, trial := range got.Status.Trials {
		want := v1alpha1.SteadyState("Steady")
		if trial.Index == 0 {
			want = "NotSteady"
		}
		if trial.Steadiness != want || trial.Valid == nil || !*trial.Valid {
			t.Errorf("trial %d is %q, valid %v, want %q", trial.Index, trial.Steadiness, trial.Valid, want)
		}
	}
	main := got.Status.Summary[0]
	want := &v1alpha1.SteadinessCount{NotSteady: 1, Steady: main.PlannedTrialCount - 1}
	if diff := cmp.Diff(want, main.Steadiness); diff != "" || main.TrialCount != main.PlannedTrialCount {
		t.Errorf("%d of %d trials count; steadiness (-want +got):\n%s", main.TrialCount, main.PlannedTrialCount, diff)
	}
	if !strings.Contains(got.Status.Headline, "not steady") {
		t.Errorf("RESULT is %q", got.Status.Headline)
	}
}
