package benchmarkrun

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/plan"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// The clients are told before which trials a server is started again, and the record has how long that took.
func TestServersAreStartedAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		starts v1alpha1.Starts
		want   []bool
	}{
		"for each block": {v1alpha1.StartsPerBlock, []bool{true, false, true, false}},
		"once":           {v1alpha1.StartsOne, []bool{false, false, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			good := delivers(always(1))
			var told diary
			startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(func(trial contract.Trial) *contract.Result {
				res := good(trial)
				if trial.Restart {
					at := time.Now()
					res.Data = &contract.Data{Restart: &contract.RestartReport{Started: at, Ended: at.Add(1500 * time.Millisecond), StoppedSeconds: 1}}
				}
				return res
			})})
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
				r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads", Values: ints(4, 8)}}
				r.Spec.Design.Blocks, r.Spec.Design.Starts = 2, tt.starts
			})
			create(t, run)
			got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
			trials := told.phase(contract.PhaseRun)
			if len(trials) != len(tt.want) || len(got.Status.Trials) != len(tt.want) {
				t.Fatalf("%d trials, %d in the status", len(trials), len(got.Status.Trials))
			}
			for i, want := range tt.want {
				took := map[bool]string{true: "1.5"}[want]
				if trials[i].Restart != want || got.Status.Trials[i].RestartSeconds != took {
					t.Errorf("trial %d: restart %v, took %q; want %v", i, trials[i].Restart, got.Status.Trials[i].RestartSeconds, want)
				}
			}
		})
	}
}

func TestDataIsPutBack(t *testing.T) {
	t.Parallel()
	onExternal := func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets = []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{
			TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true, Host: "db.example", Credentials: corev1.LocalObjectReference{Name: "cloud"},
		}}}
	}
	twoCells := func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads", Values: ints(4, 8)}}
		r.Spec.Design.Blocks = 2
	}
	none, snapshot, reload := "", contract.ResetSnapshot, contract.ResetReload
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkRun)
		policy v1alpha1.DataReset
		bad    func(index, attempt int) bool
		// snapshot after loading.
		snapshot bool
		// resets before each attempt, in order.
		resets []string
	}{
		"PerRun: what the trial before left":              {policy: v1alpha1.ResetPerRun, resets: []string{none, none, none}},
		"PerTrial: before each trial but the first":       {policy: v1alpha1.ResetPerTrial, snapshot: true, resets: []string{none, snapshot, snapshot}},
		"PerBlock: before the first trial of a block":     {policy: v1alpha1.ResetPerBlock, change: twoCells, snapshot: true, resets: []string{none, none, snapshot, none}},
		"an external target is loaded again":              {policy: v1alpha1.ResetPerTrial, change: onExternal, resets: []string{none, reload, reload}},
		"an attempt may have left anything behind":        {policy: v1alpha1.ResetPerTrial, bad: firstAttempt, snapshot: true, resets: []string{none, snapshot, snapshot, snapshot}},
		"PerRun: a repeated trial has no snapshot to use": {policy: v1alpha1.ResetPerRun, bad: firstAttempt, resets: []string{none, none, none, none}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			secret := &corev1.Secret{StringData: map[string]string{"username": "u", "password": "p"}}
			secret.Name, secret.Namespace = "cloud", ns
			if err := server.API.Create(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			var told diary
			client := delivers(always(1))
			if tt.bad != nil {
				client = failing(client, tt.bad)
			}
			startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(client)})
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
				r.Spec.Design.DataReset, r.Spec.Design.OnTrialFailure = tt.policy, v1alpha1.OnFailureRetry
				if tt.change != nil {
					tt.change(r)
				}
			})
			create(t, run)
			got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
			if load := told.phase(contract.PhasePrepare); len(load) != 1 || load[0].Snapshot != tt.snapshot {
				t.Errorf("loading was told %+v, want snapshot=%v", load, tt.snapshot)
			}
			checkResets(t, told.phase(contract.PhaseRun), tt.resets)
			checkResetTimes(t, got, tt.resets)
			if tt.bad == nil {
				checkMarkedResets(t, got, tt.resets)
			}
		})
	}
}

func firstAttempt(index, attempt int) bool { return index == 0 && attempt == 0 }

// checkResets: every attempt was told how the data is put back, and what has to be
// there afterwards: what loading left.
func checkResets(t *testing.T, told []contract.Trial, want []string) {
	t.Helper()
	var got []string
	for _, trial := range told {
		if trial.Reset == nil {
			got = append(got, "")
			continue
		}
		got = append(got, trial.Reset.Method)
		if diff := cmp.Diff(loadedTables, trial.Reset.Tables); diff != "" {
			t.Errorf("the tables of trial %d are not those that were loaded (-want +got):\n%s", *trial.Ref.Index, diff)
		}
		if trial.Snapshot {
			t.Errorf("trial %d was told to take a snapshot", *trial.Ref.Index)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resets (-want +got):\n%s", diff)
	}
}

// checkResetTimes: the time of a reset stands in the journal, apart.
func checkResetTimes(t *testing.T, run *v1alpha1.BenchmarkRun, resets []string) {
	t.Helper()
	var want, got []*float64
	for _, r := range resets {
		var seconds *float64
		if r != "" {
			seconds = new(1.5)
		}
		want = append(want, seconds)
	}
	for _, rec := range records(t, run) {
		got = append(got, rec.ResetSeconds)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("times of the resets (-want +got):\n%s", diff)
	}
}

// checkMarkedResets: the plan says so beforehand.
func checkMarkedResets(t *testing.T, run *v1alpha1.BenchmarkRun, resets []string) {
	t.Helper()
	p, err := plan.New(run.Spec, nil, plan.Largest())
	if err != nil {
		t.Fatal(err)
	}
	for i, trial := range p.Trials {
		if trial.Reset != (resets[i] != "") {
			t.Errorf("trial %d: the plan says reset=%v", i, trial.Reset)
		}
	}
}
