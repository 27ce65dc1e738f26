package invariants

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/runners/runner"
)

// errCrash is what every call of a manager that has crashed returns.
var errCrash = errors.New("the manager has crashed")

// manager is one process of the controller.
type manager struct {
	*cluster
	name  string
	cache cache
	r     *benchmarkrun.Reconciler
	// other works at the same time; nil for none.
	other *manager
	// busy: it is within a pass.
	busy bool
	// crashed: it does nothing more.
	crashed bool
	// began is where the journal was when this pass began.
	began journal.Position
	// begun are the marked results that this pass came upon.
	begun map[string]bool
	// failed is the write of this pass that the API server did not take.
	failed string
	// dies says at which write it crashes.
	dies death
	// writes so far.
	writes []string
}

// start a manager with an empty memory. Its cache knows what there is now.
func (c *cluster) start(name string) *manager {
	m := &manager{cluster: c, name: name, cache: cache{objects: map[string][]client.Object{}}}
	m.sync(true)
	m.r = &benchmarkrun.Reconciler{
		Client: m.client(), Live: m.live(), Clock: c, Events: events.NewFakeRecorder(10000), Config: config.Default(),
		Engine: engines.Find,
		Runner: func(name string) (runner.Runner, bool) {
			return runner.Runner{
				Name: name, Summary: []string{contract.NameThroughput, contract.NameErrorRate},
				Expectations: func(contract.Trial) (runner.Expectations, error) { return runner.Expectations{}, nil },
				Design:       runner.Design{Offers: func(json.RawMessage) (runner.Offered, error) { return runner.Offered{Field: "rate"}, nil }},
			}, true
		},
		Queue: queue.NewLedger(),
	}
	m.r.Config.Agent.Image = "agent:1"
	m.r.Config.Engines = map[string]map[string]config.Image{"MariaDB": {"10.11": {Image: "mariadb:10.11"}}}
	m.r.Config.Runners = map[string]config.Image{"sysbench": {Image: "sysbench:1"}}
	return m
}

// reconcile does one pass, and returns when it wants to be the next. Errors are what a pass after a crash or a refusal has.
func (m *manager) reconcile() (again time.Duration) {
	m.busy, m.failed, m.began, m.begun = true, "", m.position(), map[string]bool{}
	defer func() { m.busy = false }()
	res, err := m.r.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: "run"}})
	if err != nil && m.quiet && !m.crashed && !apierrors.IsConflict(err) {
		m.t.Fatalf("manager %s: %v", m.name, err)
	}
	return res.RequeueAfter
}

// sync lets the cache catch up, kind by kind: all of them, or some.
func (m *manager) sync(all bool) {
	for _, l := range []client.ObjectList{
		&appsv1.StatefulSetList{}, &batchv1.JobList{}, &corev1.PodList{}, &corev1.ConfigMapList{}, &corev1.NodeList{}, &v1alpha1.BenchmarkRunList{},
	} {
		if !all && m.rng.IntN(3) > 0 {
			continue
		}
		m.must(m.api.List(context.Background(), l))
		m.cache.set(l)
	}
}

