package e2e

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/evidence"
	"github.com/assay-bench/assay/test/helpers/reliability"
)

// tally is what a row counts.
type tally struct {
	reliability.Row
	ns string
	// trials of each run.
	planned map[string]int
	// explained are the reasons that the fault explains, for any attempt.
	explained []string
	faults    []*fault

	mu sync.Mutex
	// measured are the pods that ended well, by the attempt and the client.
	measured map[string]map[types.UID]bool
}

// newTally begins a row; it is saved when the test ends.
func newTally(t *testing.T, name string) *tally {
	t.Helper()
	machine, _ := os.Hostname() // a missing name is no reason to play nothing
	c := tallyIn(t, cluster.Namespace(t))
	c.Row = reliability.Row{Name: name, Commit: evidence.Commit(), Machine: machine, Reasons: map[string]int{}}
	t.Cleanup(func() {
		c.Date = time.Now()
		t.Logf("%s: %d faults, %d runs, %d trials, %d retries; lost %d, doubled %d, hung %d, zero %d, wrong reason %d; %v %s %s",
			name, c.Injected, c.Runs, c.Trials, c.Retries, c.Lost, c.Doubled, c.Hung, c.Zero, c.Wrong, c.Reasons, c.Note, c.NotRun)
		if err := c.Save(*reports); err != nil {
			t.Error(err)
		}
	})
	return c
}

// tallyIn a namespace, which is part of a row.
func tallyIn(t *testing.T, ns string) *tally {
	t.Helper()
	c := &tally{ns: ns, planned: map[string]int{}, measured: map[string]map[types.UID]bool{}}
	c.Reasons = map[string]int{}
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
			c.watch(ctx)
		}
	})
	t.Cleanup(func() { stop(); watching.Wait() })
	return c
}

// watch which pods measured.
func (c *tally) watch(ctx context.Context) {
	var pods corev1.PodList
	if cluster.API.List(ctx, &pods, client.InNamespace(c.ns)) != nil {
		return // the API server may be away
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pod := range pods.Items {
		job := pod.Labels[batchv1.JobNameLabel]
		if job == "" || pod.Status.Phase != corev1.PodSucceeded {
			continue
		}
		key := job + "-" + pod.Annotations[batchv1.JobCompletionIndexAnnotation]
		if c.measured[key] == nil {
			c.measured[key] = map[types.UID]bool{}
		}
		c.measured[key][pod.UID] = true
	}
}

// chaosDesign has room for the number of trials, their window and more.
const chaosDesign = "  design: {blocks: %d, warmup: 0s, duration: %s, onTrialFailure: Retry, maxRetries: 5%s}\n"

// create a run of so many trials; more is put behind its spec.
func (c *tally) create(t *testing.T, name string, trials int, window time.Duration, more string) *v1alpha1.BenchmarkRun {
	t.Helper()
	return c.apply(t, name, trials, cluster.RunYAML(name, "", fmt.Sprintf(chaosDesign, trials, window, "")+more))
}

func (c *tally) apply(t *testing.T, name string, trials int, text string) *v1alpha1.BenchmarkRun {
	t.Helper()
	c.planned[name] = trials
	return cluster.Apply(t, c.ns, text)
}

// suffer follows a run until it has ended, does each fault once in a measured window of another trial, and judges. Each
// look at the run, other may do something too.
func (c *tally) suffer(t *testing.T, run *v1alpha1.BenchmarkRun, limit time.Duration, faults []*fault, other func(*v1alpha1.BenchmarkRun)) {
	t.Helper()
	c.faults = append(c.faults, faults...)
	next, hit, last := 0, map[string]bool{}, ""
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		got := &v1alpha1.BenchmarkRun{}
		if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Logf("reading the run: %v", err)
			continue
		}
		if line := string(got.Status.Phase) + " " + got.Status.Progress.Text + " " + cluster.Message(got, v1alpha1.ConditionReconciling); line != last {
			t.Log(line)
			last = line
		}
		if got.Finished() {
			if next < len(faults) {
				t.Errorf("the run ended before the fault %q could be done", faults[next].name)
			}
			c.judge(t, got)
			return
		}
		if next < len(faults) && aim(t, got, faults[next]) && !hit[faults[next].job] {
			f := faults[next]
			t.Logf("the %s, in %s", f.name, f.job)
			hit[f.job] = true
			f.do(t, f)
			c.Injected++
			next++
		}
		if other != nil {
			other(got)
		}
	}
	c.hung(t, run)
}

func (c *tally) hung(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	c.Runs++
	c.Hung++
	got := &v1alpha1.BenchmarkRun{}
	err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(run), got)
	t.Errorf("%s hangs (%v): %s, %+v", run.Name, err, got.Status.Phase, got.Status.Conditions)
}

