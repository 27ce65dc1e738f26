package benchmarkrun

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/trial/validity"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// onNodes lets each client run on a machine of its own. In the first trial their clocks were
// compared with the target's (each is 0.3 s further behind), in the others they were not.
func onNodes(do kubelet.Client) kubelet.Client {
	return func(trial contract.Trial) *contract.Result {
		res := do(trial)
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return res
		}
		res.Client.Machine.BootID = "boot-" + strconv.Itoa(trial.Ref.Client)
		began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(time.Duration(trial.Ref.Client) * -300 * time.Millisecond)
		res.Times.MeasureStarted, res.Times.MeasureEnded = &began, new(began.Add(10*time.Second))
		if isTrial(trial, 0) {
			res.Client.Clock = &contract.ClockOffset{
				Reference: contract.ReferenceAgent, OffsetSeconds: 0.3 * float64(trial.Ref.Client), UncertaintySeconds: 0.001, Exchanges: 8, At: began,
			}
		}
		return res
	}
}

func TestStartSkewIsKnownAsFarAsClocksAre(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: onNodes(delivers(perClient))})
	run := newRun(t, ns, threeClients)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	type skew struct{ Seconds, Uncertainty *float64 }
	for _, rec := range records(t, got) {
		want, checks := skew{new(0.0), new(0.002)}, []string{"clock-offset", "clock-offset"} // of the second and the third client
		if rec.Index > 0 {
			want, checks = skew{}, []string{"clients-clocks"}
		}
		if diff := cmp.Diff(want, skew{rec.StartSkewSeconds, rec.StartSkewUncertaintySeconds}); diff != "" {
			t.Errorf("trial %d: start skew (-want +got):\n%s", rec.Index, diff)
		}
		var found []string
		for _, f := range rec.Findings {
			found = append(found, f.Check)
		}
		if diff := cmp.Diff(checks, found); diff != "" {
			t.Errorf("trial %d: findings (-want +got):\n%s", rec.Index, diff)
		}
	}
}

// In one trial of an open loop the target does not keep up: it says so, and the others do not.
func TestATargetThatDoesNotKeepUpIsSaturated(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	achieved := func(trial contract.Trial) float64 {
		if isTrial(trial, 1) {
			return 900
		}
		return 998
	}
	do := delivers(achieved)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		res := do(trial)
		if trial.Ref.Phase == string(contract.PhaseRun) {
			res.Measurements = append(res.Measurements, contract.Measurement{Name: contract.NameTotalTime, Unit: "s", Value: new(10.0)})
		}
		return res
	}})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Workload.Sysbench.Rate = 1000 })
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	for _, rec := range records(t, got) {
		want := rec.Index == 1
		i := slices.IndexFunc(rec.Findings, func(f contract.RecordedFinding) bool { return f.Check == validity.CheckSaturated })
		if rec.Saturated != want || (i >= 0) != want {
			t.Errorf("trial %d: saturated %v, findings %+v, want %v", rec.Index, rec.Saturated, rec.Findings, want)
		}
	}
}
