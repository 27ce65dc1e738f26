package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// namespace of all runs.
const namespace = "default"

// player plays what an API server alone lacks. Each object is played by a goroutine
// of its own, which a watch starts.
type player struct {
	srv    *server
	window time.Duration
	// cluster writes as controllers, scheduler and kubelets do, agents as the agents
	// in the client pods do: each with a connection of its own.
	cluster, agents             client.Client
	clusterWrites, agentsWrites atomic.Int64
	tool                        *tool
	// starts are channels by the name of a trial; each is closed when its start is
	// published.
	starts sync.Map
	// started counts the tools that were started, by the name of the Job.
	started sync.Map
	// failure is the first one of what is played.
	failure atomic.Pointer[error]
	runs    *tracker
	// children that have not gone: pods, Jobs and StatefulSets.
	children atomic.Int64
	// took is the time from the first run's creation to the last one's end.
	took time.Duration
}

func newPlayer(srv *server, o options) (*player, error) {
	p := &player{srv: srv, window: o.window, runs: newTracker()}
	var err1, err2, err3 error
	p.cluster, err1 = client.New(counted(srv.config, &p.clusterWrites), client.Options{Scheme: srv.scheme})
	p.agents, err2 = client.New(counted(srv.config, &p.agentsWrites), client.Options{Scheme: srv.scheme})
	p.tool, err3 = newTool(o.output)
	return p, errors.Join(err1, err2, err3)
}

// watch starts to play.
func (p *player) watch(ctx context.Context) error {
	c, err := cache.New(p.srv.config, cache.Options{Scheme: p.srv.scheme, DefaultTransform: cache.TransformStripManagedFields()})
	if err != nil {
		return fmt.Errorf("making a cache: %w", err)
	}
	configMap := &metav1.PartialObjectMetadata{}
	configMap.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	for _, w := range []struct {
		obj                client.Object
		added, gone, moved func(client.Object)
	}{
		{obj: &appsv1.StatefulSet{}, added: func(o client.Object) { p.play(ctx, o, p.database) }, gone: func(o client.Object) { p.play(ctx, o, p.sweep) }},
		{obj: &batchv1.Job{}, added: func(o client.Object) { p.play(ctx, o, p.clientPod) }, gone: func(o client.Object) { p.play(ctx, o, p.sweep) }},
		{obj: &corev1.Pod{}},
		{obj: configMap, moved: p.heard},
		{obj: &v1alpha1.BenchmarkRun{}, moved: p.runs.see},
	} {
		informer, err := c.GetInformer(ctx, w.obj, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("watching %T: %w", w.obj, err)
		}
		_, child := w.obj.(*corev1.Pod)
		child = child || w.added != nil
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) {
				if child {
					p.children.Add(1)
				}
				call(w.added, o)
			},
			UpdateFunc: func(_, o any) { call(w.moved, o) },
			DeleteFunc: func(o any) {
				if child {
					p.children.Add(-1)
				}
				if last, is := o.(toolscache.DeletedFinalStateUnknown); is {
					o = last.Obj
				}
				call(w.gone, o)
			},
		})
		if err != nil {
			return fmt.Errorf("watching %T: %w", w.obj, err)
		}
	}
	go func() { p.note(c.Start(ctx)) }()
	if !c.WaitForCacheSync(ctx) {
		return errors.New("the watches did not start")
	}
	return nil
}

func call(f func(client.Object), o any) {
	if obj, is := o.(client.Object); is && f != nil {
		f(obj)
	}
}

func (p *player) play(ctx context.Context, o client.Object, part func(context.Context, client.Object) error) {
	go func() { p.note(part(ctx, o)) }()
}

// note keeps the first error. What the manager deleted meanwhile is none.
func (p *player) note(err error) {
	if err == nil || apierrors.IsNotFound(err) || errors.Is(err, context.Canceled) {
		return
	}
	p.failure.CompareAndSwap(nil, &err)
}

// start is the channel of a trial.
func (p *player) start(trial string) chan struct{} {
	c, _ := p.starts.LoadOrStore(trial, make(chan struct{}))
	return c.(chan struct{})
}

// heard lets the client of a trial begin.
func (p *player) heard(o client.Object) {
	if o.GetLabels()[v1alpha1.LabelRole] != v1alpha1.RoleTrial || o.GetAnnotations()[v1alpha1.AnnotationStart] == "" {
		return
	}
	c := p.start(o.GetName())
	select {
	case <-c:
	default:
		close(c) // one goroutine delivers the events of a kind
	}
}

// side does something count times, some at a time.
func side(ctx context.Context, count int, do func(int) error) error {
	var (
		wg    sync.WaitGroup
		next  atomic.Int64
		first atomic.Pointer[error]
	)
	for range inFlight {
		wg.Go(func() {
			for ctx.Err() == nil && first.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				if err := do(i); err != nil {
					first.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wg.Wait()
	if err := first.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}
