package provision

import (
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// Names that the requests for the nodes of a run, and the templates of their pods, may have; none where no shape has a class.
func Names(run *v1alpha1.BenchmarkRun) (names []string) {
	if run.Status.Resolved == nil {
		return nil
	}
	for _, t := range run.Status.Resolved.Targets {
		if t.Shape != nil && t.Shape.ProvisioningClass != "" {
			names = append(names, contract.RequestName(run.Name, t.Name))
		}
	}
	if run.Status.Resolved.ClientShape.ProvisioningClass != "" {
		names = append(names, contract.RequestName(run.Name, ""))
	}
	return names
}

// requestPoll is how often the requests are looked at: nobody watches an API that a cluster may lack.
const requestPoll = 2 * time.Second

// Barred says whether a run needs requests, has made none, and can make none.
func Barred(in Input) bool {
	return in.Requested.Refused != "" && len(in.Requested.Objects()) == 0 && len(in.Children.Placeholders) == 0 && len(in.requests()) > 0
}

// request nodes for the pods whose shapes have a class, by a request for each pool: one group of nodes has to hold all pods of a request.
// The state is nil once all of them are provisioned: only then placeholders take them.
//
// A request whose booking expires before its placeholders are placed is let go with them, and made again: until then an autoscaler makes
// no other node for these, also where a machine that it had begun never came.
func (in Input) request(pools []resources.NodeRequest, wait decision.Waiting) (decision.State, []decision.Action) {
	if in.Requested.Refused != "" {
		wait.Message += "; " + in.refused()
		return wait, nil
	}
	var actions []decision.Action
	var words []string
	ready := true
	for _, pool := range pools {
		does := in.ofPool(pool)
		if does.fails {
			return decision.FailWith(v1alpha1.ReasonNodesNotProvisioned, "the autoscaler makes no nodes: %s", does.words), nil
		}
		actions, ready = append(actions, does.actions...), ready && does.ready
		if does.words != "" {
			words = append(words, does.words)
		}
	}
	if ready {
		return nil, nil
	}
	wait.Message = strings.Join(append([]string{wait.Message}, words...), "; ")
	return wait, actions
}

// step is what comes next for a pool.
type step struct {
	// ready: placeholders may take its nodes, or have them.
	ready bool
	// fails: no nodes will be made, as the words say.
	fails   bool
	actions []decision.Action
	// words for people; empty for none.
	words string
}

// ofPool is what comes next for a pool whose request, if there is one, is as it would be made.
func (in Input) ofPool(pool resources.NodeRequest) step {
	request, kept, count := in.Requested.Requests[pool.Name()], in.keptFor(pool), 0
	for _, s := range pool.Sets {
		count += s.Count
	}
	switch {
	case Made(kept) == count:
		return step{ready: true}
	case request == nil && Keeps(kept, All()):
		return step{actions: LetGo(kept, All()), words: fmt.Sprintf("placeholder pods make room before ProvisioningRequest %s is made again", pool.Name())}
	case request == nil:
		return step{actions: in.create(pool), words: fmt.Sprintf("ProvisioningRequest %s is made", pool.Name())}
	case !request.GetDeletionTimestamp().IsZero():
		return step{words: fmt.Sprintf("ProvisioningRequest %s, which was let go before, is being deleted", pool.Name())}
	}
	conditions := resources.RequestConditions(request)
	is := func(condition string) bool { return conditions[condition].Status == metav1.ConditionTrue }
	ended := is(resources.RequestFailed) || is(resources.RequestCapacityRevoked)
	switch {
	case is(resources.RequestFailed) && slices.Contains(passing, conditions[resources.RequestFailed].Reason), is(resources.RequestBookingExpired),
		ended && since(in.Run, request).After(request.GetCreationTimestamp().Time):
		again := append([]decision.Action{decision.Delete{Object: request}}, LetGo(kept, All())...)
		return step{actions: again, words: said(request) + "; it is made again"}
	case ended:
		return step{fails: true, words: said(request)}
	}
	return step{ready: is(resources.RequestProvisioned), words: said(request)}
}

// passing are the reasons of Cluster Autoscaler for a request that fails because its view of the cluster was behind.
var passing = []string{"FailedToCreatePods", "FailedToBookCapacity"}

// keptFor a pool are its placeholders.
func (in Input) keptFor(pool resources.NodeRequest) decision.Children {
	kept := decision.Children{Placeholders: map[string]*batchv1.Job{}, PlaceholderPods: map[string]*corev1.Pod{}}
	for _, p := range in.placeholders() {
		name := contract.PlaceholderName(in.Run.Name, p.Index)
		if p.Request != pool.Name() {
			continue
		}
		if job := in.Children.Placeholders[name]; job != nil {
			kept.Placeholders[name] = job
		}
		if pod := in.Children.PlaceholderPods[name]; pod != nil {
			kept.PlaceholderPods[name] = pod
		}
	}
	return kept
}

// conflict says that what exists by the names of requests is not what the run makes, though it says that it belongs to the run: whoever may
// write such an object can write that. The state is nil where all is well.
func (in Input) conflict(pools []resources.NodeRequest) decision.State {
	differs := func(kind, name string) decision.State {
		return decision.FailWith(v1alpha1.ReasonChildConflict,
			"%s %s/%s exists and does not ask for what this run needs: find out who made it, delete it, or give the run another name", kind, in.Run.Namespace, name)
	}
	for _, pool := range pools {
		request := in.Requested.Requests[pool.Name()]
		if request != nil && request.GetDeletionTimestamp().IsZero() && !resources.SameRequest(request, pool.Object()) {
			return differs(request.GetKind(), request.GetName())
		}
		for _, set := range pool.Sets {
			want := set.Template()
			if found := in.Requested.Templates[want.Name]; found != nil && found.DeletionTimestamp.IsZero() && !resources.SameTemplate(found, want) {
				return differs("PodTemplate", found.Name)
			}
		}
	}
	return nil
}

// create the templates that are missing, and then the request that names them: an autoscaler that finds a request without them refuses it.
// What somebody writes meanwhile is looked at first.
func (in Input) create(pool resources.NodeRequest) (actions []decision.Action) {
	for _, set := range pool.Sets {
		if template := set.Template(); in.Requested.Templates[template.Name] == nil {
			actions = append(actions, decision.Create{Object: template, Existing: decision.Stop})
		}
	}
	return append(actions, decision.Create{Object: pool.Object(), Existing: decision.Stop})
}

// overdue says whether the run has requested nodes for as long as it may wait. The templates stay while a request is made again.
func (in Input) overdue() bool {
	return slices.ContainsFunc(in.Requested.Objects(), func(o decision.Object) bool {
		return o.GetDeletionTimestamp().IsZero() && in.Now.Sub(since(in.Run, o)) > in.Need.Patience()
	})
}

// refused is why no request can be made, and what to do.
func (in Input) refused() string {
	field, class := "spec.clients.shape", in.Need.Client.ProvisioningClass
	for i, t := range in.Run.Spec.Targets {
		if s := in.Run.ResolvedTarget(t.Name).Shape; s != nil && s.ProvisioningClass != "" {
			field, class = fmt.Sprintf("spec.targets[%d].shape", i), s.ProvisioningClass
			break
		}
	}
	return fmt.Sprintf("%s: the shape has provisioningClass %s, and %s, or leave provisioningClass out, so that placeholder pods alone ask for the nodes",
		field, class, in.Requested.Refused)
}

// requests for the nodes of placeholders, one for each pool. Those of a target, with its replicas, are alike, and so are those of clients.
func (in Input) requests() (out []resources.NodeRequest) {
	for _, p := range in.placeholders() {
		if p.Request == "" {
			continue
		}
		at := slices.IndexFunc(out, func(r resources.NodeRequest) bool { return r.Name() == p.Request })
		if at < 0 {
			out = append(out, resources.NodeRequest{Sets: []resources.PodSet{{First: p, Count: 1}}})
			continue
		}
		r := &out[at]
		if i := slices.IndexFunc(r.Sets, func(s resources.PodSet) bool { return s.First.Target == p.Target }); i >= 0 {
			r.Sets[i].Count++
		} else {
			r.Sets = append(r.Sets, resources.PodSet{First: p, Count: 1})
		}
	}
	return out
}

// inPool says whether the same nodes are made for two shapes.
func inPool(a, b v1alpha1.InstanceShapeSpec) bool {
	pool := func(s v1alpha1.InstanceShapeSpec) []any {
		return []any{s.NodeSelector, s.Tolerations, s.Resources(), s.RuntimeClassName, s.ProvisioningClass}
	}
	return equality.Semantic.DeepEqual(pool(a), pool(b))
}

// LetGoRequests of a run, as far as they can be seen.
func LetGoRequests(requested decision.Requested) (actions []decision.Action) {
	for _, obj := range requested.Removable() {
		if obj.GetDeletionTimestamp().IsZero() {
			actions = append(actions, decision.Delete{Object: obj})
		}
	}
	return actions
}

// said is what an autoscaler says of a request: the first of these conditions that is true, or else whether it is provisioned.
func said(request *unstructured.Unstructured) string {
	conditions := resources.RequestConditions(request)
	name := "ProvisioningRequest " + request.GetName()
	for _, t := range []string{resources.RequestFailed, resources.RequestCapacityRevoked, resources.RequestBookingExpired, resources.RequestProvisioned} {
		if c := conditions[t]; c.Status == metav1.ConditionTrue {
			return name + " is " + wordsOf(c)
		}
	}
	if c := conditions[resources.RequestProvisioned]; c.Status != "" {
		return name + " is not " + wordsOf(c)
	}
	if c := conditions[resources.RequestAccepted]; c.Status == metav1.ConditionTrue {
		return name + " is " + wordsOf(c)
	}
	return name + " is not Accepted by an autoscaler yet"
}

// wordsOf a condition: its type, and its reason and message as far as it has any.
func wordsOf(c metav1.Condition) string {
	words := slices.DeleteFunc([]string{c.Type, c.Reason, shortened(c.Message)}, func(s string) bool { return s == "" })
	return strings.Join(words, ": ")
}
