package benchmarkrun

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/certificate"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/podhealth"
)

// provision brings up the targets that Assay runs, and waits until they accept a
// login of the benchmark's user. With idleTargets: Stopped, that is the one target
// that is loaded or measured next.
func (r *Reconciler) provision(ctx context.Context, s *scope) (outcome, error) {
	for _, t := range s.run.Spec.Targets {
		if t.External != nil {
			s.targetStatus(t.Name).Address = externalAddress(t.External)
		}
	}
	// What a client finds says more than a readiness check of a server under load, and
	// is written down before anything is done about a server that failed.
	if s.unrecorded() {
		return s.provisioned(), nil
	}
	var pending []string
	reason := v1alpha1.ReasonProgressing
	only := s.only()
	for _, t := range provided(s.run) {
		wanted := only == "" || only == t.Name
		v, err := r.provide(ctx, s, t, wanted)
		if err != nil {
			return outcome{}, err
		}
		// A primary that is not ready yet keeps no replica from starting.
		if replicas, err := r.provideReplicas(ctx, s, t, wanted); err != nil {
			return outcome{}, err
		} else if v.State == podhealth.Ready || replicas.State == podhealth.Failed && v.State != podhealth.Failed {
			v = replicas
		}
		switch v.State {
		case podhealth.Failed:
			return failWith(v.Reason, "target %s: %s", t.Name, v.Message), nil
		case podhealth.Ready:
		default:
			pending = append(pending, t.Name+": "+v.Message)
			reason = orDefault(v.Reason, reason)
		}
	}
	if len(pending) > 0 {
		return waitFor(reason, "%s", strings.Join(pending, "; ")), nil
	}
	return s.provisioned(), nil
}

// provisioned says what is known: nobody logs in to an external target before its data is
// loaded.
func (s *scope) provisioned() outcome {
	var untried []string
	for _, t := range s.run.Spec.Targets {
		if t.External != nil && s.targetStatus(t.Name).LoadResult == "" {
			untried = append(untried, t.Name)
		}
	}
	if len(untried) == 0 {
		return doneWith("every target accepts logins")
	}
	o := doneWith("nobody has logged in yet to what Assay did not start: %s; loading the data will", strings.Join(untried, ", "))
	if len(provided(s.run)) > 0 {
		o.message = "every target that Assay started accepts logins; " + o.message
	}
	o.reason = v1alpha1.ReasonNotContacted
	return o
}

// only is the one target that runs with idleTargets: Stopped: the next one to be
// loaded or measured. It is empty when all of them run.
func (s *scope) only() string {
	if s.run.Spec.Design.IdleTargets != v1alpha1.IdleStopped {
		return ""
	}
	if t := s.unloaded(); t != "" {
		return t
	}
	if next := s.journal.Position().Index; int(next) < len(s.plan.Trials) {
		return s.plan.Targets[s.plan.Trials[next].Target]
	}
	return s.plan.Targets[s.plan.Trials[len(s.plan.Trials)-1].Target]
}

// provide brings one target further: up, or out of the way. A target that is up
// where it should be, and one that is gone where it should be, are Ready.
func (r *Reconciler) provide(ctx context.Context, s *scope, t v1alpha1.Target, wanted bool) (podhealth.Verdict, error) {
	b := s.builder(t)
	b.Stopped = !wanted
	set, pod := s.statefulSets[contract.TargetName(s.run.Name, t.Name)], s.targetPod(t.Name)
	waiting := func(message string) podhealth.Verdict {
		return podhealth.Verdict{State: podhealth.Waiting, Reason: v1alpha1.ReasonProgressing, Message: message}
	}
	switch {
	case set == nil && !wanted:
		return podhealth.Verdict{State: podhealth.Ready}, nil
	case set == nil:
		if other := s.inTheWay(t.Name); other != "" {
			return waiting("waiting for target " + other + " to stop"), nil
		}
		return waiting("created"), r.makeTarget(ctx, s, b)
	case !wanted:
		if err := r.scale(ctx, set, 0); err != nil {
			return podhealth.Verdict{}, err
		}
		if pod != nil {
			return waiting("stopping"), nil
		}
		return podhealth.Verdict{State: podhealth.Ready}, nil
	}
	if other := s.inTheWay(t.Name); other != "" && pod == nil {
		return waiting("waiting for target " + other + " to stop"), nil
	}
	if err := r.scale(ctx, set, 1); err != nil {
		return podhealth.Verdict{}, err
	}
	if pod == nil {
		// A set that was scaled up just now is older than its pod's absence.
		if s.targetStatus(t.Name).LoadResult != "" {
			return waiting("waiting for the pod to be created"), nil
		}
		return podhealth.Missing(set.CreationTimestamp.Time, r.Config.Limits, s.now), nil
	}
	if err := r.describeTarget(ctx, s, t.Name, b, pod); err != nil {
		return podhealth.Verdict{}, err
	}
	if s.targetStatus(t.Name).LoadResult != "" {
		seen, err := r.see(ctx, pod)
		return podhealth.TargetAgain(seen, resources.ServerContainer, r.Config.Limits, s.now), err
	}
	return podhealth.Target(pod, resources.ServerContainer, r.Config.Limits, s.now), nil
}

