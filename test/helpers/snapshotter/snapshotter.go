// Package snapshotter gives the API server of a package's tests the API by which CSI drivers take snapshots of volumes, and plays the
// controller of it: the CRDs are those of its Go module, which hack/snapshotter pins. No storage takes a snapshot here.
package snapshotter

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/test/helpers/changes"
	"github.com/assay-bench/assay/test/helpers/crds"
)

// Kind of the snapshots, and of what the cluster has of each.
var (
	Kind        = schema.GroupVersionKind{Group: "snapshot.storage.k8s.io", Version: "v1", Kind: "VolumeSnapshot"}
	contentKind = Kind.GroupVersion().WithKind("VolumeSnapshotContent")
)

// Driver that plays the storage.
const Driver = "played.example"

// API of the snapshots.
var API = crds.API{
	Kind: Kind, Variable: "ASSAY_SNAPSHOT_CRDS", Files: []string{Kind.Group + "_volumesnapshots.yaml", Kind.Group + "_volumesnapshotcontents.yaml"},
}

// Named has nothing but its name.
func Named(namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(Kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// Of a claim, as somebody makes it by hand.
func Of(namespace, name, claim string) *unstructured.Unstructured {
	u := Named(namespace, name)
	u.Object["spec"] = map[string]any{"source": map[string]any{"persistentVolumeClaimName": claim}}
	return u
}

// Take a snapshot, as the controller and a driver do: its content has a handle of the storage, and it is ready to use.
func Take(ctx context.Context, api client.Client, snapshot *unstructured.Unstructured) error {
	content := &unstructured.Unstructured{}
	content.SetGroupVersionKind(contentKind)
	content.SetName("snapcontent-" + string(snapshot.GetUID()))
	handle := "handle-" + string(snapshot.GetUID())
	content.Object["spec"] = map[string]any{
		"deletionPolicy": "Delete", "driver": Driver, "source": map[string]any{"volumeHandle": "volume"},
		"volumeSnapshotRef": map[string]any{"namespace": snapshot.GetNamespace(), "name": snapshot.GetName(), "uid": string(snapshot.GetUID())},
	}
	err := api.Create(ctx, content)
	if apierrors.IsAlreadyExists(err) {
		err = api.Get(ctx, client.ObjectKeyFromObject(content), content)
	}
	if err != nil {
		return err
	}
	content.Object["status"] = map[string]any{"snapshotHandle": handle, "readyToUse": true}
	if err := api.Status().Update(ctx, content); err != nil {
		return err
	}
	return Say(ctx, api, snapshot, map[string]any{
		"boundVolumeSnapshotContentName": content.GetName(), "readyToUse": true, "restoreSize": "1Gi", "creationTime": time.Now().UTC().Format(time.RFC3339),
	})
}

// Say the status of a snapshot.
func Say(ctx context.Context, api client.Client, snapshot *unstructured.Unstructured, status map[string]any) error {
	snapshot.Object["status"] = status
	return api.Status().Update(ctx, snapshot)
}

// Play the controller in a namespace until the test ends: what says nothing of itself is taken, if its volume is there.
func Play(t testing.TB, api client.Client, namespace string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ; ctx.Err() == nil; changes.Pause(ctx, 100*time.Millisecond) {
			if err := takeAll(ctx, api, namespace); err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) {
				t.Errorf("taking the snapshots of %s: %v", namespace, err)
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-ended })
}

func takeAll(ctx context.Context, api client.Client, namespace string) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(Kind.GroupVersion().WithKind(Kind.Kind + "List"))
	if err := api.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return err
	}
	var all error
	for i := range list.Items {
		s := &list.Items[i]
		if _, says := s.Object["status"]; says || s.GetDeletionTimestamp() != nil {
			continue
		}
		claim, _, _ := unstructured.NestedString(s.Object, "spec", "source", "persistentVolumeClaimName")
		err := api.Get(ctx, client.ObjectKey{Namespace: namespace, Name: claim}, &corev1.PersistentVolumeClaim{})
		if apierrors.IsNotFound(err) {
			err = Say(ctx, api, s, map[string]any{"readyToUse": false, "error": map[string]any{
				"message": "the claim " + claim + " is not there", "time": metav1.Now().UTC().Format(time.RFC3339),
			}})
		} else if err == nil {
			err = Take(ctx, api, s)
		}
		all = errors.Join(all, client.IgnoreNotFound(err))
	}
	return all
}
