package provision

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// Class of the ProvisioningRequest for the nodes of a run; empty for none. One that was accepted has one class.
func Class(run *v1alpha1.BenchmarkRun) string {
	resolved := run.Status.Resolved
	if resolved == nil {
		return ""
	}
	if class := resolved.ClientShape.ProvisioningClass; class != "" {
		return class
	}
	for _, t := range resolved.Targets {
		if t.Shape != nil && t.Shape.ProvisioningClass != "" {
			return t.Shape.ProvisioningClass
		}
	}
	return ""
}

// requestPoll is how often the request is looked at: nobody watches an API that a cluster may lack.
const requestPoll = 2 * time.Second

// request nodes for the pods whose shapes have a class. The state is nil once they are provisioned: only then the placeholders take them.
// Templates come first: an autoscaler that finds a request without them refuses it.
func (in Input) request(wait decision.Waiting) (decision.State, []decision.Action) {
	request := in.Requested.Request
	switch {
	case in.Requested.Refused != "":
		return decision.FailWith(v1alpha1.ReasonNodesNotProvisioned, "%s: the shape has provisioningClass %s, and %s, or leave provisioningClass out, so that placeholder pods alone ask for the nodes",
			in.field(), Class(in.Run), in.Requested.Refused), nil
	case request == nil:
		wait.Message += fmt.Sprintf("; ProvisioningRequest %s is made", resources.NamedRequest(in.Run).GetName())
		return wait.At(in.Now.Add(requestPoll)), in.create()
	case !request.GetDeletionTimestamp().IsZero():
		wait.Message += fmt.Sprintf("; ProvisioningRequest %s, which was let go before, is being deleted", request.GetName())
		return wait.At(in.Now.Add(requestPoll)), nil
	}
	conditions := resources.RequestConditions(request)
	is := func(condition string) bool { return conditions[condition].Status == metav1.ConditionTrue }
	switch {
	case is(resources.RequestFailed), is(resources.RequestCapacityRevoked) && Made(in.Children) < len(in.Need.Pods()):
		return decision.FailWith(v1alpha1.ReasonNodesNotProvisioned, "the autoscaler makes no nodes: %s", said(request)), nil
	case is(resources.RequestProvisioned):
		return nil, nil
	}
	wait.Message += "; " + said(request)
	return wait.At(in.Now.Add(requestPoll)), nil
}

// overdue says whether the request is as old as the run may wait.
func (in Input) overdue() bool {
	request := in.Requested.Request
	return request != nil && in.Now.Sub(request.GetCreationTimestamp().Time) > in.Need.Patience()
}

// field of a shape with a class, in the spec.
func (in Input) field() string {
	for i, t := range in.Run.Spec.Targets {
		if r := in.Run.ResolvedTarget(t.Name); r.Shape != nil && r.Shape.ProvisioningClass != "" {
			return fmt.Sprintf("spec.targets[%d].shape", i)
		}
	}
	return "spec.clients.shape"
}

// create the templates, and then the request that names them.
func (in Input) create() (actions []decision.Action) {
	sets := in.podSets()
	for _, set := range sets {
		actions = append(actions, decision.Create{Object: set.Template()})
	}
	return append(actions, decision.Create{Object: resources.Request(in.Run, Class(in.Run), sets)})
}

// podSets are the placeholders whose nodes are requested: those of a target, with its replicas, are alike, and so are those of clients.
func (in Input) podSets() (sets []resources.PodSet) {
	for _, p := range in.placeholders() {
		i := slices.IndexFunc(sets, func(s resources.PodSet) bool { return s.First.Target == p.Target })
		switch {
		case !p.Request:
		case i < 0:
			sets = append(sets, resources.PodSet{First: p, Count: 1})
		default:
			sets[i].Count++
		}
	}
	return sets
}

// LetGoRequest of a run.
func LetGoRequest(requested decision.Requested) (actions []decision.Action) {
	for _, obj := range requested.Objects() {
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
	for _, t := range []string{resources.RequestFailed, resources.RequestCapacityRevoked, resources.RequestBookingExpired} {
		if c := conditions[t]; c.Status == metav1.ConditionTrue {
			return fmt.Sprintf("%s is %s: %s: %s", name, t, c.Reason, shortened(c.Message))
		}
	}
	switch c := conditions[resources.RequestProvisioned]; {
	case c.Status == metav1.ConditionTrue:
		return fmt.Sprintf("%s is Provisioned: %s: %s", name, c.Reason, shortened(c.Message))
	case c.Status != "":
		return fmt.Sprintf("%s is not Provisioned: %s: %s", name, c.Reason, shortened(c.Message))
	}
	if c := conditions[resources.RequestAccepted]; c.Status == metav1.ConditionTrue {
		return fmt.Sprintf("%s is Accepted: %s: %s", name, c.Reason, shortened(c.Message))
	}
	return name + " is not Accepted by an autoscaler yet"
}
