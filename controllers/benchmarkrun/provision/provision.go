// Package provision has a run's nodes made for it, where its shapes say so (nodes: Provisioned).
//
// What comes in: the run, the pods that it needs, its placeholders and its ProvisioningRequests as they are, and the time. What goes out:
// what of these has to be made or deleted, how far they are, and the words of an autoscaler about one that has no node.
//
//  1. The queue has no nodes for the run, and new ones would help: a Job for each pod of the run keeps its place, with the shape, the
//     selectors, the tolerations and the separation of that pod. The autoscaler of the cluster sees pods that are pending. Meanwhile the
//     queue holds every node that the run could use, also those that come, and has nodes made for no other run. Where shapes have a
//     provisioningClass, a ProvisioningRequest for each pool of their pods comes before the Jobs, which are made when all are provisioned.
//     A run that has requested nothing, and cannot, is barred: the queue holds nothing for it.
//  2. When the run fits on them, it gets its nodes as any other run. That stands in the status before a placeholder is deleted.
//  3. Placeholders of targets go before the servers start, those of clients before the first client does: a node without any pod is one
//     that an autoscaler takes away.
//  4. A run that is suspended, fails, or has waited too long deletes them all. Its requests go as soon as it does not wait for nodes.
//
// What it refuses: objects by the names of its own that ask for something else. A placeholder ends by itself some time after the run has
// stopped waiting, so that none is left where no manager is.
package provision

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// Made is the number of placeholders whose pod has a node.
func Made(children decision.Children) (n int) {
	for name := range children.Placeholders {
		if pod := children.PlaceholderPods[name]; pod != nil && pod.Spec.NodeName != "" {
			n++
		}
	}
	return n
}

// Pods of the placeholders.
func Pods(children decision.Children) (pods []corev1.Pod) {
	for name := range children.Placeholders {
		if pod := children.PlaceholderPods[name]; pod != nil {
			pods = append(pods, *pod)
		}
	}
	return pods
}

// Overdue says whether the first placeholder of the run has waited as long as it may, or had when the placeholders were deleted.
func Overdue(run *v1alpha1.BenchmarkRun, need placement.Need, children decision.Children, now time.Time) bool {
	if failed(run) != "" {
		return true
	}
	for _, job := range children.Placeholders {
		if now.Sub(since(run, job)) > need.Patience() {
			return true
		}
	}
	return false
}

// since is when the run began to wait by something that it has made: what is left of the time before a suspension counts from its end.
func since(run *v1alpha1.BenchmarkRun, made metav1.Object) time.Time {
	at := made.GetCreationTimestamp().Time
	if joined := run.Status.AcceptedTime; joined != nil && joined.After(at) {
		return joined.Time
	}
	return at
}

// Waits says whether the run waited for nodes that are made for it, as its status has it.
func Waits(run *v1alpha1.BenchmarkRun) bool {
	c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPlaced)
	return c != nil && c.Reason == v1alpha1.ReasonProvisioningNodes
}

// failed is the message of a run whose nodes were not made; empty for any other.
func failed(run *v1alpha1.BenchmarkRun) string {
	c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPlaced)
	if c == nil || c.Reason != v1alpha1.ReasonNodesNotProvisioned {
		return ""
	}
	return c.Message
}

// Input is what nodes are asked for by.
type Input struct {
	Run *v1alpha1.BenchmarkRun
	// Need of the run, as it asked the queue.
	Need placement.Need
	// Exclusive: no other run is on its nodes.
	Exclusive bool
	// Pods is what the pods may use beside their shapes.
	Pods config.Pods
	// Children of the run.
	Children decision.Children
	// Requested is what there is of its ProvisioningRequests.
	Requested decision.Requested
	// Now is the time of the pass.
	Now time.Time
}

// Ask for the nodes of a run that waits for them: by ProvisioningRequests where its shapes have a class, and by a placeholder for each
// pod that has none.
func Ask(in Input, wait decision.Waiting, ask *decision.Asking) (decision.State, []decision.Action) {
	if pools := in.requests(); len(pools) > 0 {
		if conflict := in.conflict(pools); conflict != nil {
			return conflict, nil
		}
		if in.overdue() {
			return in.late(in.missing(ask)), nil
		}
		wait = wait.At(in.Now.Add(requestPoll))
		if state, actions := in.request(pools, wait); state != nil {
			return state, actions
		}
	}
	if why := in.missing(ask); why != "" {
		wait.Message += "; " + why
	}
	var actions []decision.Action
	for i, p := range in.placeholders() {
		if in.Children.Placeholders[contract.PlaceholderName(in.Run.Name, i)] == nil {
			actions = append(actions, decision.Create{Object: p.Job()})
		}
	}
	return wait, actions
}

// placeholders of all pods of the run. Those whose shape has a class take what the request of their pool asks for, which is named after the
// first of them.
func (in Input) placeholders() (out []resources.Placeholder) {
	for i, pod := range in.Need.Pods() {
		p := resources.Placeholder{
			Run: in.Run, Index: i, Target: pod.Target, Shape: pod.Shape, Exclusive: in.Exclusive, Within: in.Need.Patience(), Pods: in.Pods,
		}
		if p.Shape.ProvisioningClass != "" {
			p.Request = contract.RequestName(in.Run.Name, p.Target)
			if at := slices.IndexFunc(out, func(o resources.Placeholder) bool { return inPool(o.Shape, p.Shape) }); at >= 0 {
				p.Request = out[at].Request
			}
		}
		out = append(out, p)
	}
	return out
}

