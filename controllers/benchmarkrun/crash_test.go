package benchmarkrun

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// hardships are runs that a manager has to carry out although it dies again and again.
var hardships = map[string]struct {
	change func(*v1alpha1.BenchmarkRun)
	// bad says which attempts fail; nil for none.
	bad func(index, attempt int) bool
	// play what the run needs of the cluster beside nodes; nil for nothing.
	play func(t *testing.T, namespace string)
	// until says that a run which has ended is done with what comes after; nil for nothing.
	until func(*v1alpha1.BenchmarkRun) bool
	// check what is there then; nil for nothing.
	check func(t *testing.T, run *v1alpha1.BenchmarkRun)
}{
	"one client":                 {change: func(*v1alpha1.BenchmarkRun) {}},
	"clients that stand":         {change: clientsStand},
	"nodes that are made for it": {change: func(r *v1alpha1.BenchmarkRun) { onPool(r.Namespace)(r) }},
	"nodes that are requested for it": {
		change: func(r *v1alpha1.BenchmarkRun) { onPool(r.Namespace)(r); requesting(r) }, play: playRequests,
	},
	"a volume that is made of a VolumeSnapshot": {change: fromTables, play: playTables},
	"a VolumeSnapshot that is made": {
		change: makingTables, play: playSnapshotter, check: checkMadeOnce,
		until: func(r *v1alpha1.BenchmarkRun) bool { return r.TargetStatus("db").Snapshot != nil },
	},
	"two clients, and trials that are repeated": {
		change: twoThatRepeat, bad: everyThirdOnce,
	},
	"two clients that stand, of whom others take the place": {
		change: func(r *v1alpha1.BenchmarkRun) { clientsStand(r); twoThatRepeat(r) }, bad: everyThirdOnce,
	},
}

func twoThatRepeat(r *v1alpha1.BenchmarkRun) {
	r.Spec.Clients.Count, r.Spec.Design.OnTrialFailure = 2, v1alpha1.OnFailureRetry
}

// everyThirdOnce fails in its first attempt.
func everyThirdOnce(index, attempt int) bool { return index%3 == 1 && attempt == 0 }

// checkHardship: every attempt that had to be is in the journal once, in order.
func checkHardship(t *testing.T, k *kubelet.Kubelet, run *v1alpha1.BenchmarkRun, bad func(index, attempt int) bool) {
	t.Helper()
	checkNothingAsks(t, run.Namespace)
	trials := int(run.Status.Progress.Planned)
	if bad == nil {
		checkOnce(t, k, run, trials)
		return
	}
	var want []string
	tools := []string{}
	retries := int32(0)
	for i := range int32(trials) {
		tools = append(tools, contract.TrialName("run", i, 0))
		if bad(int(i), 0) {
			want = append(want, fmt.Sprintf("%d/0 Failed", i), fmt.Sprintf("%d/1 Succeeded!", i))
			tools = append(tools, contract.TrialName("run", i, 1))
			retries++
			continue
		}
		want = append(want, fmt.Sprintf("%d/0 Succeeded!", i))
	}
	if diff := cmp.Diff(want, attempts(t, run)); diff != "" {
		t.Errorf("the journal differs (-want +got):\n%s", diff)
	}
	totals := v1alpha1.Totals{Done: int32(trials), Succeeded: int32(trials), Retries: retries}
	if diff := cmp.Diff(totals, run.Status.Progress.Totals); diff != "" {
		t.Errorf("totals differ (-want +got):\n%s", diff)
	}
	checkTools(t, k, tools)
	for job, n := range k.Jobs() {
		if n != 1 {
			t.Errorf("Job %s was created %d times", job, n)
		}
	}
}

// hardshipKubelet plays the cluster of a hardship.
func hardshipKubelet(t *testing.T, namespace string, bad func(index, attempt int) bool) *kubelet.Kubelet {
	t.Helper()
	playAutoscaler(t, namespace, namespace, 2)
	k := &kubelet.Kubelet{Namespace: namespace}
	if bad != nil {
		k.Client = failing(delivers(always(1)), bad)
	}
	return startKubelet(t, k)
}

