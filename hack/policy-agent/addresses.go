package main

import (
	"context"
	"maps"
	"net/netip"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// namespace with one ConfigMap for each node, of its name: the addresses of its new pods by
// their UID. Only agents may write there. An annotation of the pod would be simpler, and whoever
// may change a pod could give it the address of another.
const namespace = "policy-agent"

// addresses of pods that the kubelet may not have reported yet.
type addresses struct {
	mu    sync.Mutex
	byUID map[types.UID]string
	// publishing is held while they are published, so that no older state comes last.
	publishing sync.Mutex
}

func (a *addresses) add(uid types.UID, address netip.Addr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byUID == nil {
		a.byUID = map[types.UID]string{}
	}
	a.byUID[uid] = address.String()
}

// all addresses, a copy.
func (a *addresses) all() map[types.UID]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.byUID)
}

// forget the addresses that are not needed any more.
func (a *addresses) forget(needed func(uid types.UID, address string) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.byUID, func(uid types.UID, address string) bool { return !needed(uid, address) })
}

// publish the addresses of this node's new pods for the agents of the other nodes.
func (a *agent) publish(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, publishTimeout)
	defer stop()
	a.own.publishing.Lock()
	defer a.own.publishing.Unlock()
	if err := a.forgetReported(ctx); err != nil {
		return err
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: a.node}, Data: map[string]string{}}
	for uid, address := range a.own.all() {
		object.Data[string(uid)] = address
	}
	err := a.api.Update(ctx, object) // whatever its version is: nobody else writes it
	if apierrors.IsNotFound(err) {
		return a.api.Create(ctx, object)
	}
	return err
}

// forgetReported drops the addresses that the kubelet reported, and those of pods that are gone.
func (a *agent) forgetReported(ctx context.Context) error {
	var pods corev1.PodList
	if err := a.objects.List(ctx, &pods); err != nil {
		return err
	}
	reported := map[types.UID]string{}
	for _, p := range pods.Items {
		reported[p.UID] = p.Status.PodIP
	}
	a.own.forget(func(uid types.UID, address string) bool {
		known, there := reported[uid]
		return there && known != address
	})
	return nil
}

// byNode are the published addresses.
func byNode(published []corev1.ConfigMap) map[string]map[types.UID]string {
	out := map[string]map[types.UID]string{}
	for _, p := range published {
		out[p.Name] = map[types.UID]string{}
		for uid, address := range p.Data {
			out[p.Name][types.UID(uid)] = address
		}
	}
	return out
}

// withLearned returns the pods with the addresses that their nodes know. A node knows its pods
// before the kubelet reports them, and nothing of the pods of other nodes.
func withLearned(pods []corev1.Pod, known map[string]map[types.UID]string) []corev1.Pod {
	out := make([]corev1.Pod, len(pods))
	for i, p := range pods {
		out[i] = p
		if address, ok := known[p.Spec.NodeName][p.UID]; ok {
			out[i].Status.PodIP = address
		}
	}
	return out
}
