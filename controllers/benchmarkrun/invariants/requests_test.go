package invariants

import (
	"cmp"
	"context"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
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
func checkEnded(t *testing.T, c *cluster, reason, want string) {
	t.Helper()
	failed := apimeta.FindStatusCondition(c.run().Status.Conditions, v1alpha1.ConditionFailed)
	if failed == nil || failed.Reason != reason || !strings.Contains(failed.Message, want) {
		t.Errorf("the run failed with %+v, want %s: %q", failed, reason, want)
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
	answer(c, requests(c)[0], "Failed")
	m.until(t, "an end", func() bool { return c.run().Finished() })
	checkEnded(t, c, v1alpha1.ReasonNodesNotProvisioned, "the autoscaler makes no nodes: ProvisioningRequest run-place is Failed: Because: it is so")
}

// A run that is suspended takes its request back, and makes another one when it goes on.
func TestARequestIsTakenBack(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	suspend := func(is bool) { suspend(t, c, is) }
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

func suspend(t *testing.T, c *cluster, is bool) {
	run := c.run()
	run.Spec.Suspend = is
	c.must(c.api.Update(t.Context(), run))
}

// A run that is suspended for long, and goes on, waits anew, though the API was away and nobody could take its request back.
func TestARunThatGoesOnWithoutTheAPI(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	m.until(t, "a request", func() bool { return len(requests(c)) == 1 })
	first := requests(c)[0].GetUID()
	show := unserved(m)
	suspend(t, c, true)
	m.until(t, "it is suspended", func() bool { return c.run().Status.Phase == v1alpha1.PhaseSuspended })
	m.now = m.now.Add(2 * v1alpha1.DefaultProvisionWithin)
	suspend(t, c, false)
	m.until(t, "words about the API", func() bool { return waitsForAPI(c) })
	m.now = m.now.Add(v1alpha1.DefaultProvisionWithin - time.Minute)
	for range 10 {
		m.sync(true)
		m.reconcile()
	}
	if run := c.run(); run.Finished() {
		t.Fatalf("it has ended: %+v", run.Status.Conditions)
	}
	show()
	answer(c, requests(c)[0], "Failed") // before it went on
	m.until(t, "another request", func() bool { return len(requests(c)) == 1 && requests(c)[0].GetUID() != first })
	m.now = m.now.Add(time.Minute)
	m.until(t, "an end", func() bool { return c.run().Finished() })
	checkEnded(t, c, v1alpha1.ReasonNodesNotProvisioned, "no nodes were made within 15m0s")
}

// A machine that never comes: an autoscaler makes no other one for pods that take what was requested, so that request and placeholders are
// let go when the booking has expired, and made again.
func TestAMachineThatNeverComes(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	m.until(t, "a request", func() bool { return len(requests(c)) == 1 })
	first := requests(c)[0]
	answer(c, first, "Provisioned")
	m.until(t, "placeholders", func() bool { return len(list(c, &batchv1.JobList{}).Items) > 0 })
	answer(c, requests(c)[0], "Provisioned", "BookingExpired")
	m.until(t, "another request", func() bool { return len(requests(c)) == 1 && requests(c)[0].GetUID() != first.GetUID() })
	if early := list(c, &batchv1.JobList{}).Items; len(early) > 0 {
		t.Errorf("Job %s is there before the nodes are provisioned again", early[0].Name)
	}
	for range 200 {
		kubelet{c}.everybody()
		m.sync(true)
		m.reconcile()
	}
	if run := c.run(); !apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
		t.Errorf("the run has not ended well: %+v", run.Status.Conditions)
	}
	if left := c.remains(); len(left) > 0 {
		t.Errorf("these are left: %q", left)
	}
}

// It is no time without an end: what is asked for again has the time of the first request.
func TestMachinesThatNeverCome(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	for range 2 {
		m.until(t, "a request", func() bool { return len(requests(c)) == 1 && requests(c)[0].Object["status"] == nil })
		answer(c, requests(c)[0], "Provisioned", "BookingExpired")
		m.now = m.now.Add(v1alpha1.DefaultProvisionWithin / 2)
	}
	m.until(t, "an end", func() bool { return c.run().Finished() })
	checkEnded(t, c, v1alpha1.ReasonNodesNotProvisioned, "no nodes were made within 15m0s")
}

// A run with its nodes looks for its requests until they are gone, and not in every pass.
func TestRequestsThatAreGoneAreNotRead(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	reads := 0
	m.r.Live = interceptor.NewClient(m.api, interceptor.Funcs{
		Get: func(ctx context.Context, api client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if run := c.run(); obj.GetObjectKind().GroupVersionKind() == requestKind && run.Status.Placement != nil && !run.Finished() {
				reads++
			}
			return api.Get(ctx, key, obj, opts...)
		},
	})
	for range 200 {
		kubelet{c}.everybody()
		m.sync(true)
		m.reconcile()
	}
	if run := c.run(); !apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
		t.Errorf("the run has not ended well: %+v", run.Status.Conditions)
	}
	if reads != 2 {
		t.Errorf("the request was read %d times after the run had its nodes, want 2: when it was there, and when it was gone", reads)
	}
}

// Whoever may write a template can write that it belongs to the run.
func TestTemplateWithAForgedOwner(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	forged := &corev1.PodTemplate{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: "run-place", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(c.run(), v1alpha1.GroupVersion.WithKind("BenchmarkRun"))},
	}}
	forged.Template.Spec.Containers = []corev1.Container{{Name: "large", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")},
	}}}
	c.must(c.api.Create(t.Context(), forged))
	m.until(t, "an end", func() bool {
		if made := requests(c); len(made) > 0 {
			t.Errorf("nodes are requested by it: %v", made)
		}
		return c.run().Finished()
	})
	checkEnded(t, c, v1alpha1.ReasonChildConflict, "PodTemplate "+namespace+"/run-place exists and does not ask for what this run needs")
}