// live reads from the API server, as long as the manager lives.
func (m *manager) live() client.Reader {
	return interceptor.NewClient(m.api, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if m.crashed {
				return errCrash
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
}

// client reads from the cache, and writes under the eyes of the law.
func (m *manager) client() client.Client {
	return interceptor.NewClient(m.api, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
			return m.cache.get(key, obj)
		},
		List: func(_ context.Context, _ client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			return m.cache.list(l, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			return m.write("create", obj, func() error {
				obj.SetUID(m.uid())
				obj.SetCreationTimestamp(metav1.Time{Time: m.now})
				return c.Create(ctx, obj, opts...)
			})
		},
		Update: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			return m.write("update", obj, func() error { return c.Update(ctx, obj, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, p client.Patch, opts ...client.PatchOption) error {
			return m.write("patch", obj, func() error { return c.Patch(ctx, obj, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			return m.write("delete", obj, func() error { return m.deleteExactly(ctx, c, obj, opts) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			return m.write("status", obj, func() error { return c.SubResource(sub).Update(ctx, obj, opts...) })
		},
	})
}

// deleteExactly is a delete with a precondition of the UID, which the fake API ignores.
func (m *manager) deleteExactly(ctx context.Context, c client.WithWatch, obj client.Object, opts []client.DeleteOption) error {
	do := &client.DeleteOptions{}
	do.ApplyOptions(opts)
	have := obj.DeepCopyObject().(client.Object)
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), have); err != nil {
		return err
	}
	if do.Preconditions == nil || *do.Preconditions.UID != have.GetUID() {
		return apierrors.NewConflict(schema.GroupResource{}, obj.GetName(), errors.New("another UID"))
	}
	return c.Delete(ctx, obj)
}

// write one object. Before it, anything may happen: the manager crashes, the other one does
// a whole pass, the world goes on, the API server is not there.
func (m *manager) write(verb string, obj client.Object, do func() error) error {
	what := verb + " " + obj.GetName()
	m.crashed = m.crashed || m.chance(40)
	switch {
	case m.crashed:
		return errCrash
	case m.chance(40):
		if verb != "status" {
			m.failed = what
		}
		return apierrors.NewInternalError(errors.New("not now"))
	case m.other != nil && !m.other.busy && m.chance(8):
		m.other.sync(false)
		m.other.reconcile()
	case m.chance(8):
		kubelet{m.cluster}.step()
	case m.isJob(verb, obj) && m.other != nil && !m.other.busy && m.chance(3):
		m.overtaken(obj.(*batchv1.Job))
	}
	if m.failed != "" && verb != "status" {
		m.t.Errorf("manager %s: %s after %s failed in the same pass", m.name, what, m.failed)
	}
	m.judge(verb, obj)
	return m.fatal(what, do)
}

func (m *manager) isJob(verb string, obj client.Object) bool {
	_, is := obj.(*batchv1.Job)
	return is && verb == "create"
}

// overtaken: while this manager is about to create a Job, the other one creates it, its
// clients come as far as their tools, and somebody deletes it.
func (m *manager) overtaken(job *batchv1.Job) {
	started := m.toolStarts[job.Name]
	for range 40 {
		m.other.sync(true)
		m.other.reconcile()
		kubelet{m.cluster}.step()
		if m.toolStarts[job.Name] > started {
			break
		}
	}
	have := &batchv1.Job{}
	if m.api.Get(context.Background(), client.ObjectKeyFromObject(job), have) == nil {
		m.delete(have)
	}
}

// cache is what a manager believes: each kind as it was at some time.
type cache struct{ objects map[string][]client.Object }

func kindOf(o runtime.Object) string {
	switch o.(type) {
	case *appsv1.StatefulSetList, *appsv1.StatefulSet:
		return "StatefulSet"
	case *batchv1.JobList, *batchv1.Job:
		return "Job"
	case *corev1.PodList, *corev1.Pod:
		return "Pod"
	case *corev1.NodeList, *corev1.Node:
		return "Node"
	case *v1alpha1.BenchmarkRunList, *v1alpha1.BenchmarkRun:
		return "BenchmarkRun"
	}
	return "ConfigMap"
}

func (c cache) set(l client.ObjectList) {
	var objects []client.Object
	_ = apimeta.EachListItem(l, func(o runtime.Object) error {
		objects = append(objects, o.DeepCopyObject().(client.Object))
		return nil
	})
	c.objects[kindOf(l)] = objects
}

// as gives an object the form that was asked for.
func as(o client.Object, want client.Object) {
	switch want := want.(type) {
	case *metav1.PartialObjectMetadata:
		cm := o.(*corev1.ConfigMap).DeepCopy()
		want.ObjectMeta = cm.ObjectMeta
	case *corev1.Node:
		o.(*corev1.Node).DeepCopyInto(want)
	default:
		panic("nobody reads this from the cache")
	}
}

func (c cache) get(key client.ObjectKey, obj client.Object) error {
	for _, o := range c.objects[kindOf(obj)] {
		if client.ObjectKeyFromObject(o) == key {
			as(o, obj)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: kindOf(obj)}, key.Name)
}

func (c cache) list(l client.ObjectList, opts ...client.ListOption) error {
	lo := &client.ListOptions{}
	lo.ApplyOptions(opts)
	var found []runtime.Object
	for _, o := range c.objects[kindOf(l)] {
		if lo.FieldSelector != nil {
			if uid, wanted := lo.FieldSelector.RequiresExactMatch(indexRun); wanted && o.GetLabels()[v1alpha1.LabelRunUID] != uid {
				continue
			}
		}
		if _, meta := l.(*metav1.PartialObjectMetadataList); meta {
			m := &metav1.PartialObjectMetadata{}
			m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
			as(o, m)
			found = append(found, m)
			continue
		}
		found = append(found, o.DeepCopyObject())
	}
	return apimeta.SetList(l, slices.Clip(found))
}