// judge a run that has ended: its journal against the plan, each record against what is stored.
func (c *tally) judge(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	trials := c.planned[run.Name]
	c.Runs++
	c.Trials += trials
	if failed := cluster.Condition(run, v1alpha1.ConditionFailed); failed != nil {
		c.Wrong++
		t.Errorf("%s failed: %s: %s", run.Name, failed.Reason, failed.Message)
	}
	if run.Status.Results == nil {
		c.Lost += trials
		t.Errorf("%s has no journal", run.Name)
		return
	}
	want, ends := journal.Position{}, map[int32]int{}
	records := cluster.Records(t, run)
	for _, rec := range records {
		if at := (journal.Position{Index: rec.Index, Attempt: rec.Attempt}); at != want {
			t.Errorf("%s: the journal goes on with trial %+v, want %+v", run.Name, at, want)
		}
		want = journal.Position{Index: rec.Index, Attempt: rec.Attempt + 1}
		if rec.Final {
			want = journal.Position{Index: rec.Index + 1}
			ends[rec.Index]++
		} else {
			c.Retries++
		}
		c.judgeRecord(t, run, rec)
	}
	for i := range int32(trials) {
		switch n := ends[i]; {
		case n == 0:
			c.Lost++
			t.Errorf("%s: trial %d has no end in the journal", run.Name, i)
		case n > 1:
			c.Doubled++
			t.Errorf("%s: trial %d has %d ends in the journal", run.Name, i, n)
		}
	}
	if p := run.Status.Progress; int(p.Done) != len(ends) || int(p.Retries) != len(records)-len(ends) {
		c.Wrong++
		t.Errorf("%s: the journal has %d trials of %d records, the status counts %+v", run.Name, len(ends), len(records), p.Totals)
	}
	c.judgePods(t, run)
}

// judgePods: no attempt was measured by two pods.
func (c *tally) judgePods(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(c.measured)) {
		if n := len(c.measured[key]); n > 1 && strings.HasPrefix(key, run.Name+"-") {
			c.Doubled++
			t.Errorf("%d pods measured %s", n, key)
		}
	}
}

// judgeRecord of one attempt.
func (c *tally) judgeRecord(t *testing.T, run *v1alpha1.BenchmarkRun, rec contract.Record) {
	t.Helper()
	what := contract.TrialName(run.Name, rec.Index, rec.Attempt)
	explained := c.explained
	for _, f := range c.faults {
		if f.job == what {
			explained = f.want
			t.Logf("%s: %s %s %s: %s; %+v; %+v", f.name, what, rec.State, rec.Reason, rec.Message, rec.Values, rec.Findings)
			if f.shows != nil {
				if why := f.shows(rec); why != "" {
					c.Wrong++
					t.Errorf("%s: %s: %s: %+v", f.name, what, why, rec)
				}
			}
		}
	}
	if rec.State == contract.Failed {
		c.Reasons[rec.Reason]++
		if !slices.Contains(explained, rec.Reason) {
			c.Wrong++
			t.Errorf("%s failed as %q (%s), which nothing explains but %v", what, rec.Reason, rec.Message, explained)
		}
		if len(rec.Values) > 0 || rec.Reason == "" {
			c.Zero++
			t.Errorf("%s failed, and has the reason %q and the values %+v", what, rec.Reason, rec.Values)
		}
		return
	}
	if len(rec.Values) == 0 || !(rec.Values[0].Value > 0) || math.IsInf(rec.Values[0].Value, 0) {
		c.Zero++
		t.Errorf("%s succeeded with the values %+v", what, rec.Values)
		return
	}
	if why := differs(t.Context(), run.Namespace, rec); why != "" {
		c.Zero++
		t.Errorf("%s: %s", what, why)
	}
}

// differs says how the stored result of a record contradicts it; empty when it does not.
func differs(ctx context.Context, ns string, rec contract.Record) string {
	cm := &corev1.ConfigMap{}
	if err := cluster.API.Get(ctx, client.ObjectKey{Namespace: ns, Name: rec.Result}, cm); err != nil {
		return fmt.Sprintf("reading its result: %v", err)
	}
	res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
	if err != nil {
		return fmt.Sprintf("decoding its result: %v", err)
	}
	stored, ok := res.Find(contract.NameThroughput, nil)
	if !ok || stored.Value == nil || *stored.Value != rec.Values[0].Value {
		return fmt.Sprintf("it is recorded with %g, and its result says %+v", rec.Values[0].Value, stored)
	}
	if res.Trial.Index == nil || *res.Trial.Index != int(rec.Index) {
		return fmt.Sprintf("it has the result of %+v", res.Trial)
	}
	return ""
}
