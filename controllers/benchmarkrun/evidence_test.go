package benchmarkrun

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/resources"

	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func goesOn(r *v1alpha1.BenchmarkRun) { r.Spec.Design.OnTrialFailure = v1alpha1.OnFailureContinue }

func TestResultThatIsDeletedEndsTheTrialAtOnce(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var deadline atomic.Value
	good := delivers(always(9))
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 1) {
			cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "run-trial-00001-result-0"}}
			if err := server.API.Delete(t.Context(), cm); err != nil {
				t.Errorf("deleting the result: %v", err)
			}
			deadline.Store(trial.Deadline)
			hold(t, nil) // The tool would go on until its deadline.
		}
		return good(trial)
	}})
	run := newRun(t, ns, goesOn)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	lost := records(t, got)[1]
	if lost.State != contract.Failed || lost.Reason != v1alpha1.ReasonResultMissing || !strings.Contains(lost.Message, "run-trial-00001-result-0") {
		t.Errorf("the trial whose result was deleted: %+v", lost)
	}
	if end := deadline.Load().(time.Time); !lost.CompletionTime.Before(end) {
		t.Errorf("the trial ended at %s, and its tool had until %s", lost.CompletionTime, end)
	}
	if got.Status.Summary[0].TrialCount != 2 {
		t.Errorf("summary %+v", got.Status.Summary)
	}
}

func TestJournalThatIsDeletedEndsTheRun(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	good := delivers(always(9))
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 1) {
			cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: contract.RecordsName("run", 0)}}
			if err := server.API.Delete(t.Context(), cm); err != nil {
				t.Errorf("deleting the journal: %v", err)
			}
		}
		return good(trial)
	}})
	run := newRun(t, ns, goesOn)
	create(t, run)
	got := failedWith(t, run, v1alpha1.ReasonJournalLost)
	if m := message(got); !strings.Contains(m, "run-records-0000") {
		t.Errorf("the message does not name the ConfigMap: %s", m)
	}
	time.Sleep(500 * time.Millisecond)
	want := map[string]int{"run-db-load": 1, "run-trial-00000": 1, "run-trial-00001": 1}
	if diff := cmp.Diff(want, k.ToolStarts()); diff != "" {
		t.Errorf("tools that were started (-want +got):\n%s", diff)
	}
	eventually(t, "nothing runs any more", func() string { return cmp.Diff([]string(nil), children(t, ns)["Job"]) })
}

// database plays the status of the only target's container.
type database struct {
	mu     sync.Mutex
	status corev1.ContainerStatus
}

func newDatabase() *database {
	return &database{status: corev1.ContainerStatus{
		Name: resources.ServerContainer, Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
	}}
}

func (d *database) now(*corev1.Pod) *corev1.ContainerStatus {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.status.DeepCopy()
}

// restart of the container, and what is said of its end.
func (d *database) restart(how corev1.ContainerStateTerminated) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.status.RestartCount++
	d.status.LastTerminationState = corev1.ContainerState{Terminated: &how}
}

// targetPod reads the pod of the target db.
func targetPod(t *testing.T, namespace string) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{}
	err := server.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: contract.TargetName("run", "db") + "-0"}, pod)
	if client.IgnoreNotFound(err) != nil {
		t.Errorf("reading the database pod: %v", err)
	}
	return pod
}

// until waits for something about the target's pod, and then for the manager's cache.
func until(t *testing.T, namespace string, holds func(*corev1.Pod) bool) {
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds(targetPod(t, namespace)) {
			time.Sleep(300 * time.Millisecond)
			return
		}
	}
	t.Error("the database pod never was as it should be")
}

func restarted(pod *corev1.Pod) bool {
	return len(pod.Status.ContainerStatuses) == 1 && pod.Status.ContainerStatuses[0].RestartCount == 1
}