// unserved hides the API of ProvisioningRequests from a manager until it is shown again.
func unserved(m *manager) (show func()) {
	hidden := true
	m.r.Live = interceptor.NewClient(m.api, interceptor.Funcs{
		Get: func(ctx context.Context, api client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if hidden && obj.GetObjectKind().GroupVersionKind() == requestKind {
				return &apimeta.NoKindMatchError{GroupKind: schema.GroupKind{Group: requestKind.Group, Kind: requestKind.Kind}, SearchedVersions: []string{requestKind.Version}}
			}
			return api.Get(ctx, key, obj, opts...)
		},
	})
	return func() { hidden = false }
}

const noAPI = "spec.clients.shape: the shape has provisioningClass " + class + ", and the cluster has no API autoscaling.x-k8s.io/v1 with ProvisioningRequests"

// waitsForAPI says whether a run waits, and says that the API is missing.
func waitsForAPI(c *cluster) bool {
	placed := apimeta.FindStatusCondition(c.run().Status.Conditions, v1alpha1.ConditionPlaced)
	return placed != nil && placed.Reason == v1alpha1.ReasonProvisioningNodes && strings.Contains(placed.Message, noAPI)
}

// A cluster without the API is named, with the field, and the run ends when it has waited for as long as it may.
func TestNoRequestsWithoutTheirAPI(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	unserved(m)
	m.until(t, "words about the API", func() bool { return waitsForAPI(c) })
	m.now = m.now.Add(v1alpha1.DefaultProvisionWithin)
	m.until(t, "an end", func() bool { return c.run().Finished() })
	checkEnded(t, c, v1alpha1.ReasonNodesNotProvisioned, noAPI)
}

// An API that is not there for a moment ends no run, and one that is not there when a run ends keeps no request for good.
func TestAnAPIThatIsAwayForAMoment(t *testing.T) {
	t.Parallel()
	c, m := asking(t)
	show := unserved(m)
	m.until(t, "words about the API", func() bool { return waitsForAPI(c) })
	show()
	m.until(t, "a request", func() bool { return len(requests(c)) == 1 })
	show = unserved(m)
	m.now = m.now.Add(v1alpha1.DefaultProvisionWithin)
	m.until(t, "an end", func() bool { return c.run().Finished() })
	if len(requests(c)) != 1 {
		t.Fatal("a request that nobody sees is gone")
	}
	show()
	m.until(t, "nothing is left", func() bool { return len(c.remains()) == 0 })
}

// looksAgain lets the passes of a run that has ended follow each other as they want to, at most so many, and returns the times in between.
func (m *manager) looksAgain(most int) (times []time.Duration) {
	for range most {
		m.sync(true)
		again := m.reconcile()
		if again == 0 {
			break
		}
		times, m.now = append(times, again), m.now.Add(again)
	}
	return times
}

// warnings with a reason that a manager has told.
func warnings(m *manager, reason string) (told []string) {
	from := m.r.Events.(*events.FakeRecorder).Events
	for len(from) > 0 {
		if said := <-from; strings.HasPrefix(said, "Warning "+reason+" ") {
			told = append(told, said)
		}
	}
	return told
}

// What a run may have left is looked for again while it cannot be seen, ever less often and not for ever, and goes when it can be seen.
func TestWhatCannotBeSeenIsNotLookedForForEver(t *testing.T) {
	t.Parallel()
	minutes := func(of ...int) (times []time.Duration) {
		for _, n := range of {
			times = append(times, time.Duration(n)*time.Minute)
		}
		return times
	}
	for name, tt := range map[string]struct {
		// asks: the API goes when there is a request, and not before.
		asks bool
		// most looks before the API comes back; 0 for never.
		most   int
		want   []time.Duration
		warned bool
	}{
		"it never comes back":                {asks: true, want: minutes(5, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120), warned: true},
		"it comes back":                      {asks: true, most: 3, want: minutes(5, 5, 10), warned: true},
		"it was never there, and none asked": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, m := asking(t)
			if tt.asks {
				m.until(t, "a request", func() bool { return len(requests(c)) == 1 })
			}
			show := unserved(m)
			m.until(t, "words about the API", func() bool { return waitsForAPI(c) })
			m.now = m.now.Add(v1alpha1.DefaultProvisionWithin)
			m.until(t, "an end", func() bool { return c.run().Finished() })
			if diff := gocmp.Diff(tt.want, m.looksAgain(cmp.Or(tt.most, 50))); diff != "" {
				t.Errorf("times between the looks (-want +got):\n%s", diff)
			}
			warnings := warnings(m, "RequestsUnseen")
			if (len(warnings) == 1) != tt.warned || len(warnings) > 1 || tt.warned && !strings.Contains(warnings[0], "run-place): the cluster has no API") {
				t.Errorf("told: %q", warnings)
			}
			if left := c.remains(); (len(left) > 0) != tt.asks {
				t.Errorf("these are left: %q", left)
			}
			show()
			if again := m.looksAgain(5); len(again) > 0 {
				t.Errorf("all can be seen, and the times between the looks are %v", again)
			}
			if left := c.remains(); len(left) > 0 {
				t.Errorf("these are left when all can be seen: %q", left)
			}
		})
	}
}
