package target

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
)

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
	long := config.Default().Timeouts.PodCreation.Duration + time.Second
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
			[]change{unpullable("a"), up("b")}, "wait ImagePullFailed: a: image mysql:1 cannot be pulled (ErrImagePull): ; kubectl assay explain ImagePullFailed says what to do",
			"wait ImagePullFailed: image mysql:1 cannot be pulled (ErrImagePull): ; kubectl assay explain ImagePullFailed says what to do", ok, nil,
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
			"wait ImagePullFailed: image mysql:1 cannot be pulled (ErrImagePull): ; kubectl assay explain ImagePullFailed says what to do", nil,
		},
		"in turn, the second one waits for the scheduler": {
			[]change{active("b"), set("a", 0, long), starting("b"), unscheduled("b"), loaded("a")}, turns, idle,
			"wait Unschedulable: pod run-b-db-0: waiting for the scheduler", nil,
		},
		"in turn, the node of the second one is not ready: that is no turn": {
			[]change{active("b"), set("a", 0, long), up("b"), loaded("a", "b"), nodeNotReady}, "wait NodeLost: b: node n1 of pod run-b-db-0 is not ready (KubeletNotReady: it is silent)",
			idle, "wait NodeLost: node n1 of pod run-b-db-0 is not ready (KubeletNotReady: it is silent)", nil,
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
	want := v1alpha1.TargetStatus{
		Name: "a", Address: "run-a-db.ns.svc:3306", QOSClass: "Guaranteed", RestartCount: new(int32), ImageID: "sha", NodeName: "n0",
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.NodeInfo{{Name: "n0"}}, w.decide(t).Of("a").Nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	w.in.Run.Status.Nodes = []v1alpha1.NodeInfo{{Name: "n0"}}
	w.in.Run.Status.Targets = []v1alpha1.TargetStatus{first}
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
		State: decision.Done{Reason: v1alpha1.ReasonNotContacted, Message: "not yet logged in to the servers that Assay did not start: e, j; loading the data does"},
		Targets: []Target{
			{Name: "e", State: decision.Done{}, Observed: v1alpha1.TargetStatus{Name: "e", Address: "db.example:3307"}},
			{Name: "j", State: decision.Done{}, Observed: v1alpha1.TargetStatus{Name: "j", Address: "jdbc:x"}},
		},
	}
	if diff := cmp.Diff(want, w.decide(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