// inTheWay is another target whose pod has to go before this one may come up;
// empty for none, and wherever all targets run.
func (s *scope) inTheWay(target string) string {
	if s.only() == "" {
		return ""
	}
	for _, t := range provided(s.run) {
		if t.Name != target && s.hasPod(t) {
			return t.Name
		}
	}
	return ""
}

// scale a StatefulSet to one pod or none.
func (r *Reconciler) scale(ctx context.Context, set *appsv1.StatefulSet, replicas int32) error {
	if set.Spec.Replicas != nil && *set.Spec.Replicas == replicas {
		return nil
	}
	before := set.DeepCopy()
	set = set.DeepCopy()
	set.Spec.Replicas = &replicas
	if err := r.Client.Patch(ctx, set, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("scaling StatefulSet %s to %d: %w", set.Name, replicas, client.IgnoreNotFound(err))
	}
	return nil
}

func (s *scope) builder(t v1alpha1.Target) resources.Target {
	return resources.Target{
		Run: s.run, Spec: t, Resolved: s.resolved(t.Name),
		AgentImage: s.run.Status.Resolved.AgentImage, Node: s.nodeOf(t.Name),
	}
}

// makeTarget creates the objects of a target. The StatefulSet comes last: when it
// exists, so do all the others.
func (r *Reconciler) makeTarget(ctx context.Context, s *scope, b resources.Target) error {
	secret, err := r.newSecret(b)
	if err != nil {
		return err
	}
	for _, obj := range []client.Object{
		secret, b.ConfigMap(), b.Service(), b.NetworkPolicy(), b.PodDisruptionBudget(), b.StatefulSet(),
	} {
		if _, err := r.ensure(ctx, s, obj); err != nil {
			return err
		}
	}
	return nil
}

// newSecret has credentials made now. ensure drops them where the Secret exists already.
func (r *Reconciler) newSecret(b resources.Target) (*corev1.Secret, error) {
	var certs certificate.Bundle
	if b.HasTLS() {
		var err error
		if certs, err = certificate.Make(b.Names(), r.Clock.Now()); err != nil {
			return nil, fmt.Errorf("making the certificates of target %s: %w", b.Spec.Name, err)
		}
	}
	return b.Secret(rand.Text(), certs), nil
}

// describeTarget puts into the status what really runs.
func (r *Reconciler) describeTarget(ctx context.Context, s *scope, name string, b resources.Target, pod *corev1.Pod) error {
	st := s.targetStatus(name)
	st.Address = fmt.Sprintf("%s:%d", b.Address(), resources.DatabasePort)
	st.QOSClass = string(pod.Status.QOSClass)
	st.RestartCount = s.restarts(name)
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == resources.ServerContainer && c.ImageID != "" {
			st.ImageID = c.ImageID
		}
	}
	for _, c := range pod.Status.InitContainerStatuses {
		if c.ImageID != "" {
			st.AgentImageID = c.ImageID
		}
	}
	st.NodeName = orDefault(pod.Spec.NodeName, st.NodeName)
	return r.addNode(ctx, s, st.NodeName, "")
}

// maxNodes is the bound of status.nodes: 8 targets with 4 replicas each, and 64 clients.
const maxNodes = 8*5 + 64

// addNode describes a node in the status, once. Its CPU model is known later than the
// rest: a pod on it reads it; empty for not yet.
func (r *Reconciler) addNode(ctx context.Context, s *scope, name, cpuModel string) error {
	nodes := s.run.Status.Nodes
	if name == "" {
		return nil
	}
	i := slices.IndexFunc(nodes, func(n v1alpha1.NodeInfo) bool { return n.Name == name })
	if i < 0 {
		info, err := r.describeNode(ctx, name)
		if err != nil || info == nil || len(nodes) == maxNodes {
			return err
		}
		i, nodes = len(nodes), append(nodes, *info)
	}
	nodes[i].CPUModel = orDefault(cpuModel, nodes[i].CPUModel)
	s.run.Status.Nodes = nodes
	return nil
}

// describeNode is what a node says of itself; nil when it is gone.
func (r *Reconciler) describeNode(ctx context.Context, name string) (*v1alpha1.NodeInfo, error) {
	node := &corev1.Node{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: name}, node); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	info := node.Status.NodeInfo
	return &v1alpha1.NodeInfo{
		Name: node.Name, InstanceType: node.Labels[corev1.LabelInstanceTypeStable],
		KernelVersion: info.KernelVersion, Architecture: info.Architecture, OSImage: info.OSImage,
		ContainerRuntime: info.ContainerRuntimeVersion, KubeletVersion: info.KubeletVersion,
	}, nil
}

// restarts of a target's database container so far; nil when there is no pod.
func (s *scope) restarts(target string) *int32 {
	return restartsOf(s.targetPod(target))
}

// restartsOf a database pod's server; nil when there is no pod.
func restartsOf(pod *corev1.Pod) *int32 {
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
