package target

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/config"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/resources"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// world is the input of a test with the nodes that exist.
type world struct {
	in    Input
	nodes map[string]*corev1.Node
}

// change of a world: a state that it is in, or something that happened in it.
type change func(*world)

// newWorld has a run with the servers a and b, placed and accepted, of which nothing exists.
func newWorld(changes ...change) *world {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "0123456789"}}
	run.Status.Resolved = &v1alpha1.Resolved{AgentImage: "agent:1"}
	run.Status.Placement = &v1alpha1.Placement{ClientNodeNames: []string{"n9"}}
	for i, name := range []string{"a", "b"} {
		run.Spec.Targets = append(run.Spec.Targets, v1alpha1.Target{Name: name, MySQL: &v1alpha1.MySQLTarget{
			Flavor: "MySQL", StorageEngine: "InnoDB", Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi")},
		}})
		run.Status.Resolved.Targets = append(run.Status.Resolved.Targets, v1alpha1.ResolvedTarget{
			Name: name, Image: "mysql:1", Shape: &v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi")},
		})
		run.Status.Placement.Targets = append(run.Status.Placement.Targets, v1alpha1.TargetPlacement{Name: name, NodeName: fmt.Sprintf("n%d", i)})
	}
	w := &world{
		in: Input{Run: run, Now: now, Limits: config.Default().Limits, Children: decision.Children{
			StatefulSets: map[string]*appsv1.StatefulSet{}, TargetPods: map[string]*corev1.Pod{},
		}},
		nodes: map[string]*corev1.Node{"n0": {ObjectMeta: metav1.ObjectMeta{Name: "n0"}}, "n1": {ObjectMeta: metav1.ObjectMeta{Name: "n1"}}},
	}
	for _, n := range w.nodes {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	}
	for _, c := range changes {
		c(w)
	}
	return w
}

// decide as a pass does: with every fact that the room asks for.
func (w *world) decide(t *testing.T) Result {
	t.Helper()
	var known decision.Known
	for range 3 {
		ask := known.Ask()
		res := Decide(w.in, ask)
		if ask.Complete() {
			return res
		}
		for _, q := range ask.Missing() {
			name := q.(decision.GetNode).Name
			if node := w.nodes[name]; node != nil {
				known = known.With(q, node)
			} else {
				known = known.With(q, decision.Absent{})
			}
		}
	}
	t.Fatal("the room goes on asking")
	return Result{}
}

// replicated gives target a one replica.
func replicated(w *world) {
	w.in.Run.Spec.Targets[0].MySQL.Replication = &v1alpha1.Replication{Mode: v1alpha1.ReplicationAsync, Replicas: 1}
	w.in.Run.Status.Placement.Targets[0].ReplicaNodeNames = []string{"n1"}
}

// active: with idleTargets: Stopped it is the turn of a target.
func active(target string) change {
	return func(w *world) {
		w.in.Run.Spec.Design.IdleTargets = v1alpha1.IdleStopped
		w.in.Active = target
	}
}

// loaded: the data of targets is loaded.
func loaded(targets ...string) change {
	return func(w *world) {
		for _, name := range targets {
			w.in.Run.Status.Targets = append(w.in.Run.Status.Targets, v1alpha1.TargetStatus{Name: name, LoadResult: "loaded"})
		}
	}
}

func measuring(w *world) { w.in.Measuring = true }

// set: the StatefulSet of a server exists, since a while ago.
func set(target string, replicas int32, ago time.Duration) change {
	return func(w *world) {
		name := contract.TargetName("run", target)
		w.in.Children.StatefulSets[name] = &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.Time{Time: now.Add(-ago)}},
			Spec:       appsv1.StatefulSetSpec{Replicas: &replicas},
		}
	}
}

