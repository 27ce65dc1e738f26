package trial

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// states of an execution, in the order in which it goes through them.
var states = []struct {
	name string
	show func(*cluster)
}{
	{"not begun", func(*cluster) {}},
	{"marked, no Job", func(c *cluster) {
		c.pods()
		c.ready(0)
		c.found = true
		c.in.Children.Jobs, c.in.Children.ClientPods = map[string]*batchv1.Job{}, map[string][]*corev1.Pod{}
	}},
	{"Job without pods", (*cluster).begin},
	{"clients start", (*cluster).pods},
	{"one is ready", func(c *cluster) { c.pods(); c.ready(0) }},
	{"all are ready", func(c *cluster) { c.pods(); c.ready(0); c.ready(1) }},
	{"started", func(c *cluster) { c.pods(); c.ready(0); c.ready(1); c.start() }},
	{"one has ended", func(c *cluster) { c.pods(); c.ready(0); c.ready(1); c.start(); c.deliver(0, "") }},
	{"all have ended", func(c *cluster) {
		c.pods()
		c.ready(0)
		c.ready(1)
		c.start()
		c.deliver(0, "")
		c.deliver(1, "")
	}},
}

// clients says whether there are pods that something can happen to.
func (c *cluster) clients() bool { return len(c.in.Children.ClientPods[c.e.Name]) > 0 }

// event is something that happens to an execution.
type event struct {
	name string
	do   func(*cluster)
}

