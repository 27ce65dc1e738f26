package benchmarkrun

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// takeVolume of an earlier run, which belongs to that run.
func (a actor) takeVolume(ctx context.Context, do decision.TakeVolume, out *acted) error {
	taken := do.Volume.DeepCopy()
	metav1.SetMetaDataAnnotation(&taken.ObjectMeta, v1alpha1.AnnotationUsedBy, do.User.String())
	err := a.client.Patch(ctx, taken, client.MergeFromWithOptions(do.Volume, client.MergeFromWithOptimisticLock{}))
	switch {
	case err == nil:
		return nil
	case apierrors.IsConflict(err) || apierrors.IsNotFound(err):
		out.stopped = decision.WaitFor(v1alpha1.ReasonProgressing, "the volume %s was changed meanwhile", do.Volume.Name)
		return nil
	}
	return fmt.Errorf("taking the volume %s: %w", do.Volume.Name, err)
}

// retainedVolumes are the volumes of a run that gives its nodes back: it loads into others.
func retainedVolumes(v view) []decision.Action {
	var out []decision.Action
	for _, t := range v.Run.Provided() {
		if !t.MySQL.Storage.Retain {
			continue
		}
		claim := decision.Get[*corev1.PersistentVolumeClaim](v.ask, resources.Volume{Of: resources.Primary(v.Run, t)}.ClaimName())
		if claim.Exists && claim.Value.DeletionTimestamp.IsZero() {
			out = append(out, decision.Delete{Object: claim.Value})
		}
	}
	return out
}
