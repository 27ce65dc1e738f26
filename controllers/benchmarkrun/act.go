package benchmarkrun

import (
	"context"
	"crypto/rand"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/certificate"
	"github.com/assay-bench/assay/internal/resources"
)

// act performs the actions of a room in their order, and stops at the first that fails.
func (r *Reconciler) act(ctx context.Context, s *scope, actions []decision.Action) error {
	for _, a := range actions {
		if err := r.perform(ctx, s, a); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) perform(ctx context.Context, s *scope, action decision.Action) error {
	switch a := action.(type) {
	case decision.Create:
		_, err := r.ensure(ctx, s, a.Object)
		return err
	case decision.CreateSecret:
		return r.createSecret(ctx, s, a.Target)
	case decision.Scale:
		return r.scale(ctx, s, a)
	case decision.MarkRun:
		return r.markRun(ctx, s, a.Hash)
	}
	return fmt.Errorf("nobody can perform %T", action)
}

// createSecret has credentials made now. ensure drops them where the Secret exists already.
func (r *Reconciler) createSecret(ctx context.Context, s *scope, b resources.Target) error {
	var certs certificate.Bundle
	if b.HasTLS() {
		var err error
		if certs, err = certificate.Make(b.Names(), r.Clock.Now()); err != nil {
			return fmt.Errorf("making the certificates of target %s: %w", b.Spec.Name, err)
		}
	}
	_, err := r.ensure(ctx, s, b.Secret(rand.Text(), certs))
	return err
}

// scale a StatefulSet of the run.
func (r *Reconciler) scale(ctx context.Context, s *scope, a decision.Scale) error {
	before := s.statefulSets[a.Name]
	set := before.DeepCopy()
	set.Spec.Replicas = &a.Replicas
	if err := r.Client.Patch(ctx, set, client.MergeFrom(before.DeepCopy())); err != nil {
		return fmt.Errorf("scaling StatefulSet %s to %d: %w", set.Name, a.Replicas, client.IgnoreNotFound(err))
	}
	return nil
}

// markRun puts the hash of the resolved spec on the run itself, where label
// selectors find it.
func (r *Reconciler) markRun(ctx context.Context, s *scope, hash string) error {
	marked := s.run.DeepCopy()
	metav1.SetMetaDataAnnotation(&marked.ObjectMeta, v1alpha1.AnnotationSpecHash, hash)
	metav1.SetMetaDataLabel(&marked.ObjectMeta, v1alpha1.LabelSpecHash, resources.SpecHashLabel(hash))
	if err := r.Client.Patch(ctx, marked, client.MergeFromWithOptions(s.run.DeepCopy(), client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("writing the hash of the spec: %w", err)
	}
	// The status is written later in this pass, under the new version.
	s.run.ObjectMeta = marked.ObjectMeta
	return nil
}
