package benchmarkrun

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestTTLDeletesTheRun(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks = 1
		r.Spec.TTLSecondsAfterFinished = new(int32(1))
	})
	create(t, run)
	eventually(t, "the run is gone", func() string {
		err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), &v1alpha1.BenchmarkRun{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		return "still there"
	})
}

func TestDeadlineEndsTheRun(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := &kubelet.Kubelet{Namespace: ns}
	// The second trial never gets anywhere.
	k.ClientStatus = func(job *batchv1.Job) *corev1.ContainerStatus {
		if job.Name != contract.TrialName("run", 1, 0) {
			return nil
		}
		return &corev1.ContainerStatus{Name: "runner", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}
	}
	startKubelet(t, k)
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "in its second trial", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Progress.CurrentTrial != nil && *r.Status.Progress.CurrentTrial == 1
	})
	// The deadline cannot be changed and is at least a minute: let the start be long ago.
	for {
		got.Status.StartTime.Time = got.Status.StartTime.Add(-2 * time.Hour)
		if server.API.Status().Update(t.Context(), got) == nil {
			break
		}
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Fatal(err)
		}
	}
	got = failedWith(t, run, v1alpha1.ReasonDeadlineExceeded)
	if !isTrue(v1alpha1.ConditionAccepted)(got) || isTrue(v1alpha1.ConditionMeasured)(got) {
		t.Errorf("the deadline stands at the wrong step: %+v", got.Status.Conditions)
	}
	if len(got.Status.Summary) == 0 || got.Status.Summary[0].TrialCount != 1 {
		t.Errorf("what was measured before is lost: %+v", got.Status.Summary)
	}
	if second := got.Status.Trials[1]; second.State != v1alpha1.TrialFailed || second.Reason != v1alpha1.ReasonDeadlineExceeded {
		t.Errorf("the trial that was running: %+v", second)
	}
	eventually(t, "nothing runs any more", func() string { return cmp.Diff([]string(nil), children(t, ns)["Job"]) })
}

// A run that fails leaves no tables behind in somebody else's server, and it still
// ends with the reason of its failure.
func TestFailedRunCleansExternalTargets(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := &kubelet.Kubelet{Namespace: ns}
	good := goodClient(t)
	k.Client = func(trial contract.Trial) *contract.Result {
		res := good(trial)
		if trial.Ref.Phase == string(contract.PhaseRun) {
			res.State, res.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonConnectionLost, Message: "gone"}
		}
		return res
	}
	startKubelet(t, k)
	secret := &corev1.Secret{StringData: map[string]string{"username": "u", "password": "p"}}
	secret.Name, secret.Namespace = "cloud", ns
	if err := server.API.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets = []v1alpha1.Target{{Name: "cloud", External: &v1alpha1.ExternalTarget{
			TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true, Host: "db.example", Credentials: corev1.LocalObjectReference{Name: "cloud"},
		}}}
	})
	create(t, run)
	got := failedWith(t, run, string(contract.ReasonConnectionLost))
	want := map[string]int{"run-cloud-load": 1, "run-trial-00000": 1, "run-cloud-cleanup": 1}
	if diff := cmp.Diff(want, k.ToolStarts()); diff != "" {
		t.Errorf("the tool was started (-want +got):\n%s", diff)
	}
	if got.Status.Targets[0].CleanupResult == "" {
		t.Error("the clean-up is not in the status")
	}
}

func TestRetain(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		retain v1alpha1.RetainPolicy
		fails  bool
		want   bool
	}{
		"Never tears a failed run down":             {v1alpha1.RetainNever, true, false},
		"OnFailure keeps a failed run":              {v1alpha1.RetainOnFailure, true, true},
		"OnFailure tears a complete run down":       {v1alpha1.RetainOnFailure, false, false},
		"Always keeps a complete run, Jobs and all": {v1alpha1.RetainAlways, false, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ns := server.Namespace(t)
			k := &kubelet.Kubelet{Namespace: ns}
			if tt.fails {
				k.Client = func(contract.Trial) *contract.Result { return nil }
			}
			startManager(t, ns, nil)
			startKubelet(t, k)
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain, r.Spec.Design.Blocks = tt.retain, 1 })
			create(t, run)
			await(t, run, "finished", (*v1alpha1.BenchmarkRun).Finished)
			eventually(t, "the database stays as told", func() string {
				return cmp.Diff(tt.want, len(children(t, ns)["StatefulSet"]) == 1)
			})
			eventually(t, "the Job stays as told", func() string {
				return cmp.Diff(tt.want, len(children(t, ns)["Job"]) > 0)
			})
		})
	}
}