// events that may come in any state.
var events = []event{
	{"nothing", func(*cluster) {}},
	{"spec.suspend", func(c *cluster) { c.in.Run.Spec.Suspend = true }},
	{"another client works", func(c *cluster) {
		c.in.Children.Jobs["other"] = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
		c.in.Children.ClientPods["other"] = []*corev1.Pod{{Status: corev1.PodStatus{Phase: corev1.PodRunning}}}
	}},
	{"a client fails", func(c *cluster) {
		if c.clients() {
			c.deliver(1, contract.ReasonToolFailed)
		}
	}},
	{"a client is evicted", func(c *cluster) {
		if c.clients() {
			c.client(1).Phase = corev1.PodFailed
			c.client(1).ContainerStatuses = nil
			c.client(1).Conditions = append(c.client(1).Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI"})
		}
	}},
	{"the pods are gone", func(c *cluster) {
		delete(c.in.Children.ClientPods, c.e.Name)
		if job := c.in.Children.Jobs[c.e.Name]; job != nil {
			job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded"}}
		}
	}},
	{"a result is deleted", func(c *cluster) { delete(c.results, 1) }},
	{"the Job is deleted", func(c *cluster) {
		c.in.Children.Jobs, c.in.Children.ClientPods = map[string]*batchv1.Job{}, map[string][]*corev1.Pod{}
		c.found = len(c.results) > 0
	}},
	{"the database restarts", func(c *cluster) {
		c.database = c.database.DeepCopy()
		c.database.Status.ContainerStatuses[0].RestartCount = 1
	}},
	{"an hour passes", func(c *cluster) { c.in.Now = began.Add(time.Hour) }},
}

// said is an answer in short: the state, and what is done.
func said(r Result) string {
	words := []string{}
	switch state := r.State.(type) {
	case decision.Waiting:
		words = append(words, "wait")
		if state.Reason != v1alpha1.ReasonProgressing {
			words[0] += " " + state.Reason
		}
	case decision.Failed:
		words = append(words, "run fails: "+state.Reason)
	case decision.Done:
		words = append(words, "ended")
		if r.End.Reason != "" {
			words[0] += " " + r.End.Reason
		}
	}
	var done []string
	for _, a := range r.Actions {
		switch a := a.(type) {
		case decision.Create:
			if _, is := a.Object.(*batchv1.Job); is {
				done = append(done, "begin")
			}
		case decision.Replace:
			done = append(done, "start")
		case decision.Delete:
			done = append(done, "stop "+a.Object.GetName())
		case decision.AddData:
			done = append(done, "log")
		}
	}
	if len(done) > 0 {
		words = append(words, strings.Join(done, ", "))
	}
	return strings.Join(words, "; ")
}

// Every state of an execution, and every event that may come in it. An empty entry is
// that of the event "nothing".
func TestStateMachine(t *testing.T) {
	for _, state := range states {
		for _, event := range events {
			t.Run(state.name+"/"+event.name, func(t *testing.T) {
				c := newCluster()
				state.show(c)
				event.do(c)
				ask := c.known().Ask()
				got := said(Decide(c.in, c.e, ask))
				if !ask.Complete() {
					t.Fatalf("the room asks %+v", ask.Missing())
				}
				want, listed := want[state.name][event.name]
				if !listed {
					want = wantNothing[state.name]
				}
				if got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
	}
	for state, byEvent := range want {
		for name := range byEvent {
			known := slices.ContainsFunc(events, func(e event) bool { return e.name == name })
			if !known || wantNothing[state] == "" {
				t.Errorf("there is no %s/%s", state, name)
			}
		}
	}
}

// wantNothing is what follows from a state alone.
var wantNothing = map[string]string{
	"not begun": "wait; begin", "marked, no Job": "ended ClientLost; log",
	"Job without pods": "wait", "clients start": "wait", "one is ready": "wait",
	"all are ready": "wait; start", "started": "wait", "one has ended": "wait", "all have ended": "ended",
}

// want is where an event makes a difference.
var want = map[string]map[string]string{
	"not begun":      {"spec.suspend": "wait Suspended", "another client works": "wait; stop other"},
	"marked, no Job": {"spec.suspend": "wait Suspended"},
	"Job without pods": {
		"the pods are gone": "ended ClientLost; log", "a result is deleted": "ended ResultMissing; log",
		"the Job is deleted": "wait; begin", "an hour passes": "ended PodRejected; log",
	},
	"clients start": {
		"a client fails": "ended ToolFailed; log", "a client is evicted": "ended PodEvicted; log", "the pods are gone": "ended ClientLost; log",
		"a result is deleted": "ended ResultMissing; log", "the Job is deleted": "wait; begin", "an hour passes": "ended ContainerStartFailed; log",
	},
	"one is ready": {
		"a client fails": "ended ToolFailed; log", "a client is evicted": "ended PodEvicted; log", "the pods are gone": "ended ClientLost; log",
		"a result is deleted": "ended ResultMissing; log", "the Job is deleted": "ended ClientLost; log", "an hour passes": "ended ContainerStartFailed; log",
	},
	"all are ready":  broken,
	"started":        broken,
	"one has ended":  broken,
	"all have ended": with(broken, "the database restarts", "ended TargetRestarted; log"),
}

// broken is what ends an execution that is under way.
var broken = map[string]string{
	"a client fails": "ended ToolFailed; log", "a client is evicted": "ended PodEvicted; log", "the pods are gone": "ended ClientLost; log",
	"a result is deleted": "ended ResultMissing; log", "the Job is deleted": "ended ClientLost; log",
}

func with(m map[string]string, key, value string) map[string]string {
	m = maps.Clone(m)
	m[key] = value
	return m
}

// The results come first and the Job last, so that whatever is there says how far the
// beginning came.
func TestBeginningEndsWithTheJob(t *testing.T) {
	c := newCluster()
	var got []string
	for _, a := range Decide(c.in, c.e, c.known().Ask()).Actions {
		create := a.(decision.Create)
		name := fmt.Sprintf("%T %s", create.Object, create.Object.GetName())
		if create.Existing == decision.KeepUnmarked {
			name += " unless it was touched"
		}
		got = append(got, name)
	}
	want := []string{
		"*v1.ConfigMap run-trial-00000-result-0 unless it was touched", "*v1.ConfigMap run-trial-00000-result-1 unless it was touched",
		"*v1.ConfigMap run-trial-00000", "*v1.ServiceAccount run-assay-client", "*v1.PodDisruptionBudget run-assay-client",
		"*v1.NetworkPolicy run-assay-client", "*v1.Role run-assay-client", "*v1.RoleBinding run-assay-client", "*v1.Job run-trial-00000",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// While a trial runs, a pass asks nothing that the cache cannot answer.
func TestARunningTrialCostsNoCall(t *testing.T) {
	for _, state := range []string{"Job without pods", "clients start", "one is ready", "started", "one has ended"} {
		c := newCluster()
		for _, s := range states {
			if s.name == state {
				s.show(c)
			}
		}
		known, all := decision.Known{}, c.known()
		for range 10 {
			ask := known.Ask()
			Decide(c.in, c.e, ask)
			for _, q := range ask.Missing() {
				switch q.(type) {
				case decision.GetMetadata, decision.GetNode:
				default:
					t.Fatalf("%s: the room asks %+v", state, q)
				}
			}
			if ask.Complete() {
				break
			}
			known = all
		}
	}
}
