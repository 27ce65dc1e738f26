package target

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// nameOf the StatefulSet of a server.
func nameOf(b resources.Target) string {
	if b.Replica != nil {
		return contract.ReplicaName(b.Run.Name, b.Spec.Name, *b.Replica)
	}
	return contract.TargetName(b.Run.Name, b.Spec.Name)
}

// provideReplicas brings the replicas of a target further. The verdict is the worst one.
func (in room) provideReplicas(t v1alpha1.Target) (podhealth.Verdict, []v1alpha1.ReplicaStatus, []decision.Action) {
	worst := ready()
	var shown []v1alpha1.ReplicaStatus
	var actions []decision.Action
	for i, b := range resources.Replicas(in.Run, t) {
		v, more := in.provide(b)
		actions = append(actions, more...)
		pod := in.Children.TargetPods[nameOf(b)]
		one := v1alpha1.ReplicaStatus{Index: int32(i), RestartCount: Restarts(pod), Ready: !in.isIdle(t.Name) && v.State == podhealth.Ready}
		if pod != nil {
			one.NodeName = pod.Spec.NodeName
		}
		shown = append(shown, one)
		if v.State == podhealth.Failed && worst.State != podhealth.Failed || v.State != podhealth.Ready && worst.State == podhealth.Ready {
			v.Message = fmt.Sprintf("replica %d: %s", i, v.Message)
			worst = v
		}
	}
	return worst, shown, actions
}

// create the objects of a server. The StatefulSet comes last: when it exists, so do all
// the others. A replica has the Secret of its primary.
func create(b resources.Target) []decision.Action {
	var out []decision.Action
	if b.Replica == nil {
		out = append(out, decision.CreateSecret{Target: b})
	}
	if b.Spec.OwnsClaim() {
		out = append(out, decision.Create{Object: resources.Volume{Of: b}.Claim()})
	}
	for _, obj := range []decision.Object{b.ConfigMap(), b.Service(), b.NetworkPolicy(), b.PodDisruptionBudget(), b.StatefulSet()} {
		out = append(out, decision.Create{Object: obj})
	}
	return out
}

// scale a StatefulSet to one pod or none.
func scale(set *appsv1.StatefulSet, replicas int32) []decision.Action {
	if set.Spec.Replicas != nil && *set.Spec.Replicas == replicas {
		return nil
	}
	return []decision.Action{decision.Scale{Name: set.Name, UID: set.UID, Replicas: replicas}}
}

func ready() podhealth.Verdict { return podhealth.Verdict{State: podhealth.Ready} }

func waiting(message string) podhealth.Verdict {
	return podhealth.Verdict{State: podhealth.Waiting, Reason: v1alpha1.ReasonProgressing, Message: message}
}
