package target

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// further are the replicas of a target, or the servers of its tenants from the second on.
type further struct {
	// verdict is the worst one.
	verdict  podhealth.Verdict
	replicas []v1alpha1.ReplicaStatus
	servers  []v1alpha1.ServerStatus
	actions  []decision.Action
}

// provideFurther brings the servers of a target beside the first further.
func (in room) provideFurther(t v1alpha1.Target) further {
	out := further{verdict: ready()}
	for i, b := range resources.Further(in.Run, t) {
		v, more := in.provide(b)
		out.actions = append(out.actions, more...)
		pod := in.Children.TargetPods[resources.NameOf(b)]
		one := v1alpha1.ReplicaStatus{Index: int32(i), RestartCount: Restarts(pod), Ready: !in.isIdle(t.Name) && v.State == podhealth.Ready}
		if pod != nil {
			one.NodeName = pod.Spec.NodeName
		}
		who := fmt.Sprintf("replica %d", i)
		if t.OwnServers() {
			tenant := one.Index + 2 // the first has the first server
			out.servers = append(out.servers, v1alpha1.ServerStatus{Tenant: tenant, NodeName: one.NodeName, Ready: one.Ready, RestartCount: one.RestartCount})
			who = fmt.Sprintf("the server of tenant %d", tenant)
		} else {
			out.replicas = append(out.replicas, one)
		}
		if v.State == podhealth.Failed && out.verdict.State != podhealth.Failed || v.State != podhealth.Ready && out.verdict.State == podhealth.Ready {
			v.Message = who + ": " + v.Message
			out.verdict = v
		}
	}
	return out
}

// create the objects of a server. The StatefulSet comes last: when it exists, so do all
// the others. A further server has the Secret of the first.
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
