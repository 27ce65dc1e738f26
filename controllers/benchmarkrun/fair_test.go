package benchmarkrun

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// A priority beyond what the namespace may use is refused; one that is set later is not
// followed, and the status says so.
func TestPriorityHasBounds(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	client, open := gatedClient(t, delivers(always(1)))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: client})
	greedy := newRun(t, ns, named("greedy", 1000))
	create(t, greedy)
	saysWhy(t, failedWith(t, greedy, v1alpha1.ReasonPriorityNotAllowed), "spec.priority: 1000", "-1000 to 10", ns)
	holder, sly := newRun(t, ns, named("holder", 0)), newRun(t, ns, named("sly", 0))
	create(t, holder)
	await(t, holder, "measuring", measures)
	create(t, sly)
	queuedBehind(t, sly, "position 1")
	patch(t, sly, `"priority":1000`)
	queuedBehind(t, sly, "spec.priority: 1000 is outside of -1000 to 10", "10 counts")
	open()
	await(t, sly, "Complete", isTrue(v1alpha1.ConditionComplete))
}

// A namespace may have one run with nodes at a time: the second one waits although it could
// share the nodes, and says for what. One that is too large for its namespace is refused.
func TestNamespaceHasLimits(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil, func(r *Reconciler) {
		r.Config.Queue.Rules = []config.QueueRule{{Namespaces: []string{ns}, Bounds: config.Bounds{Nodes: new(2), Runs: new(1)}}}
	})
	seen := watchCrowd(t, ns)
	client, open := gatedClient(t, delivers(always(1)))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: client})
	shares := func(r *v1alpha1.BenchmarkRun) { r.Spec.Exclusive = new(false) }
	first, second := newRun(t, ns, named("first", 0), shares), newRun(t, ns, named("second", 0), shares)
	create(t, first)
	await(t, first, "measuring", measures)
	create(t, second)
	queuedBehind(t, second, "namespace "+ns+" may have nodes for 1 of its runs at a time", "it waits for "+ns+"/first")
	open()
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	seen.check(t, "first", "second")
}

// A run that alone needs more nodes than its namespace may hold is refused.
func TestRunBeyondTheLimitOfItsNamespace(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil, func(r *Reconciler) { r.Config.Queue.Bounds.Nodes = new(1) })
	run := newRun(t, ns)
	create(t, run)
	saysWhy(t, failedWith(t, run, v1alpha1.ReasonNamespaceLimitExceeded), "needs 2 nodes", "may hold 1")
}

// saysWhy checks the message of a run that has failed.
func saysWhy(t *testing.T, run *v1alpha1.BenchmarkRun, words ...string) {
	t.Helper()
	c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed)
	for _, w := range words {
		if !strings.Contains(c.Message, w) {
			t.Errorf("the message %q does not say %q", c.Message, w)
		}
	}
}

// What cannot be listed stands in the status, and the run goes on when it can be listed again.
func TestUnreadableNodesAreSeen(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	var broken atomic.Bool
	broken.Store(true)
	startManager(t, ns, func(c client.Client) client.Client { return blind{c, &broken} })
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	run := newRun(t, ns)
	create(t, run)
	await(t, run, "seen to be tried again", func(r *v1alpha1.BenchmarkRun) bool {
		c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionReconciling)
		return c != nil && c.Reason == v1alpha1.ReasonRetrying && strings.Contains(c.Message, "listing nodes: the API server is away")
	})
	broken.Store(false)
	await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
}

// blind lists no nodes while it is broken.
type blind struct {
	client.Client
	broken *atomic.Bool
}

func (b blind) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, is := list.(*corev1.NodeList); is && b.broken.Load() {
		return errors.New("the API server is away")
	}
	return b.Client.List(ctx, list, opts...)
}
