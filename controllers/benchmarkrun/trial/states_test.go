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
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/config"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/runners/runner"
)

// cluster is what a table test shows to the room: all that it may ask, answered.
type cluster struct {
	in Input
	e  Execution
	// results, by client: absent ones were deleted.
	results map[int]*corev1.ConfigMap
	// trial is nil while there is none.
	trial *corev1.ConfigMap
	// database is the pod of the target, as the API server has it.
	database *corev1.Pod
	// found: an action came upon the results.
	found bool
}

// began is when the world of a test begins.
var began = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// newCluster has a run with one trial of two clients that has not begun.
func newCluster() *cluster {
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "u"},
		Spec: v1alpha1.BenchmarkRunSpec{
			Targets: []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{}}},
			Clients: v1alpha1.Clients{Count: 2},
			Design:  v1alpha1.Design{Warmup: &metav1.Duration{}, Duration: &metav1.Duration{Duration: time.Minute}},
		},
		Status: v1alpha1.BenchmarkRunStatus{
			Resolved: &v1alpha1.Resolved{
				RunnerImage: "tool:1", AgentImage: "agent:1",
				Targets: []v1alpha1.ResolvedTarget{{Name: "db", Shape: &v1alpha1.InstanceShapeSpec{}}},
			},
			Placement: &v1alpha1.Placement{ClientNodeNames: []string{"node"}, Targets: []v1alpha1.TargetPlacement{{Name: "db", NodeName: "node"}}},
			Targets:   []v1alpha1.TargetStatus{{Name: "db", LoadResult: "run-db-load-result-0"}},
		},
	}
	database := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "run-db-db-0", UID: "database"},
		Status:     corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: resources.ServerContainer, Ready: true}}},
	}
	c := &cluster{
		in: Input{
			Run: run, Now: began, Limits: config.Default().Limits,
			Work: accept.Work{Tool: runner.Runner{Name: "tool"}},
			Plan: &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{}}},
			Children: decision.Children{
				Jobs: map[string]*batchv1.Job{}, ClientPods: map[string][]*corev1.Pod{},
				TargetPods: map[string]*corev1.Pod{contract.TargetName("run", "db"): database},
			},
		},
		results: map[int]*corev1.ConfigMap{}, database: database,
	}
	c.e = Measurement(c.in, journal.Position{}, nil, runner.Length{})
	return c
}

// begin makes the objects of the trial.
func (c *cluster) begin() {
	for i := range c.e.Clients {
		c.results[i] = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: contract.ResultName(c.e.Name, i), Annotations: map[string]string{}}}
	}
	c.trial = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: c.e.Name, Annotations: map[string]string{v1alpha1.AnnotationTarget: "database/0"}}}
	c.in.Children.Jobs[c.e.Name] = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Name: c.e.Name, CreationTimestamp: metav1.Time{Time: began},
		Labels: map[string]string{v1alpha1.LabelTrial: "0", v1alpha1.LabelAttempt: "0"},
	}}
}

// pods of the clients, which are starting.
func (c *cluster) pods() {
	c.begin()
	for i := range c.e.Clients {
		c.in.Children.ClientPods[c.e.Name] = append(c.in.Children.ClientPods[c.e.Name], &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("%s-%d", c.e.Name, i), CreationTimestamp: metav1.Time{Time: began},
				Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: fmt.Sprint(i)},
			},
			Spec: corev1.PodSpec{NodeName: "node"},
			Status: corev1.PodStatus{
				Phase:      corev1.PodPending,
				Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: began}}},
				ContainerStatuses: []corev1.ContainerStatus{{Name: resources.RunnerContainer,
					State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}},
			},
		})
	}
}

func (c *cluster) client(i int) *corev1.PodStatus {
	return &c.in.Children.ClientPods[c.e.Name][i].Status
}

// ready: a client says that it can start.
func (c *cluster) ready(i int) {
	c.client(i).Phase = corev1.PodRunning
	c.client(i).ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	c.results[i].Annotations[v1alpha1.AnnotationReady] = "true"
}

func (c *cluster) start() { c.trial.Annotations[v1alpha1.AnnotationStart] = "now" }

// deliver a result that succeeded, or one with a reason.
func (c *cluster) deliver(i int, reason contract.Reason) {
	ref := c.e.Ref
	ref.Client = i
	res := contract.Result{Version: contract.ResultVersion, Trial: ref, State: contract.Succeeded, RawSHA256: contract.Digest(nil)}
	exit := int32(0)
	if reason != "" {
		res.State, res.Failure, exit = contract.Failed, &contract.Failure{Reason: reason, Message: "it failed"}, 1
	}
	data, err := contract.Encode(res)
	if err != nil {
		panic(err)
	}
	if cm := c.results[i]; cm != nil {
		cm.BinaryData = map[string][]byte{contract.KeyResult: data}
	}
	told := contract.Termination{Version: contract.TerminationVersion, SHA256: contract.Digest(data), State: res.State, Reason: reason}
	c.client(i).ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: exit, Message: string(told.Encode()), FinishedAt: metav1.Time{Time: c.in.Now},
	}}
}

// known is the answer to everything that the room may ask.
func (c *cluster) known() decision.Known {
	k := decision.Known{}.
		With(decision.GetNode{Name: "node"}, &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}).
		With(decision.GetObject{Kind: decision.KindRole, Name: contract.ClientName("run")}, decision.Absent{}).
		With(decision.GetObject{Kind: decision.KindRoleBinding, Name: contract.ClientName("run")}, decision.Absent{}).
		With(decision.GetObject{Kind: decision.KindJob, Name: c.e.Name}, decision.Absent{}).
		With(decision.ReadLog{Pod: "run-db-db-0", Container: resources.ServerContainer}, "the log")
	with := func(name string, cm *corev1.ConfigMap) {
		object, meta, res := decision.GetObject{Kind: decision.KindConfigMap, Name: name}, decision.GetMetadata{Name: name}, decision.GetResult{Name: name}
		if cm == nil {
			k = k.With(object, decision.Absent{}).With(meta, decision.Absent{}).With(res, decision.Absent{})
			return
		}
		k = k.With(object, cm).With(meta, &metav1.PartialObjectMetadata{ObjectMeta: cm.ObjectMeta}).With(res, decision.DeliveredIn(cm))
	}
	for i := range c.e.Clients {
		if c.found || c.in.Children.Jobs[c.e.Name] != nil {
			with(contract.ResultName(c.e.Name, i), c.results[i])
		}
		k = k.With(decision.ReadLog{Pod: fmt.Sprintf("%s-%d", c.e.Name, i), Container: resources.RunnerContainer}, "the log")
	}
	with(c.e.Name, c.trial)
	if c.database == nil {
		return k.With(decision.GetObject{Kind: decision.KindPod, Name: "run-db-db-0"}, decision.Absent{})
	}
	return k.With(decision.GetObject{Kind: decision.KindPod, Name: "run-db-db-0"}, c.database)
}

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
	"marked, no Job": {"spec.suspend": "wait Suspended", "another client works": "wait; stop other"},
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
		"*v1.Role run-assay-client", "*v1.RoleBinding run-assay-client", "*v1.Job run-trial-00000",
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
