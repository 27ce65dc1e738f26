package invariants

import (
	"context"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// asking is a cluster with a run whose nodes are requested, and its manager.
func asking(t *testing.T) (*cluster, *manager) {
	t.Helper()
	c := newCluster(t, 1)
	c.quiet = true
	c.createRun(v1alpha1.OnFailureStop, requestsNodes)
	return c, c.start("A")
}

// until something holds, passes follow each other.
func (m *manager) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 20 {
		if holds() {
			return
		}
		m.now = m.now.Add(time.Second)
		kubelet{m.cluster}.collectGarbage()
		m.sync(true)
		m.reconcile()
	}
	t.Fatalf("it never was so: %s; conditions %+v; there is %q", what, m.run().Status.Conditions, m.remains())
}

// checkEnded: a run without nodes has ended with these words, and nothing of it is left.
func checkEnded(t *testing.T, c *cluster, want string) {
	t.Helper()
	failed := apimeta.FindStatusCondition(c.run().Status.Conditions, v1alpha1.ConditionFailed)
	if failed.Reason != v1alpha1.ReasonNodesNotProvisioned || !strings.Contains(failed.Message, want) {
		t.Errorf("the run failed with %s: %s, want %q", failed.Reason, failed.Message, want)
	}
	if left := c.remains(); len(left) > 0 {
		t.Errorf("these are left: %q", left)
	}
}

// What an autoscaler refuses ends the run with its words, and nothing is left.
func TestARequestThatFails(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	m.until(t, "a request", func() bool { return len(requests(c)) == 1 })
	request := requests(c)[0]
	request.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True", "reason": "Expired", "message": "it is expired"}}}
	c.must(c.api.Update(t.Context(), &request))
	m.until(t, "an end", func() bool { return c.run().Finished() })
	checkEnded(t, c, "the autoscaler makes no nodes: ProvisioningRequest run-place is Failed: Expired: it is expired")
}

// A run that is suspended takes its request back, and makes another one when it goes on.
func TestARequestIsTakenBack(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	suspend := func(is bool) {
		run := c.run()
		run.Spec.Suspend = is
		c.must(c.api.Update(t.Context(), run))
	}
	m.until(t, "a request", func() bool { return len(requests(c)) == 1 })
	first := requests(c)[0].GetUID()
	suspend(true)
	m.until(t, "nothing is left", func() bool { return len(c.remains()) == 0 })
	suspend(false)
	m.until(t, "another request", func() bool { return len(requests(c)) == 1 })
	if requests(c)[0].GetUID() == first {
		t.Error("the request is the one before")
	}
}

// A cluster without the API is named, with the field.
func TestNoRequestsWithoutTheirAPI(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	m.r.Live = interceptor.NewClient(c.api, interceptor.Funcs{
		Get: func(ctx context.Context, api client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if obj.GetObjectKind().GroupVersionKind() == requestKind {
				return &apimeta.NoKindMatchError{GroupKind: schema.GroupKind{Group: requestKind.Group, Kind: requestKind.Kind}, SearchedVersions: []string{requestKind.Version}}
			}
			return api.Get(ctx, key, obj, opts...)
		},
	})
	m.until(t, "an end", func() bool { return c.run().Finished() })
	checkEnded(t, c, "spec.clients.shape: the shape has provisioningClass check-capacity.autoscaling.x-k8s.io, and the cluster has no API autoscaling.x-k8s.io/v1 with ProvisioningRequests")
}
