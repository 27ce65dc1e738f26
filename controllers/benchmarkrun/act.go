package benchmarkrun

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/certificate"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// actor performs what the rooms decided. It is the only writer of what belongs to a run.
type actor struct {
	client client.Client
	// live tells what an object is that a Create came upon.
	live client.Reader
	now  time.Time
	// store signs uploads; nil without an object store.
	store ObjectStore
	// run as it was read. Its metadata follows what the actor writes to the run itself.
	run *v1alpha1.BenchmarkRun
}

// acted is how far a list of actions came.
type acted struct {
	// stopped says why an action was not performed; nil when all of them were. Those after
	// it were not tried.
	stopped decision.State
	// begun: the action came upon a result that a client has touched, which known holds.
	begun bool
	// known are the ConfigMaps as they were written or found.
	known decision.Known
}

// perform the actions in their order. It stops at the first that cannot be performed.
func (a actor) perform(ctx context.Context, actions []decision.Action) (acted, error) {
	out := acted{}
	for _, action := range actions {
		err := a.do(ctx, action, &out)
		if err != nil || out.stopped != nil {
			return out, err
		}
	}
	return out, nil
}

// performed is a pass whose actions were performed, as far as that was possible.
type performed struct {
	pass
	// again: more can be decided at once, from what is known and refused now.
	again   bool
	known   decision.Known
	refused map[string]decision.Failed
	// err is one that time may mend.
	err error
}

// act on a pass, step by step. The changes of a step whose actions cannot be
// performed are not applied, and those after it did not happen.
func (r *Reconciler) act(ctx context.Context, a actor, p pass) performed {
	out := performed{pass: p}
	for i, c := range p.steps {
		done, err := a.perform(ctx, c.actions)
		out.known = out.known.And(done.known)
		if err == nil && done.stopped == nil {
			out.again = out.again || c.again
			continue
		}
		out.again = done.begun
		out.steps = slices.Clone(p.steps[:i+1])
		last := out.last()
		last.answer = answerWith(done.stopped)
		switch refused, is := done.stopped.(decision.Failed); {
		case err != nil:
			last.answer, out.err = answerWith(retrying(err)), fmt.Errorf("%s: %w", c.condition, err)
		case is:
			out.again, out.refused = true, map[string]decision.Failed{c.condition: refused}
		}
		return out
	}
	return out
}

func (a actor) do(ctx context.Context, action decision.Action, out *acted) error {
	switch do := action.(type) {
	case decision.Create:
		return a.create(ctx, do, out)
	case decision.CreateSecret:
		return a.createSecret(ctx, do.Target, out)
	case decision.Replace:
		return a.replace(ctx, do.Object, out)
	case decision.AddData:
		return a.addData(ctx, do)
	case decision.OfferUploads:
		return a.offerUploads(ctx, do, out)
	case decision.OfferDataSet:
		return a.offerDataSet(ctx, do, out)
	case decision.StoreDataSet:
		return a.storeDataSet(ctx, do, out)
	case decision.Scale:
		return a.scale(ctx, do)
	case decision.TakeVolume:
		return a.takeVolume(ctx, do, out)
	case decision.MarkRun:
		return a.markRun(ctx, do.Hash)
	case decision.Delete:
		return a.delete(ctx, do.Object)
	}
	return fmt.Errorf("no case performs the action %T", action)
}

// create an object that is never changed afterwards. An object of the same name that
// belongs to somebody else ends the run.
func (a actor) create(ctx context.Context, do decision.Create, out *acted) error {
	obj := do.Object.DeepCopyObject().(client.Object)
	err := a.client.Create(ctx, obj)
	switch {
	case err == nil:
		out.learn(obj)
		return nil
	case apierrors.IsInvalid(err) || apierrors.IsForbidden(err):
		out.stopped = decision.FailWith(v1alpha1.ReasonPodRejected, "the API server refuses %s: %v", obj.GetName(), err)
		return nil
	case !apierrors.IsAlreadyExists(err):
		return fmt.Errorf("creating %s %s: %w", typeOf(obj), obj.GetName(), err)
	}
	if err := a.live.Get(ctx, client.ObjectKeyFromObject(obj), obj); apierrors.IsNotFound(err) {
		out.stopped = decision.WaitFor(v1alpha1.ReasonProgressing, "%s %s was just deleted", typeOf(obj), obj.GetName())
		return nil
	} else if err != nil {
		return fmt.Errorf("reading %s %s: %w", typeOf(obj), obj.GetName(), err)
	}
	if out.stopped = a.foreign(obj); out.stopped != nil {
		return nil
	}
	out.learn(obj)
	cm, _ := obj.(*corev1.ConfigMap)
	switch {
	case do.Existing == decision.Stop:
		out.stopped = decision.WaitFor(v1alpha1.ReasonProgressing, "%s %s was written meanwhile", typeOf(obj), obj.GetName())
	case do.Existing == decision.KeepUnmarked && decision.Begun(cm):
		out.stopped, out.begun = decision.WaitFor(v1alpha1.ReasonProgressing, "%s has begun", obj.GetName()), true
	}
	return nil
}

