package benchmarkrun

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/internal/workload"
)

// provision brings up every target that Assay runs, and waits until each one
// accepts a login of the benchmark's user.
func (r *Reconciler) provision(ctx context.Context, s *scope) (outcome, error) {
	var pending []string
	reason := v1alpha1.ReasonProgressing
	for _, t := range s.run.Spec.Targets {
		if t.External != nil {
			s.targetStatus(t.Name).Address = fmt.Sprintf("%s:%d", t.External.Host, t.External.Port)
			continue
		}
		b := s.builder(t)
		set := s.statefulSets[v1alpha1.TargetName(s.run.Name, t.Name)]
		if set == nil {
			if err := r.makeTarget(ctx, s, b); err != nil {
				return outcome{}, err
			}
			pending = append(pending, t.Name+": created")
			continue
		}
		v := workload.Missing(set.CreationTimestamp.Time, r.Config.Limits, s.now)
		if pod := s.targetPods[set.Name]; pod != nil {
			v = workload.Target(pod, resources.ServerContainer, r.Config.Limits, s.now)
			if err := r.describeTarget(ctx, s, t.Name, b, pod); err != nil {
				return outcome{}, err
			}
		}
		switch v.State {
		case workload.Failed:
			return failWith(v.Reason, "target %s: %s", t.Name, v.Message), nil
		case workload.Ready:
		default:
			pending = append(pending, t.Name+": "+v.Message)
			reason = orDefault(v.Reason, reason)
		}
	}
	// A target that has been ready may be busy for a moment while it is measured;
	// what a trial found says more than a readiness check.
	if len(pending) > 0 && !s.loaded() {
		return waitFor(reason, "%s", strings.Join(pending, "; ")), nil
	}
	return doneWith("every target accepts logins"), nil
}

func (s *scope) builder(t v1alpha1.Target) resources.Target {
	return resources.Target{
		Run: s.run, Spec: t, Resolved: s.resolved(t.Name),
		AgentImage: s.run.Status.Resolved.AgentImage, KeepFree: s.keepFree,
	}
}

// makeTarget creates the objects of a target. The StatefulSet comes last: when it
// exists, so do all the others.
func (r *Reconciler) makeTarget(ctx context.Context, s *scope, b resources.Target) error {
	for _, obj := range []client.Object{
		b.Secret(rand.Text()), b.ConfigMap(), b.Service(), b.NetworkPolicy(), b.PodDisruptionBudget(), b.StatefulSet(),
	} {
		if _, err := r.ensure(ctx, s, obj); err != nil {
			return err
		}
	}
	return nil
}

// describeTarget puts into the status what really runs.
func (r *Reconciler) describeTarget(ctx context.Context, s *scope, name string, b resources.Target, pod *corev1.Pod) error {
	st := s.targetStatus(name)
	st.Address = fmt.Sprintf("%s:%d", b.Address(), resources.DatabasePort)
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == resources.ServerContainer && c.ImageID != "" {
			st.ImageID = c.ImageID
		}
	}
	if pod.Spec.NodeName == "" || (st.Node != nil && st.Node.Name == pod.Spec.NodeName) {
		return nil
	}
	node := &corev1.Node{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: pod.Spec.NodeName}, node); err != nil {
		return client.IgnoreNotFound(err)
	}
	st.Node = &v1alpha1.NodeInfo{
		Name: node.Name, InstanceType: node.Labels[corev1.LabelInstanceTypeStable],
		KernelVersion: node.Status.NodeInfo.KernelVersion, Architecture: node.Status.NodeInfo.Architecture,
	}
	return nil
}

// restarts of a target's database container so far; nil when there is no pod.
func (s *scope) restarts(target string) *int32 {
	pod := s.targetPods[v1alpha1.TargetName(s.run.Name, target)]
	if pod == nil {
		return nil
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == resources.ServerContainer {
			return new(c.RestartCount)
		}
	}
	return nil
}

// loaded says whether every target has its data.
func (s *scope) loaded() bool {
	for _, t := range s.run.Spec.Targets {
		if s.targetStatus(t.Name).LoadResult == "" {
			return false
		}
	}
	return true
}
