package benchmarkrun

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	eventsv1 "k8s.io/api/events/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// failing is a client of which some attempts fail: bad is asked for the trial and
// the attempt at it, both from 0. It is always the first of several clients that
// fails: the others may be ended before they begin.
func failing(good kubelet.Client, bad func(index, attempt int) bool) kubelet.Client {
	var mu sync.Mutex
	begun := map[int]int{} // by trial
	return func(trial contract.Trial) *contract.Result {
		res := good(trial)
		if trial.Ref.Index == nil || trial.Ref.Client > 0 {
			return res
		}
		index := *trial.Ref.Index
		mu.Lock()
		attempt := begun[index]
		begun[index]++
		mu.Unlock()
		if bad(index, attempt) {
			return fails(res, contract.ReasonToolFailed, fmt.Sprintf("attempt %d is to fail", attempt))
		}
		return res
	}
}

// attempts tells the journal in words: trial/attempt, state, and ! for a final one.
func attempts(t *testing.T, run *v1alpha1.BenchmarkRun) []string {
	t.Helper()
	var out []string
	for _, rec := range records(t, run) {
		word := fmt.Sprintf("%d/%d %s", rec.Index, rec.Attempt, rec.State)
		if rec.Final {
			word += "!"
		}
		out = append(out, word)
	}
	return out
}

func TestOnTrialFailure(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy v1alpha1.TrialFailurePolicy
		bad    func(index, attempt int) bool
		// reason of the run's failure; empty for Complete.
		reason   string
		attempts []string
		totals   v1alpha1.Totals
		// n of the summary; 0 for none.
		n int32
		// tools that were started, besides the load.
		tools []string
	}{
		"Stop ends the run": {
			policy: v1alpha1.OnFailureStop, bad: func(i, _ int) bool { return i == 1 }, reason: string(contract.ReasonToolFailed),
			attempts: []string{"0/0 Succeeded!", "1/0 Failed!"},
			totals:   v1alpha1.Totals{Done: 2, Succeeded: 1, Failed: 1}, n: 1,
			tools: []string{"run-trial-00000", "run-trial-00001"},
		},
		"Continue goes on": {
			policy: v1alpha1.OnFailureContinue, bad: func(i, _ int) bool { return i == 1 },
			attempts: []string{"0/0 Succeeded!", "1/0 Failed!", "2/0 Succeeded!"},
			totals:   v1alpha1.Totals{Done: 3, Succeeded: 2, Failed: 1}, n: 2,
			tools: []string{"run-trial-00000", "run-trial-00001", "run-trial-00002"},
		},
		"Retry repeats the trial": {
			policy: v1alpha1.OnFailureRetry, bad: func(i, a int) bool { return i == 1 && a == 0 },
			attempts: []string{"0/0 Succeeded!", "1/0 Failed", "1/1 Succeeded!", "2/0 Succeeded!"},
			totals:   v1alpha1.Totals{Done: 3, Succeeded: 3, Retries: 1}, n: 3,
			tools: []string{"run-trial-00000", "run-trial-00001", "run-trial-00001-r1", "run-trial-00002"},
		},
		"Retry gives up in the end, and the run goes on": {
			policy: v1alpha1.OnFailureRetry, bad: func(i, _ int) bool { return i == 1 },
			attempts: []string{"0/0 Succeeded!", "1/0 Failed", "1/1 Failed", "1/2 Failed!", "2/0 Succeeded!"},
			totals:   v1alpha1.Totals{Done: 3, Succeeded: 2, Failed: 1, Retries: 2}, n: 2,
			tools: []string{"run-trial-00000", "run-trial-00001", "run-trial-00001-r1", "run-trial-00001-r2", "run-trial-00002"},
		},
		"a run of which no trial succeeds has failed": {
			policy: v1alpha1.OnFailureContinue, bad: func(int, int) bool { return true }, reason: v1alpha1.ReasonAllTrialsFailed,
			attempts: []string{"0/0 Failed!", "1/0 Failed!", "2/0 Failed!"},
			totals:   v1alpha1.Totals{Done: 3, Failed: 3},
			tools:    []string{"run-trial-00000", "run-trial-00001", "run-trial-00002"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: failing(delivers(always(50)), tt.bad)})
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.OnTrialFailure, r.Spec.Design.MaxRetries = tt.policy, 2 })
			create(t, run)
			got := await(t, run, "finished", (*v1alpha1.BenchmarkRun).Finished)
			if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed); tt.reason != "" && (c == nil || c.Reason != tt.reason) {
				t.Errorf("failed with %+v, want %s", c, tt.reason)
			}
			if tt.reason == "" && !isTrue(v1alpha1.ConditionComplete)(got) {
				t.Errorf("not Complete: %+v", got.Status.Conditions)
			}
			if diff := cmp.Diff(tt.attempts, attempts(t, got)); diff != "" {
				t.Errorf("the journal differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.totals, got.Status.Progress.Totals); diff != "" {
				t.Errorf("totals differ (-want +got):\n%s", diff)
			}
			if s := got.Status.Summary; (tt.n == 0) != (len(s) == 0) || tt.n > 0 && s[0].TrialCount != tt.n {
				t.Errorf("summary %+v, want n=%d", s, tt.n)
			}
			checkTools(t, k, tt.tools)
			checkFailuresAreSeen(t, got)
		})
	}
}

