package benchmarkrun

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

func clientsStand(r *v1alpha1.BenchmarkRun) { r.Spec.Design.ClientPods = v1alpha1.ClientPodsStanding }

// The Jobs and the journal of runs whose clients stand.
func TestClientsThatStand(t *testing.T) {
	t.Parallel()
	two := func(r *v1alpha1.BenchmarkRun) {
		other := *r.Spec.Targets[0].DeepCopy()
		other.Name, r.Spec.Targets[0].Name = "b", "a"
		r.Spec.Targets = append(r.Spec.Targets, other)
		r.Spec.Design.Blocks, r.Spec.Design.Order = 2, v1alpha1.OrderSequential
	}
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkRun)
		bad    func(index, attempt int) bool
		// failed is the reason of the run; empty for one that is complete.
		failed   string
		jobs     []string
		attempts []string
	}{
		"one Job measures all trials, of both targets": {
			change: two, jobs: []string{"run-a-load", "run-b-load", "run-clients-00000"},
			attempts: []string{"0/0 Succeeded!", "1/0 Succeeded!", "2/0 Succeeded!", "3/0 Succeeded!"},
		},
		"several clients": {
			change: func(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Count = 3 }, jobs: []string{"run-clients-00000", "run-db-load"},
			attempts: []string{"0/0 Succeeded!", "1/0 Succeeded!", "2/0 Succeeded!"},
		},
		"others take the place of those that failed": {
			change: func(r *v1alpha1.BenchmarkRun) {
				two(r)
				r.Spec.Clients.Count, r.Spec.Design.OnTrialFailure, r.Spec.Design.MaxRetries = 2, v1alpha1.OnFailureRetry, 1
			},
			bad:  func(index, attempt int) bool { return index == 1 && attempt == 0 },
			jobs: []string{"run-a-load", "run-b-load", "run-clients-00000", "run-clients-00001-r1"},
			attempts: []string{
				"0/0 Succeeded!", "1/0 Failed", "1/1 Succeeded!", "2/0 Succeeded!", "3/0 Succeeded!",
			},
		},
		"a run that fails keeps none of them": {
			change: func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain = v1alpha1.RetainNever }, bad: func(index, _ int) bool { return index == 1 },
			failed: "ToolFailed", jobs: []string{"run-clients-00000", "run-db-load"}, attempts: []string{"0/0 Succeeded!", "1/0 Failed!"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			good := delivers(always(50))
			if tt.bad != nil {
				good = failing(good, tt.bad)
			}
			k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: good})
			run := newRun(t, ns, clientsStand, tt.change)
			create(t, run)
			got := await(t, run, "finished", (*v1alpha1.BenchmarkRun).Finished)
			if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed); tt.failed == "" && !isTrue(v1alpha1.ConditionComplete)(got) || tt.failed != "" && c.Reason != tt.failed {
				t.Errorf("conditions %+v", got.Status.Conditions)
			}
			judgeStanding(t, k, attempts(t, got), tt.attempts, tt.jobs)
			await(t, run, "torn down", func(*v1alpha1.BenchmarkRun) bool { return len(standing(t, ns)) == 0 })
		})
	}
}

// judgeStanding: the journal has these attempts, there were these Jobs, and each execution was begun once.
func judgeStanding(t *testing.T, k *kubelet.Kubelet, got, want, jobs []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the journal differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(jobs, slices.Sorted(maps.Keys(k.Jobs()))); diff != "" {
		t.Errorf("Jobs (-want +got):\n%s", diff)
	}
	for execution, n := range k.ToolStarts() {
		if n != 1 {
			t.Errorf("%s was carried out %d times", execution, n)
		}
	}
}

// onDataThatExists makes the targets of a run servers of somebody else, which have their data: a, b and so on.
func onDataThatExists(t *testing.T, ns string, targets int) func(*v1alpha1.BenchmarkRun) {
	t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "login"}, StringData: map[string]string{"username": "u", "password": "p"}}
	if err := server.API.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	return func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets, r.Spec.Workload.Sysbench.Test = nil, "oltp_read_only"
		for i := range targets {
			name := string(rune('a' + i))
			r.Spec.Targets = append(r.Spec.Targets, v1alpha1.Target{Name: name, External: &v1alpha1.ExternalTarget{
				Host: name + ".example", Data: v1alpha1.DataExisting, TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true, Credentials: corev1.LocalObjectReference{Name: secret.Name},
			}})
		}
		r.Spec.Design.Blocks, r.Spec.Design.Order = 2, v1alpha1.OrderSequential
	}
}