// Fails is the end of a run whose nodes were not made, refused as if there were none to be made. The placeholders are deleted
// with it, and their words stand in the status.
func Fails(in Input, refused decision.Failed, ask *decision.Asking) decision.Failed {
	if before := failed(in.Run); before != "" {
		return decision.Failed{Reason: v1alpha1.ReasonNodesNotProvisioned, Message: before}
	}
	return in.late(cmp.Or(in.missing(ask), refused.Message))
}

// late is the end of a run that has waited as long as it may.
func (in Input) late(why string) decision.Failed {
	return decision.FailWith(v1alpha1.ReasonNodesNotProvisioned, "no nodes were made within %s (provisionWithin of the shape): %s", in.Need.Patience(), why)
}

// missing is why the run has not all of its nodes, in the words of those that make them: of its requests, and of the first placeholder
// without a node. It is empty where nobody says anything.
func (in Input) missing(ask *decision.Asking) string {
	var words []string
	if in.Requested.Refused != "" {
		words = append(words, in.refused())
	}
	for _, name := range slices.Sorted(maps.Keys(in.Requested.Requests)) {
		words = append(words, said(in.Requested.Requests[name]))
	}
	if why := missing(in.Children, ask); why != "" {
		words = append(words, why)
	}
	return strings.Join(words, "; ")
}

// Which placeholders are to be let go.
type Which struct {
	// all of them, or those of targets.
	all bool
	// nodes of the targets: whoever is there is in their way.
	nodes []string
}

// All placeholders.
func All() Which { return Which{all: true} }

// OfTargets are those that are in the way of the targets of a run with its nodes. Those of clients stay until the first client starts.
func OfTargets(p *v1alpha1.Placement) Which {
	var w Which
	if p != nil {
		for _, t := range p.Targets {
			w.nodes = append(append(w.nodes, t.NodeName), t.ReplicaNodeNames...)
		}
	}
	return w
}

// has a placeholder, with its pod or without one.
func (w Which) has(labels map[string]string, pod *corev1.Pod) bool {
	return w.all || labels[v1alpha1.LabelTarget] != "" || pod != nil && slices.Contains(w.nodes, pod.Spec.NodeName)
}

// LetGo of placeholders of a run.
func LetGo(children decision.Children, which Which) (actions []decision.Action) {
	for _, name := range slices.Sorted(maps.Keys(children.Placeholders)) {
		if job := children.Placeholders[name]; which.has(job.Labels, children.PlaceholderPods[name]) && job.DeletionTimestamp.IsZero() {
			actions = append(actions, decision.Delete{Object: job})
		}
	}
	return actions
}

// Keeps says whether placeholders, or their pods, are still there.
func Keeps(children decision.Children, which Which) bool {
	for name, job := range children.Placeholders {
		if which.has(job.Labels, children.PlaceholderPods[name]) {
			return true
		}
	}
	for _, pod := range children.PlaceholderPods {
		if which.has(pod.Labels, pod) {
			return true
		}
	}
	return false
}

// missing says why the first placeholder without a node has none: what the scheduler says, and what the autoscaler does; or why it has no
// pod. It is empty when all have a node, or nobody has looked at one yet.
func missing(children decision.Children, ask *decision.Asking) string {
	for _, name := range slices.Sorted(maps.Keys(children.Placeholders)) {
		job, pod := children.Placeholders[name], children.PlaceholderPods[name]
		if pod == nil {
			if said := ask.Words(job.UID); said.Exists {
				return fmt.Sprintf("Job %s has no pod: %s", name, said.Value)
			}
			continue
		}
		if pod.Spec.NodeName != "" {
			continue
		}
		var words []string
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				words = append(words, c.Message)
			}
		}
		if said := ask.Words(pod.UID); said.Exists {
			words = append(words, said.Value)
		}
		if len(words) > 0 {
			return fmt.Sprintf("pod %s: %s", pod.Name, strings.Join(words, "; "))
		}
	}
	return ""
}

// Words of an autoscaler in the events of a pod, of an admission in those of a Job, or of the storage in those of a claim: the newest that is from
// neither the scheduler nor a part of the node, is no success of a controller, and does not say that the pod takes what was requested; empty for none.
func Words(events []corev1.Event) string {
	others := slices.DeleteFunc(slices.Clone(events), func(e corev1.Event) bool {
		by := reporter(e)
		return by == corev1.DefaultSchedulerName || by == "kubelet" || strings.HasSuffix(by, "-controller") && e.Reason != "FailedCreate" ||
			strings.HasPrefix(e.Message, takesRequested)
	})
	if len(others) == 0 {
		return ""
	}
	newest := slices.MaxFunc(others, func(a, b corev1.Event) int { return cmp.Or(when(a).Compare(when(b)), cmp.Compare(a.Name, b.Name)) })
	words := slices.DeleteFunc([]string{newest.Reason, shortened(newest.Message)}, func(s string) bool { return s == "" })
	return fmt.Sprintf("%s says %s", cmp.Or(reporter(newest), "an event"), strings.Join(words, ": "))
}

// takesRequested begins what Cluster Autoscaler says of a pod whose nodes were requested, while all is well.
const takesRequested = "Unschedulable pod didn't trigger scale-up, because it's consuming ProvisioningRequest"

func shortened(message string) string {
	if len(message) > maxWords {
		return strings.ToValidUTF8(message[:maxWords], "") + "..."
	}
	return message
}

// maxWords of a message are shown, in bytes.
const maxWords = 1000

func reporter(e corev1.Event) string { return cmp.Or(e.ReportingController, e.Source.Component) }

// when an event was seen last.
func when(e corev1.Event) time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	}
	return e.CreationTimestamp.Time
}
