package target

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// Input is all that the room decides from. Nothing of it is changed.
type Input struct {
	// Run with its status of the last pass: accepted and placed.
	Run *v1alpha1.BenchmarkRun
	// Now is the time of the pass.
	Now time.Time
	// Config of the operator.
	config.Config
	// Active is the one target that may run with design.idleTargets: Stopped; empty: all
	// of them run.
	Active string
	// Measuring: a trial has begun whose end is not recorded.
	Measuring bool
	// Children of the run.
	Children decision.Children
}

// Result of the room.
type Result struct {
	// State of the targets together.
	State decision.State
	// Actions in the order of the targets of the spec.
	Actions []decision.Action
	// Targets in the order of the spec, without published ones.
	Targets []Target
}

// Target is one target of a run.
type Target struct {
	Name string
	// State is Done when the target can be loaded or measured now.
	State decision.State
	// Observed is the status of the target with what is known of its pods, now or before.
	Observed v1alpha1.TargetStatus
	// Nodes of its pods that the status does not describe yet.
	Nodes []v1alpha1.NodeInfo
}

// Of finds a target; one that is not there is Failed.
func (r Result) Of(name string) Target {
	for _, t := range r.Targets {
		if t.Name == name {
			return t
		}
	}
	return Target{Name: name, State: decision.FailWith(v1alpha1.ReasonInvalidSpec, "the run has no target %q that is measured", name)}
}

// Decide what is to be done about the targets. While ask is not complete, the result
// means nothing.
func Decide(in Input, ask *decision.Asking) Result {
	var out Result
	r := room{in, ask}
	for _, t := range in.Run.Spec.Targets {
		if t.Published != nil {
			continue
		}
		one, actions := r.decide(t)
		out.Targets = append(out.Targets, one)
		out.Actions = append(out.Actions, actions...)
		if failed, is := one.State.(decision.Failed); is {
			out.State = decision.FailWith(failed.Reason, "target %s: %s", t.Name, failed.Message)
			return out
		}
	}
	out.State = in.together(out.Targets)
	return out
}

// room is an input with the answers about it.
type room struct {
	Input
	ask *decision.Asking
}

// decide what is to be done about one target.
func (in room) decide(t v1alpha1.Target) (Target, []decision.Action) {
	out := Target{Name: t.Name, State: decision.Done{}, Observed: in.Run.TargetStatus(t.Name)}
	switch {
	case t.External != nil:
		// Nobody but the load can say whether a login works.
		out.Observed.Address, out.Nodes = ExternalAddress(in.Run.Namespace, *t.External), in.describe(in.Run.ResolvedTarget(t.Name).Service.Nodes())
		return out, nil
	case in.Measuring && in.isIdle(t.Name):
		out.State = awaitsTurn()
		return out, nil
	case in.Measuring:
		if in.pod(t.Name) == nil {
			out.State = decision.WaitFor(v1alpha1.ReasonProgressing, "waiting for the pod to be created")
		}
		return out, nil
	}
	primary := resources.Primary(in.Run, t)
	verdict, actions := in.provide(primary)
	if pod := in.pod(t.Name); pod != nil && !in.isIdle(t.Name) {
		out.Observed = in.observe(primary, pod)
	}
	// A primary that is not ready yet keeps no other server from starting.
	more := in.provideFurther(t)
	out.Observed.Replicas, out.Observed.Servers, out.Nodes = more.replicas, more.servers, in.nodesOf(t)
	if verdict.State == podhealth.Ready || more.verdict.State == podhealth.Failed && verdict.State != podhealth.Failed {
		verdict = more.verdict
	}
	out.State = in.stateOf(t.Name, verdict)
	return out, append(actions, more.actions...)
}

// pod of a target's primary; nil when there is none.
func (in Input) pod(target string) *corev1.Pod {
	return in.Children.TargetPods[contract.TargetName(in.Run.Name, target)]
}

// isIdle says whether a target has to be stopped now.
func (in Input) isIdle(target string) bool { return in.Active != "" && in.Active != target }

// awaitsTurn is the state of a target that is stopped until it is loaded or measured.
func awaitsTurn() decision.Waiting {
	return decision.WaitFor(v1alpha1.ReasonProgressing, "stopped until its turn")
}

// stateOf a target by the verdict on its pods.
func (in Input) stateOf(target string, v podhealth.Verdict) decision.State {
	switch {
	case v.State == podhealth.Failed:
		return decision.Failed{Reason: v.Reason, Message: v.Message}
	case v.State == podhealth.Ready && in.isIdle(target):
		return awaitsTurn()
	case v.State == podhealth.Ready:
		return decision.Done{}
	}
	return decision.Waiting{Reason: cmp.Or(v.Reason, v1alpha1.ReasonProgressing), Message: v.Message}
}

// provide brings a server further: up, or out of the way. A server that is up where it
// should be, and one that is gone where it should be, are Ready.
func (in room) provide(b resources.Target) (podhealth.Verdict, []decision.Action) {
	target, name := b.Spec.Name, resources.NameOf(b)
	set, pod := in.Children.StatefulSets[name], in.Children.TargetPods[name]
	switch {
	case set == nil && in.isIdle(target):
		return ready(), nil
	case pod != nil && in.isIdle(target):
		return waiting("stopping"), scale(set, 0)
	case in.isIdle(target):
		return ready(), scale(set, 0)
	}
	other := in.inTheWay(target)
	switch {
	case pod == nil && other != "":
		return waiting("waiting for target " + other + " to stop"), nil
	case set == nil && b.Replica != nil && in.Children.StatefulSets[contract.TargetName(in.Run.Name, target)] == nil:
		return waiting("waiting for the first server to be created"), nil
	case set == nil:
		b.Pods = in.Pods
		return in.begin(b)
	}
	if v, is := in.withoutVolume(b, pod); is {
		return v, nil
	}
	return in.withoutCopy(b, pod, in.judge(b, set, pod)), scale(set, 1)
}

// judge a server that has to be up.
func (in room) judge(b resources.Target, set *appsv1.StatefulSet, pod *corev1.Pod) podhealth.Verdict {
	loaded := in.Run.TargetStatus(b.Spec.Name).LoadResult != ""
	switch {
	case pod == nil && loaded:
		// A set that was scaled up just now is older than its pod's absence.
		return waiting("waiting for the pod to be created")
	case pod == nil:
		return podhealth.Missing(set.CreationTimestamp.Time, in.Timeouts, in.Now)
	case loaded:
		return podhealth.TargetAgain(in.ask.See(pod), resources.ServerContainer, in.Timeouts, in.Now)
	}
	return podhealth.Target(pod, resources.ServerContainer, in.Timeouts, in.Now)
}

// inTheWay is another target whose pod has to go before this one may come up; empty for
// none, and wherever all targets run.
func (in Input) inTheWay(target string) string {
	if in.Active == "" {
		return ""
	}
	for _, t := range in.Run.Provided() {
		if t.Name != target && in.hasPod(t) {
			return t.Name
		}
	}
	return ""
}

// hasPod says whether a pod of the target, its further servers included, is there.
func (in Input) hasPod(t v1alpha1.Target) bool {
	return slices.ContainsFunc(append(resources.Further(in.Run, t), resources.Primary(in.Run, t)), func(b resources.Target) bool {
		return in.Children.TargetPods[resources.NameOf(b)] != nil
	})
}