// checkTools: each of these was started once, and no other.
func checkTools(t *testing.T, k *kubelet.Kubelet, jobs []string) {
	t.Helper()
	want := map[string]int{"run-db-load": 1}
	for _, name := range jobs {
		want[name] = 1
	}
	if diff := cmp.Diff(want, k.ToolStarts()); diff != "" {
		t.Errorf("tools that were started (-want +got):\n%s", diff)
	}
}

// checkFailuresAreSeen: every attempt that failed says why: in the status, in its
// stored result, and as an event.
func checkFailuresAreSeen(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	for _, rec := range records(t, run) {
		if rec.State != contract.Failed {
			continue
		}
		if diff := cmp.Diff([]string{"ToolFailed", fmt.Sprintf("attempt %d is to fail", rec.Attempt)}, []string{rec.Reason, rec.Message}); diff != "" {
			t.Errorf("trial %d (-want +got):\n%s", rec.Index, diff)
		}
		if i := slices.IndexFunc(run.Status.Trials, func(s v1alpha1.TrialStatus) bool {
			return s.Index == rec.Index && s.Attempt == rec.Attempt && s.State == v1alpha1.TrialFailed && s.Reason == rec.Reason
		}); i < 0 {
			t.Errorf("attempt %d/%d is not in the status: %+v", rec.Index, rec.Attempt, run.Status.Trials)
		}
		if _, res := readResult(t, run.Namespace, rec.Result); res.State != contract.Failed {
			t.Errorf("%s says %s", rec.Result, res.State)
		}
		awaitEvent(t, run, "TrialFailed", fmt.Sprintf("trial %d, attempt %d (target db): ToolFailed", rec.Index, rec.Attempt))
	}
}

// awaitEvent looks for an event about a run.
func awaitEvent(t *testing.T, run *v1alpha1.BenchmarkRun, reason, note string) {
	t.Helper()
	eventually(t, "event "+reason+": "+note, func() string {
		var list eventsv1.EventList
		if err := server.API.List(t.Context(), &list, client.InNamespace(run.Namespace)); err != nil {
			t.Fatal(err)
		}
		var seen []string
		for _, e := range list.Items {
			if e.Regarding.Name == run.Name && e.Reason == reason && strings.Contains(e.Note, note) {
				return ""
			}
			seen = append(seen, e.Regarding.Name+" "+e.Reason+": "+e.Note)
		}
		return "there are only:\n" + strings.Join(seen, "\n")
	})
}
