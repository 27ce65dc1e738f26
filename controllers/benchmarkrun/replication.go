package benchmarkrun

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/internal/settings"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/podhealth"
)

// replicasOf a target is how many replicas it has.
func replicasOf(t v1alpha1.Target) int {
	if t.MySQL == nil || t.MySQL.Replication == nil {
		return 0
	}
	return int(t.MySQL.Replication.Replicas)
}

// ownedByReplication are settings that would undo what Assay sets for replication, beside
// those of engine.Replicated.
var ownedByReplication = []string{
	"server_id", "relay_log", "relay_log_index", "log_bin_index", "skip_log_bin", "disable_log_bin",
	"skip_slave_start", "skip_replica_start", "replicate_same_server_id",
}

// replicationSettings are the settings that every server of a target with replicas has. It
// refuses a setting of the user that contradicts them.
func replicationSettings(e engine.Engine, field string, m *v1alpha1.MySQLTarget, user []contract.Setting) ([]contract.Setting, error) {
	if m.Replication == nil {
		return nil, nil
	}
	if e.Replicated == nil {
		return nil, refuse(v1alpha1.ReasonInvalidSpec, "%s.replication: Assay provides %s without replicas: leave replication out, or use MySQL, Percona or MariaDB", field, e.Flavor)
	}
	needed := e.Replicated(contract.Target{})
	for _, u := range user {
		name := strings.TrimPrefix(strings.ToLower(settings.CanonicalName(u.Name)), "loose_")
		taken := slices.Contains(ownedByReplication, name) || strings.HasPrefix(name, "rpl_semi_sync_") ||
			slices.ContainsFunc(needed, func(s contract.Setting) bool { return s.Name == name })
		if taken {
			return nil, refuse(v1alpha1.ReasonSettingInvalid,
				"%s.config.%s: set by Assay, because replication needs it: remove it, or leave replication out", field, u.Name)
		}
	}
	return needed, nil
}

// replicaBuilders are those of the replicas of a target.
func (s *scope) replicaBuilders(t v1alpha1.Target) []resources.Target {
	var out []resources.Target
	nodes := s.placed(t.Name).ReplicaNodeNames
	for i := range min(replicasOf(t), len(nodes)) {
		b := s.builder(t)
		b.Replica, b.Node = new(i), nodes[i]
		out = append(out, b)
	}
	return out
}

// placed is where a target runs.
func (s *scope) placed(target string) v1alpha1.TargetPlacement {
	if p := s.run.Status.Placement; p != nil {
		for _, t := range p.Targets {
			if t.Name == target {
				return t
			}
		}
	}
	return v1alpha1.TargetPlacement{}
}

// replicaPod is the pod of a replica; nil when there is none.
func (s *scope) replicaPod(target string, index int) *corev1.Pod {
	return s.targetPods[contract.ReplicaName(s.run.Name, target, index)]
}

// replicaAgents are host:port of the agents of a target's replicas.
func (s *scope) replicaAgents(t v1alpha1.Target) []string {
	var out []string
	for _, b := range s.replicaBuilders(t) {
		out = append(out, fmt.Sprintf("%s:%d", b.Address(), resources.AgentPort))
	}
	return out
}

// hasPod says whether a pod of the target, its replicas included, is there.
func (s *scope) hasPod(t v1alpha1.Target) bool {
	if s.targetPod(t.Name) != nil {
		return true
	}
	for i := range replicasOf(t) {
		if s.replicaPod(t.Name, i) != nil {
			return true
		}
	}
	return false
}

// provideReplicas brings the replicas of a target further: up, or out of the way. The
// verdict is the worst one.
func (r *Reconciler) provideReplicas(ctx context.Context, s *scope, t v1alpha1.Target, wanted bool) (podhealth.Verdict, error) {
	worst := podhealth.Verdict{State: podhealth.Ready}
	st := s.targetStatus(t.Name)
	var shown []v1alpha1.ReplicaStatus
	for i, b := range s.replicaBuilders(t) {
		b.Stopped = !wanted
		v, err := r.provideReplica(ctx, s, b)
		if err != nil {
			return v, err
		}
		pod := s.replicaPod(t.Name, i)
		one := v1alpha1.ReplicaStatus{Index: int32(i), RestartCount: restartsOf(pod), Ready: wanted && v.State == podhealth.Ready}
		if pod != nil {
			one.NodeName = pod.Spec.NodeName
			if err := r.addNode(ctx, s, one.NodeName, ""); err != nil {
				return v, err
			}
		}
		shown = append(shown, one)
		if v.State == podhealth.Failed && worst.State != podhealth.Failed || v.State != podhealth.Ready && worst.State == podhealth.Ready {
			v.Message = fmt.Sprintf("replica %d: %s", i, v.Message)
			worst = v
		}
	}
	st.Replicas = shown
	return worst, nil
}

func (r *Reconciler) provideReplica(ctx context.Context, s *scope, b resources.Target) (podhealth.Verdict, error) {
	name := contract.ReplicaName(s.run.Name, b.Spec.Name, *b.Replica)
	set, pod := s.statefulSets[name], s.replicaPod(b.Spec.Name, *b.Replica)
	ready := podhealth.Verdict{State: podhealth.Ready}
	waiting := func(message string) podhealth.Verdict {
		return podhealth.Verdict{State: podhealth.Waiting, Reason: v1alpha1.ReasonProgressing, Message: message}
	}
	switch {
	case set == nil && b.Stopped:
		return ready, nil
	case set == nil:
		// Those of the primary come first: the Secret is shared.
		if s.statefulSets[contract.TargetName(s.run.Name, b.Spec.Name)] == nil {
			return waiting("waiting for the primary to be created"), nil
		}
		return waiting("created"), r.makeReplica(ctx, s, b)
	case b.Stopped:
		if err := r.scale(ctx, set, 0); err != nil || pod == nil {
			return ready, err
		}
		return waiting("stopping"), nil
	}
	if pod == nil && s.inTheWay(b.Spec.Name) != "" {
		return waiting("waiting for target " + s.inTheWay(b.Spec.Name) + " to stop"), nil
	}
	if err := r.scale(ctx, set, 1); err != nil {
		return ready, err
	}
	loaded := s.targetStatus(b.Spec.Name).LoadResult != ""
	switch {
	case pod == nil && loaded:
		return waiting("waiting for the pod to be created"), nil
	case pod == nil:
		return podhealth.Missing(set.CreationTimestamp.Time, r.Config.Limits, s.now), nil
	case loaded:
		seen, err := r.see(ctx, pod)
		return podhealth.TargetAgain(seen, resources.ServerContainer, r.Config.Limits, s.now), err
	}
	return podhealth.Target(pod, resources.ServerContainer, r.Config.Limits, s.now), nil
}

// makeReplica creates the objects of a replica, the StatefulSet last.
func (r *Reconciler) makeReplica(ctx context.Context, s *scope, b resources.Target) error {
	for _, obj := range []client.Object{b.ConfigMap(), b.Service(), b.NetworkPolicy(), b.PodDisruptionBudget(), b.StatefulSet()} {
		if _, err := r.ensure(ctx, s, obj); err != nil {
			return err
		}
	}
	return nil
}