// The client that stands looks at data that exists, and then measures: no other pod is made. Several clients are made for the trials.
func TestAClientThatStandsLooksAtData(t *testing.T) {
	t.Parallel()
	several := func(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Count = 2 }
	tests := map[string]struct {
		targets int
		change  func(*v1alpha1.BenchmarkRun)
		// unfit is the target whose data the workload cannot use; empty for none.
		unfit    string
		jobs     []string
		attempts []string
	}{
		"of one target":  {targets: 1, jobs: []string{"run-a-clients"}, attempts: []string{"0/0 Succeeded!", "1/0 Succeeded!"}},
		"of two targets": {targets: 2, jobs: []string{"run-a-clients"}, attempts: []string{"0/0 Succeeded!", "1/0 Succeeded!", "2/0 Succeeded!", "3/0 Succeeded!"}},
		"several clients": {targets: 1, change: several, jobs: []string{"run-a-load", "run-clients-00000"},
			attempts: []string{"0/0 Succeeded!", "1/0 Succeeded!"}},
		"data that does not fit": {targets: 2, change: func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain = v1alpha1.RetainNever }, unfit: "b", jobs: []string{"run-a-clients"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			good := delivers(always(50))
			k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
				res := good(trial)
				if trial.Ref.Phase == string(contract.PhasePrepare) && trial.Ref.Target == tt.unfit {
					return fails(res, contract.ReasonDataDiffers, "a table is missing")
				}
				return res
			}})
			run := newRun(t, ns, clientsStand, onDataThatExists(t, ns, tt.targets))
			if tt.change != nil {
				tt.change(run)
			}
			create(t, run)
			got := await(t, run, "finished", (*v1alpha1.BenchmarkRun).Finished)
			if got.HasFailed() != (tt.unfit != "") {
				t.Errorf("conditions %+v", got.Status.Conditions)
			}
			judgeStanding(t, k, attempts(t, got), tt.attempts, tt.jobs)
			await(t, run, "torn down", func(*v1alpha1.BenchmarkRun) bool {
				var pods corev1.PodList
				err := server.API.List(t.Context(), &pods, client.InNamespace(ns), client.HasLabels{v1alpha1.LabelRun})
				return err == nil && len(pods.Items) == 0 && len(children(t, ns)["Job"]) == 0
			})
		})
	}
}

// standing are the Jobs of clients that stand.
func standing(t *testing.T, ns string) []batchv1.Job {
	t.Helper()
	var jobs batchv1.JobList
	if err := server.API.List(t.Context(), &jobs, client.InNamespace(ns), client.HasLabels{v1alpha1.LabelStanding}); err != nil {
		t.Fatal(err)
	}
	return jobs.Items
}

// Clients that stand end with the run, also when their Job is kept.
func TestClientsThatStandAreDismissed(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(50))})
	run := newRun(t, ns, clientsStand, func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain = v1alpha1.RetainAlways })
	create(t, run)
	await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if jobs := standing(t, ns); len(jobs) != 1 {
		t.Fatalf("%d Jobs are kept", len(jobs))
	}
	await(t, run, "its client to end", func(*v1alpha1.BenchmarkRun) bool {
		var pods corev1.PodList
		err := server.API.List(t.Context(), &pods, client.InNamespace(ns), client.HasLabels{v1alpha1.LabelStanding})
		return err == nil && len(pods.Items) == 1 && pods.Items[0].Status.Phase == corev1.PodSucceeded
	})
}

// A pod that is deleted between two trials is replaced, and no trial is measured twice.
func TestAClientThatStoodIsReplaced(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(50))})
	run := newRun(t, ns, clientsStand, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Cooldown = metav1.Duration{Duration: 3_000_000_000} })
	create(t, run)
	await(t, run, "one trial", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done == 1 })
	for _, job := range standing(t, ns) {
		if err := server.API.Delete(t.Context(), &job, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			t.Fatal(err)
		}
	}
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if diff := cmp.Diff([]string{"0/0 Succeeded!", "1/0 Succeeded!", "2/0 Succeeded!"}, attempts(t, got)); diff != "" {
		t.Errorf("the journal differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"run-clients-00000", "run-clients-00001", "run-db-load"}, slices.Sorted(maps.Keys(k.Jobs()))); diff != "" {
		t.Errorf("Jobs (-want +got):\n%s", diff)
	}
}

// Clients of several images cannot stand.
func TestClientsThatStandHaveOneImage(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	run := newRun(t, ns, clientsStand, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Workload = v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{
			Drivers:    []v1alpha1.Driver{{Language: "Node", Name: "mysql2"}, {Language: "Go", Name: "go-sql-driver"}},
			Benchmarks: []v1alpha1.DriverBenchmark{{Operation: "SelectOne"}},
		}}
		r.Spec.Design.Warmup, r.Spec.Design.Duration = nil, nil
	})
	create(t, run)
	got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed); !strings.Contains(c.Message, "spec.design.clientPods: Standing clients have one image") {
		t.Errorf("failed with %s: %s", c.Reason, c.Message)
	}
}