// foreign says why an object that exists is of no use to the run; nil when it is the run's.
func (a actor) foreign(obj client.Object) decision.State {
	if owner := metav1.GetControllerOf(obj); !obj.GetDeletionTimestamp().IsZero() ||
		owner != nil && owner.Kind == "BenchmarkRun" && owner.Name == a.run.Name && owner.UID != a.run.UID {
		return decision.WaitFor(v1alpha1.ReasonProgressing,
			"waiting for %s %s of an earlier run of the same name to be deleted", typeOf(obj), obj.GetName())
	}
	if !metav1.IsControlledBy(obj, a.run) {
		return decision.FailWith(v1alpha1.ReasonChildConflict,
			"%s %s/%s exists and does not belong to this run: delete it, or give the run another name", typeOf(obj), obj.GetNamespace(), obj.GetName())
	}
	return nil
}

// typeOf an object, as messages have it.
func typeOf(obj client.Object) string {
	if u, is := obj.(*unstructured.Unstructured); is {
		return u.GetKind()
	}
	return fmt.Sprintf("%T", obj)
}

// learn what a ConfigMap is now.
func (out *acted) learn(obj client.Object) {
	cm, is := obj.(*corev1.ConfigMap)
	if !is {
		return
	}
	out.known = out.known.With(decision.Named[*corev1.ConfigMap](cm.Name), cm)
	if _, is := cm.BinaryData[contract.KeyRecords]; is {
		out.known = out.known.With(decision.GetRecords{Name: cm.Name}, decision.PartIn(cm))
	}
}

// createSecret makes the credentials of a target while it writes them. They are dropped
// where the Secret exists.
func (a actor) createSecret(ctx context.Context, t resources.Target, out *acted) error {
	var certs certificate.Bundle
	if t.HasTLS() {
		var err error
		if certs, err = certificate.Make(t.Names(), a.now); err != nil {
			return fmt.Errorf("making the certificates of target %s: %w", t.Spec.Name, err)
		}
	}
	return a.create(ctx, decision.Create{Object: t.Secret(rand.Text(), rand.Text(), certs)}, out)
}

// replace an object under the lock of the version that was read.
// One that belongs to somebody else is left alone.
func (a actor) replace(ctx context.Context, object decision.Object, out *acted) error {
	obj := object.DeepCopyObject().(client.Object)
	if out.stopped = a.foreign(obj); out.stopped != nil {
		return nil
	}
	if err := a.client.Update(ctx, obj); apierrors.IsNotFound(err) {
		out.stopped = decision.WaitFor(v1alpha1.ReasonProgressing, "%s %s was just deleted", typeOf(obj), obj.GetName())
		return nil
	} else if err != nil {
		return fmt.Errorf("writing %s %s: %w", typeOf(obj), obj.GetName(), err)
	}
	out.learn(obj)
	return nil
}

func (a actor) addData(ctx context.Context, do decision.AddData) error {
	cm := &corev1.ConfigMap{}
	err := a.live.Get(ctx, client.ObjectKey{Namespace: a.run.Namespace, Name: do.Name}, cm)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading ConfigMap %s: %w", do.Name, err)
	}
	if err != nil || a.foreign(cm) != nil {
		return nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": cm.UID}, "data": map[string]string{do.Key: do.Value},
	})
	if err != nil {
		return fmt.Errorf("adding %s to ConfigMap %s: %w", do.Key, do.Name, err)
	}
	err = a.client.Patch(ctx, cm, client.RawPatch(types.MergePatchType, patch))
	if err := client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("adding %s to ConfigMap %s: %w", do.Key, do.Name, err)
	}
	return nil
}

func (a actor) scale(ctx context.Context, do decision.Scale) error {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: a.run.Namespace, Name: do.Name}}
	// The UID is a precondition: a set of that name that somebody else made meanwhile is left alone.
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q},"spec":{"replicas":%d}}`, do.UID, do.Replicas)
	err := a.client.Patch(ctx, set, client.RawPatch(types.MergePatchType, patch))
	if err := client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("scaling StatefulSet %s to %d: %w", do.Name, do.Replicas, err)
	}
	return nil
}

// markRun puts the hash of the resolved spec on the run itself, where label selectors
// find it. The status is written later in the pass, under the new version.
func (a actor) markRun(ctx context.Context, hash string) error {
	marked := a.run.DeepCopy()
	metav1.SetMetaDataAnnotation(&marked.ObjectMeta, v1alpha1.AnnotationSpecHash, hash)
	metav1.SetMetaDataLabel(&marked.ObjectMeta, v1alpha1.LabelSpecHash, resources.SpecHashLabel(hash))
	if err := a.client.Patch(ctx, marked, client.MergeFromWithOptions(a.run.DeepCopy(), client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("writing the hash of the spec: %w", err)
	}
	a.run.ObjectMeta = marked.ObjectMeta
	return nil
}

// delete an object of the run and, in the background, what belongs to it.
func (a actor) delete(ctx context.Context, object decision.Object) error {
	obj := object.DeepCopyObject().(client.Object)
	if !obj.GetDeletionTimestamp().IsZero() || !metav1.IsControlledBy(obj, a.run) {
		return nil
	}
	uid := obj.GetUID()
	err := a.client.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err := client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("deleting %s %s: %w", typeOf(obj), obj.GetName(), err)
	}
	return nil
}
