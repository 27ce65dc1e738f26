// Package changes tells tests that objects of a namespace changed. To look again on changes alone
// costs the API server of a suite a small part of what looking at short intervals does.
package changes

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rewatch is the pause before a watch that ended is begun again.
const rewatch = 50 * time.Millisecond

// Of objects of some kinds in a namespace, until the context ends. At most one change is pending,
// and one may be told that was seen already. Changes during a watch that broke are told late or
// not at all: whoever waits for them looks at intervals, too.
func Of(ctx context.Context, api client.WithWatch, namespace string, kinds ...schema.GroupVersionKind) <-chan struct{} {
	changed := make(chan struct{}, 1)
	for _, kind := range kinds {
		go func() {
			for ctx.Err() == nil {
				watch(ctx, api, namespace, kind, changed)
				Pause(ctx, rewatch)
			}
		}()
	}
	return changed
}

// watch objects of one kind until the watch ends.
func watch(ctx context.Context, api client.WithWatch, namespace string, kind schema.GroupVersionKind, changed chan<- struct{}) {
	list := &metav1.PartialObjectMetadataList{} // results are large, and nobody reads them here
	kind.Kind += "List"
	list.SetGroupVersionKind(kind)
	w, err := api.Watch(ctx, list, client.InNamespace(namespace))
	if err != nil {
		return
	}
	defer w.Stop()
	for range w.ResultChan() {
		select {
		case changed <- struct{}{}:
		default: // one is pending
		}
	}
}

// Pause until the time is over or the context ends.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