// server: a pod of a server exists, with its StatefulSet.
func server(target string, status corev1.ContainerStatus) change {
	return func(w *world) {
		set(target, 1, time.Minute)(w)
		name, node := contract.TargetName("run", target), "n0"
		if target == "b" {
			node = "n1"
		}
		status.Name = resources.ServerContainer
		w.in.Children.TargetPods[name] = &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name + "-0", CreationTimestamp: metav1.Time{Time: now.Add(-time.Minute)}},
			Spec:       corev1.PodSpec{NodeName: node},
			Status: corev1.PodStatus{QOSClass: corev1.PodQOSGuaranteed, ContainerStatuses: []corev1.ContainerStatus{status}, Conditions: []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now.Add(-time.Minute)}},
			}},
		}
	}
}

func up(target string) change {
	return server(target, corev1.ContainerStatus{Ready: true, ImageID: "sha"})
}

func starting(target string) change {
	return server(target, corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Time{Time: now}}}})
}

// restarting: its server ended, and is being started again.
func restarting(target string) change {
	return server(target, corev1.ContainerStatus{
		RestartCount: 1, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Time{Time: now}}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 139, StartedAt: metav1.Time{Time: now.Add(-2 * time.Minute)}}},
	})
}

func outOfMemory(target string) change {
	return server(target, corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}}})
}

func unpullable(target string) change {
	return server(target, corev1.ContainerStatus{Image: "mysql:1", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}})
}

// unscheduled: no node was found yet for the pod of a server.
func unscheduled(target string) change {
	return func(w *world) {
		pod := w.in.Children.TargetPods[contract.TargetName("run", target)]
		pod.Spec.NodeName, pod.Status = "", corev1.PodStatus{}
	}
}

// nodeNotReady: the kubelet of b's node has just stopped to answer.
func nodeNotReady(w *world) {
	w.nodes["n1"].Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Time{Time: now}}}
}

// words of a state and of actions, to be compared.
func words(state decision.State) string {
	switch s := state.(type) {
	case decision.Waiting:
		return "wait " + s.Reason + ": " + s.Message
	case decision.Failed:
		return "fail " + s.Reason + ": " + s.Message
	case decision.Done:
		return strings.TrimSuffix("done "+s.Reason+": "+s.Message, ": ")
	}
	return "nothing"
}

func actions(list []decision.Action) (out []string) {
	for _, action := range list {
		switch a := action.(type) {
		case decision.Create:
			kind := fmt.Sprintf("%T", a.Object)
			out = append(out, "create "+kind[strings.LastIndex(kind, ".")+1:]+" "+a.Object.GetName())
		case decision.CreateSecret:
			out = append(out, "create Secret of "+a.Target.Spec.Name)
		case decision.Scale:
			out = append(out, fmt.Sprintf("scale %s to %d", a.Name, a.Replicas))
		default:
			out = append(out, fmt.Sprintf("%#v", a))
		}
	}
	return out
}

// made are the actions that create a server. The StatefulSet comes last: when it exists,
// so do all the others.
func made(name string, primary bool) []string {
	var out []string
	if primary {
		out = append(out, "create Secret of "+name)
	}
	name = contract.TargetName("run", name)
	if !primary {
		name = contract.ReplicaName("run", "a", 0)
	}
	for _, kind := range []string{"ConfigMap", "Service", "NetworkPolicy", "PodDisruptionBudget", "StatefulSet"} {
		out = append(out, "create "+kind+" "+name)
	}
	return out
}

const (
	allUp = "done : every target accepts logins"
	turns = "done : one target at a time accepts logins, in its turn"
	idle  = "wait Progressing: stopped until its turn"
	ok    = "done "
)

