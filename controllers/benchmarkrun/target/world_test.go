package target

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// world is the input of a test with the nodes that exist.
type world struct {
	in    Input
	nodes map[string]*corev1.Node
	// objects that the API server has.
	objects map[decision.Query]any
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
		in: Input{Run: run, Now: now, Config: config.Config{Timeouts: config.Default().Timeouts}, Children: decision.Children{
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
	for range 4 * len(w.in.Run.Spec.Targets) { // a volume is asked for after that before it
		ask := known.Ask()
		res := Decide(w.in, ask)
		if ask.Complete() {
			return res
		}
		for _, q := range ask.Missing() {
			answer, exists := w.objects[q]
			if node, is := q.(decision.GetNode); is {
				answer, exists = w.nodes[node.Name], w.nodes[node.Name] != nil
			}
			if !exists {
				answer = decision.Absent{}
			}
			known = known.With(q, answer)
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
	w.nodes["n1"].Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady", Message: "it is silent", LastTransitionTime: metav1.Time{Time: now}}}
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
		case decision.TakeVolume:
			take := "take"
			if a.Writes {
				take = "take, and write into,"
			}
			out = append(out, fmt.Sprintf("%s %s for %s", take, a.Volume.Name, a.User))
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
