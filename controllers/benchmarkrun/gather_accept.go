package benchmarkrun

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// decideAccept asks the room accept, and reads what it asks for.
func (r *Reconciler) decideAccept(ctx context.Context, s *scope) (accept.Result, error) {
	in := accept.Input{
		Run: s.run, Now: s.now, Catalogue: accept.Catalogue{Tool: r.Runner, Engine: r.Engine, Config: r.Config},
		Started: len(s.statefulSets) > 0 || len(s.jobs) > 0,
	}
	if known, ok := r.plans.Load(s.run.UID); ok {
		in.Known = known.(accept.Planned)
	}
	var known decision.Known
	for {
		ask := known.Ask()
		res := accept.Decide(in, ask)
		if ask.Complete() {
			return res, nil
		}
		var err error
		if known, err = r.answer(ctx, s.run, known, ask.Missing()); err != nil {
			return accept.Result{}, err
		}
	}
}

// answer what a room asks for.
func (r *Reconciler) answer(ctx context.Context, run *v1alpha1.BenchmarkRun, known decision.Known, queries []decision.Query) (decision.Known, error) {
	for _, q := range queries {
		answer, err := r.read(ctx, run, q)
		if err != nil {
			return known, err
		}
		known = known.With(q, answer)
	}
	return known, nil
}

// read one answer.
func (r *Reconciler) read(ctx context.Context, run *v1alpha1.BenchmarkRun, q decision.Query) (any, error) {
	switch q := q.(type) {
	case decision.GetNode:
		return r.readNode(ctx, q.Name)
	case decision.GetObject:
		key := types.NamespacedName{Namespace: run.Namespace, Name: q.Name}
		switch q.Kind {
		case decision.KindConfigMap:
			return readLive(ctx, r.Live, key, &corev1.ConfigMap{})
		case decision.KindSecret:
			return readLive(ctx, r.Live, key, &corev1.Secret{})
		case decision.KindInstanceShape:
			return readLive(ctx, r.Live, types.NamespacedName{Name: q.Name}, &v1alpha1.InstanceShape{})
		}
	}
	return nil, fmt.Errorf("nobody can answer %#v", q)
}

// readLive reads an object from the API server.
func readLive[T client.Object](ctx context.Context, from client.Reader, key types.NamespacedName, obj T) (any, error) {
	err := from.Get(ctx, key, obj)
	if apierrors.IsNotFound(err) {
		return decision.Absent{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %T %s: %w", obj, key.Name, err)
	}
	return obj, nil
}

// readNode from the cache. Only the API server knows for sure that a node is gone.
func (r *Reconciler) readNode(ctx context.Context, name string) (any, error) {
	node, key := &corev1.Node{}, types.NamespacedName{Name: name}
	if err := r.Client.Get(ctx, key, node); err == nil {
		return node, nil
	} else if !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading node %s: %w", name, err)
	}
	return readLive(ctx, r.Live, key, node)
}