// Every state of the servers, with what is wanted of them and with what happens to them.
func TestDecide(t *testing.T) {
	a, b := contract.TargetName("run", "a"), contract.TargetName("run", "b")
	replica := contract.ReplicaName("run", "a", 0)
	// the replica of a is up.
	replicaUp := func(w *world) {
		up("a")(w)
		w.in.Children.StatefulSets[replica] = w.in.Children.StatefulSets[a].DeepCopy()
		w.in.Children.StatefulSets[replica].Name = replica
		w.in.Children.TargetPods[replica] = w.in.Children.TargetPods[a].DeepCopy()
	}
	long := config.Default().Limits.PodCreation.Duration + time.Second
	tests := map[string]struct {
		given []change
		// state of the targets together, of a and of b.
		state, a, b string
		actions     []string
	}{
		"nothing exists": {
			nil, "wait Progressing: a: created; b: created", "wait Progressing: created", "wait Progressing: created",
			append(made("a", true), made("b", true)...),
		},
		"one is up": {
			[]change{up("a")}, "wait Progressing: b: created", ok, "wait Progressing: created", made("b", true),
		},
		"both are up":             {[]change{up("a"), up("b")}, allUp, ok, ok, nil},
		"both are up, and loaded": {[]change{up("a"), up("b"), loaded("a", "b")}, allUp, ok, ok, nil},
		"a set without its pod": {
			[]change{set("a", 1, time.Second), up("b")}, "wait Progressing: a: waiting for the pod to be created",
			"wait Progressing: waiting for the pod to be created", ok, nil,
		},
		"a set whose pod nobody makes": {
			[]change{set("a", 1, long), up("b")},
			"fail PodRejected: target a: no pod was created within 1m0s: an admission policy, a quota or a missing permission refuses it; kubectl get events names it",
			"fail PodRejected: no pod was created within 1m0s: an admission policy, a quota or a missing permission refuses it; kubectl get events names it",
			"fail InvalidSpec: the run has no target \"b\" that is measured", nil,
		},
		"a pod of a loaded target that was deleted: its set is older": {
			[]change{set("a", 1, long), up("b"), loaded("a", "b")}, "wait Progressing: a: waiting for the pod to be created",
			"wait Progressing: waiting for the pod to be created", ok, nil,
		},
		"a server that starts": {
			[]change{starting("a"), up("b")}, "wait Progressing: a: the server in pod run-a-db-0 is starting",
			"wait Progressing: the server in pod run-a-db-0 is starting", ok, nil,
		},
		"an image that cannot be pulled is the reason": {
			[]change{unpullable("a"), up("b")}, "wait ImagePullFailed: a: image mysql:1 cannot be pulled (ErrImagePull): ",
			"wait ImagePullFailed: image mysql:1 cannot be pulled (ErrImagePull): ", ok, nil,
		},
		"a server out of memory": {
			[]change{outOfMemory("a"), up("b")},
			"fail TargetOOMKilled: target a: the database of pod run-a-db-0 needed more memory than its shape has: lower its buffers or take a larger shape",
			"fail TargetOOMKilled: the database of pod run-a-db-0 needed more memory than its shape has: lower its buffers or take a larger shape",
			"fail InvalidSpec: the run has no target \"b\" that is measured", nil,
		},
		"a loaded server that restarts": {
			[]change{restarting("a"), up("b"), loaded("a", "b")}, "wait Progressing: a: the server in pod run-a-db-0 is starting again",
			"wait Progressing: the server in pod run-a-db-0 is starting again", ok, nil,
		},
		"a trial is under way: nothing is done about a server that restarts": {
			[]change{restarting("a"), up("b"), loaded("a", "b"), measuring}, allUp, ok, ok, nil,
		},
		"a trial is under way, and its target is gone": {
			[]change{set("a", 1, long), up("b"), loaded("a", "b"), measuring}, allUp, "wait Progressing: waiting for the pod to be created", ok, nil,
		},
		"a set that somebody scaled down": {
			[]change{set("a", 0, time.Second), up("b"), loaded("a", "b")}, "wait Progressing: a: waiting for the pod to be created",
			"wait Progressing: waiting for the pod to be created", ok, []string{"scale " + a + " to 1"},
		},

		"in turn, nothing exists: the first one alone": {
			[]change{active("a")}, "wait Progressing: a: created", "wait Progressing: created", idle, made("a", true),
		},
		"in turn, the first one starts": {
			[]change{active("a"), starting("a")}, "wait Progressing: a: the server in pod run-a-db-0 is starting",
			"wait Progressing: the server in pod run-a-db-0 is starting", idle, nil,
		},
		"in turn, the first one is up": {[]change{active("a"), up("a")}, turns, ok, idle, nil},
		"in turn, the first one is loaded: it has to go first": {
			[]change{active("b"), up("a"), loaded("a")}, turns, "wait Progressing: stopping", "wait Progressing: waiting for target a to stop",
			[]string{"scale " + a + " to 0"},
		},
		"in turn, the first one has gone": {
			[]change{active("b"), set("a", 0, long), loaded("a")}, turns, idle, "wait Progressing: created", made("b", true),
		},
		"in turn, the second one starts": {
			[]change{active("b"), set("a", 0, long), starting("b"), loaded("a")}, turns, idle,
			"wait Progressing: the server in pod run-b-db-0 is starting", nil,
		},
		"in turn, the second one has been here before": {
			[]change{active("b"), set("a", 0, long), set("b", 0, long), loaded("a", "b")}, turns, idle,
			"wait Progressing: waiting for the pod to be created", []string{"scale " + b + " to 1"},
		},
		"in turn, the second one is up": {[]change{active("b"), set("a", 0, long), up("b"), loaded("a", "b")}, turns, idle, ok, nil},
		"in turn, the second one cannot start": {
			[]change{active("b"), set("a", 0, long), outOfMemory("b"), loaded("a")},
			"fail TargetOOMKilled: target b: the database of pod run-b-db-0 needed more memory than its shape has: lower its buffers or take a larger shape",
			idle, "fail TargetOOMKilled: the database of pod run-b-db-0 needed more memory than its shape has: lower its buffers or take a larger shape", nil,
		},
		"in turn, the image of the second one cannot be pulled": {
			[]change{active("b"), set("a", 0, long), unpullable("b"), loaded("a")}, turns, idle,
			"wait ImagePullFailed: image mysql:1 cannot be pulled (ErrImagePull): ", nil,
		},
		"in turn, the second one restarts: that is no turn": {
			[]change{active("b"), set("a", 0, long), restarting("b"), loaded("a", "b")}, "wait Progressing: b: the server in pod run-b-db-0 is starting again",
			idle, "wait Progressing: the server in pod run-b-db-0 is starting again", nil,
		},
		"in turn, while a trial is under way": {[]change{active("b"), set("a", 0, long), up("b"), loaded("a", "b"), measuring}, turns, idle, ok, nil},

		"the primary is created, its replica waits for it": {
			[]change{replicated, up("b")}, "wait Progressing: a: created", "wait Progressing: created", ok, made("a", true),
		},
		"a primary that starts keeps no replica from being created": {
			[]change{replicated, starting("a"), up("b")}, "wait Progressing: a: the server in pod run-a-db-0 is starting",
			"wait Progressing: the server in pod run-a-db-0 is starting", ok, made("a", false),
		},
		"the replica is what is missing": {
			[]change{replicated, up("a"), up("b")}, "wait Progressing: a: replica 0: created", "wait Progressing: replica 0: created", ok, made("a", false),
		},
		"the replica is up": {[]change{replicated, replicaUp, up("b")}, allUp, ok, ok, nil},
		"in turn, a replica goes with its primary": {
			[]change{replicated, replicaUp, active("b"), loaded("a")}, turns, "wait Progressing: stopping",
			"wait Progressing: waiting for target a to stop", []string{"scale " + a + " to 0", "scale " + replica + " to 0"},
		},
		"in turn, a replica that is left is in the way too": {
			[]change{replicated, replicaUp, active("b"), loaded("a"), func(w *world) { delete(w.in.Children.TargetPods, a) }}, turns,
			"wait Progressing: replica 0: stopping", "wait Progressing: waiting for target a to stop",
			[]string{"scale " + a + " to 0", "scale " + replica + " to 0"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := newWorld(tt.given...).decide(t)
			want := []string{tt.state, tt.a, tt.b}
			if diff := cmp.Diff(want, []string{words(got.State), words(got.Of("a").State), words(got.Of("b").State)}); diff != "" {
				t.Errorf("state of all, of a and of b (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.actions, actions(got.Actions)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

// With idleTargets: Stopped, the state of the targets together is Done from the first
// login on, whoever's turn it is, and never flips back.
func TestTurnsDoNotFlipTheStateBack(t *testing.T) {
	gone := func(target string) change {
		return func(w *world) { delete(w.in.Children.TargetPods, contract.TargetName("run", target)) }
	}
	w := newWorld(active("a"), up("a"))
	was := map[string]int{}
	for i, step := range [][]change{
		{}, {loaded("a"), active("b")}, {set("a", 0, time.Hour), gone("a")}, {starting("b")}, {up("b")}, {loaded("b"), active("a")},
		{set("b", 0, time.Hour), gone("b")}, {starting("a")}, {up("a"), measuring}, {func(w *world) { w.in.Measuring = false }},
	} {
		for _, c := range step {
			c(w)
		}
		got := w.decide(t)
		if _, done := got.State.(decision.Done); !done {
			t.Errorf("step %d: %s", i, words(got.State))
		}
		for _, name := range []string{"a", "b"} {
			_, done := got.Of(name).State.(decision.Done)
			if pod := w.in.pod(name); done && (pod == nil || !pod.Status.ContainerStatuses[0].Ready || w.in.isIdle(name)) {
				t.Errorf("step %d: target %s can be used, but %+v", i, name, pod)
			} else if done {
				was[name]++
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 3, "b": 1}, was); diff != "" {
		t.Errorf("how often each could be used (-want +got):\n%s", diff)
	}
}

// What is observed of a target is kept when its pod is gone; a node is asked for once.
func TestObserved(t *testing.T) {
	w := newWorld(up("a"), up("b"))
	first := w.decide(t).Of("a").Observed
	want := Observed{
		Address: "run-a-db.ns.svc:3306", QOSClass: "Guaranteed", Restarts: new(int32), ImageID: "sha", NodeName: "n0",
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.NodeInfo{{Name: "n0"}}, w.decide(t).Of("a").Nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	w.in.Run.Status.Nodes = []v1alpha1.NodeInfo{{Name: "n0"}}
	st := v1alpha1.TargetStatus{Name: "a"}
	first.Into(&st)
	w.in.Run.Status.Targets = []v1alpha1.TargetStatus{st}
	ask := decision.Known{}.Ask()
	again := Decide(w.in, ask).Of("a").Observed
	if diff := cmp.Diff([]decision.Query{decision.GetNode{Name: "n1"}}, ask.Missing()); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("in the next pass (-want +got):\n%s", diff)
	}
	delete(w.in.Children.TargetPods, contract.TargetName("run", "a"))
	if diff := cmp.Diff(first, w.decide(t).Of("a").Observed); diff != "" {
		t.Errorf("without its pod (-want +got):\n%s", diff)
	}
}

// An external target is as ready as anybody knows, and its address is the user's.
func TestExternalTargets(t *testing.T) {
	w := newWorld()
	w.in.Run.Spec.Targets = []v1alpha1.Target{
		{Name: "e", External: &v1alpha1.ExternalTarget{Host: "db.example", Port: 3307}},
		{Name: "j", External: &v1alpha1.ExternalTarget{JDBC: &v1alpha1.JDBCEndpoint{URL: "jdbc:x"}}},
		{Name: "paper", Published: &v1alpha1.PublishedTarget{}},
	}
	want := Result{
		State: decision.Done{Reason: v1alpha1.ReasonNotContacted, Message: "nobody has logged in yet to what Assay did not start: e, j; loading the data will"},
		Targets: []Target{
			{Name: "e", State: decision.Done{}, Observed: Observed{Address: "db.example:3307"}},
			{Name: "j", State: decision.Done{}, Observed: Observed{Address: "jdbc:x"}},
		},
	}
	if diff := cmp.Diff(want, w.decide(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