// The manager is killed again and again, and more often than a trial takes.
func TestKilledManagerGoesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range hardships {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			k := hardshipKubelet(t, ns, tt.bad)
			if tt.play != nil {
				tt.play(t, ns)
			}
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Blocks = 12 }, tt.change)
			create(t, run)
			kills := killUntilOver(t, ns, run, tt.until)
			got := await(t, run, "Complete, and done with what comes after", func(r *v1alpha1.BenchmarkRun) bool {
				return isTrue(v1alpha1.ConditionComplete)(r) && isDone(r, tt.until)
			})
			checkHardship(t, k, got, tt.bad)
			if tt.check != nil {
				tt.check(t, got)
			}
			if kills < 10 {
				t.Errorf("the run survived only %d kills: too few to prove anything", kills)
			}
			t.Logf("%d kills in a run of 12 trials", kills)
		})
	}
}

// killUntilOver kills managers until a run has ended, and is done with what comes after.
func killUntilOver(t *testing.T, namespace string, run *v1alpha1.BenchmarkRun, until func(*v1alpha1.BenchmarkRun) bool) (kills int) {
	t.Helper()
	for kills < 100 {
		kill := startManager(t, namespace, nil)
		// From before the first pass, for which its caches must be full, to some trials
		// later.
		time.Sleep(time.Duration(250+kills*137%700) * time.Millisecond)
		kill()
		kills++
		if isOver(t, run, until) {
			return kills
		}
	}
	// On a machine with much else to do, none of them got far.
	startManager(t, namespace, nil)
	return kills
}

// isOver says whether a run has ended, and is done with what comes after; nil for nothing.
func isOver(t *testing.T, run *v1alpha1.BenchmarkRun, until func(*v1alpha1.BenchmarkRun) bool) bool {
	t.Helper()
	got := &v1alpha1.BenchmarkRun{}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
		t.Fatal(err)
	}
	return isDone(got, until)
}

// isDone says the same of a run as it was read.
func isDone(run *v1alpha1.BenchmarkRun, until func(*v1alpha1.BenchmarkRun) bool) bool {
	return run.Finished() && (until == nil || until(run))
}

// The manager dies right before or right after every single write that it makes.
func TestManagerDyingAtEveryWriteGoesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range hardships {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			k := hardshipKubelet(t, ns, tt.bad)
			if tt.play != nil {
				tt.play(t, ns)
			}
			run := newRun(t, ns, tt.change)
			create(t, run)
			for lives := 1; ; lives++ {
				dead := make(chan struct{})
				lose := int32(0)
				if lives%2 == 0 {
					lose = int32(lives/2%7 + 1)
				}
				kill := startManager(t, ns, func(c client.Client) client.Client { return mortal(c, lose, dead) })
				select {
				case <-dead:
				case <-time.After(time.Second):
				}
				kill()
				if isOver(t, run, tt.until) {
					t.Logf("%d lives", lives)
					break
				}
				if lives > 300 {
					t.Fatal("300 lives were not enough")
				}
			}
			got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
			checkHardship(t, k, got, tt.bad)
			if tt.check != nil {
				tt.check(t, got)
			}
		})
	}
}

func TestJobTakenAwayIsNotRepeated(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	var taken atomic.Bool
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	good := k.Client
	k.Client = func(trial contract.Trial) *contract.Result {
		if trial.Ref.Index != nil && *trial.Ref.Index == 1 && taken.CompareAndSwap(false, true) {
			job := &batchv1.Job{}
			job.Name, job.Namespace = contract.TrialName("run", 1, 0), ns
			if err := server.API.Delete(t.Context(), job, client.PropagationPolicy("Background")); err != nil {
				t.Errorf("deleting the Job: %v", err)
			}
			return nil
		}
		return good(trial)
	}
	startManager(t, ns, nil)
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	reason := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed).Reason
	if reason != v1alpha1.ReasonClientLost && reason != v1alpha1.ReasonResultMissing {
		t.Errorf("reason %s", reason)
	}
	if n := k.ToolStarts()["run-trial-00001"]; n != 1 {
		t.Errorf("the trial was run %d times", n)
	}
	if len(got.Status.Summary) == 0 || got.Status.Summary[0].TrialCount != 1 {
		t.Errorf("the trial before the failure is lost: %+v", got.Status.Summary)
	}
}