// What happens to the database in the second trial, and what the client says of it.
func TestCauseOfAFailureIsFound(t *testing.T) {
	t.Parallel()
	oom := corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}
	lostServer := func(res *contract.Result) *contract.Result {
		return fails(res, contract.ReasonConnectionLost, "broken pipe")
	}
	tests := map[string]struct {
		happens func(t *testing.T, namespace string, db *database, res *contract.Result) *contract.Result
		reason  string
		message string
		// previous: the log of the container that ended is kept, not that of the new one.
		previous bool
	}{
		"a restart that the tool did not notice": {
			happens: func(t *testing.T, ns string, db *database, res *contract.Result) *contract.Result {
				db.restart(corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"})
				until(t, ns, restarted)
				return res
			},
			reason: v1alpha1.ReasonTargetRestarted, message: "restarted while it was measured", previous: true,
		},
		"out of memory, told after the client": {
			happens: func(_ *testing.T, _ string, db *database, res *contract.Result) *contract.Result {
				time.AfterFunc(1500*time.Millisecond, func() { db.restart(oom) })
				return lostServer(res)
			},
			reason: v1alpha1.ReasonTargetOOMKilled, message: "broken pipe", previous: true,
		},
		"a pod that was deleted, and came again": {
			happens: func(t *testing.T, ns string, _ *database, res *contract.Result) *contract.Result {
				old := targetPod(t, ns)
				if err := server.API.Delete(t.Context(), old, client.GracePeriodSeconds(0)); err != nil {
					t.Errorf("deleting the database pod: %v", err)
				}
				until(t, ns, func(p *corev1.Pod) bool {
					return p.UID != "" && p.UID != old.UID && len(p.Status.ContainerStatuses) > 0
				})
				return lostServer(res)
			},
			reason: v1alpha1.ReasonTargetPodDeleted, message: "another took its place",
		},
		"a server that is well says nothing": {
			happens: func(_ *testing.T, _ string, _ *database, res *contract.Result) *contract.Result {
				return lostServer(res)
			},
			reason: string(contract.ReasonConnectionLost), message: "broken pipe",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns, db := server.Namespace(t), newDatabase()
			startManager(t, ns, nil, func(r *Reconciler) { r.Logs = playedLog })
			good := delivers(always(7))
			k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, TargetStatus: db.now, Client: func(trial contract.Trial) *contract.Result {
				res := good(trial)
				if isTrial(trial, 1) {
					return tt.happens(t, ns, db, res)
				}
				return res
			}})
			run := newRun(t, ns, goesOn)
			create(t, run)
			got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
			checkOnce(t, k, got, 3)
			rec := records(t, got)[1]
			if rec.State != contract.Failed || rec.Reason != tt.reason || !strings.Contains(rec.Message, tt.message) || rec.Valid != nil {
				t.Errorf("the trial: %s, %s: %s; want %s with %q", rec.State, rec.Reason, rec.Message, tt.reason, tt.message)
			}
			if got.Status.Summary[0].TrialCount != 2 {
				t.Errorf("summary %+v", got.Status.Summary)
			}
			// The result stays beside the log.
			cm, _ := readResult(t, ns, rec.Result)
			want := fmt.Sprintf("== pod run-trial-00001-0-abcde, container agent\n%s\n== pod run-trial-00001-0-abcde, container runner\n%s\n== pod run-db-db-0, container %s\n%s\n",
				endOfLog(playedText("agent", false)), endOfLog(playedText("runner", false))[14<<10:], resources.ServerContainer, endOfLog(playedText(resources.ServerContainer, tt.previous)))
			if diff := cmp.Diff(want, cm.Data[contract.KeyLog]); diff != "" {
				t.Errorf("the log differs (-want +got):\n%s", diff)
			}
			if cm, _ := readResult(t, ns, "run-trial-00000-result-0"); cm.Data[contract.KeyLog] != "" {
				t.Error("a trial that succeeded has a log")
			}
		})
	}
}

// keptLog is how many bytes of a log are kept, and endOfLog are the last ones.
const keptLog = 16 << 10

func endOfLog(log string) string { return log[len(log)-keptLog:] }

// playedText is longer than what is kept of a log.
func playedText(container string, previous bool) string {
	return strings.Repeat("x", keptLog) + fmt.Sprintf("the end of %s, previous=%v", container, previous)
}

func playedLog(_ context.Context, _, _, container string, previous bool, _ int64) (string, error) {
	return playedText(container, previous), nil
}
