package benchmarkrun

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// takeVolume of an earlier run, which belongs to that run, or give it up.
func (a actor) takeVolume(ctx context.Context, do decision.TakeVolume, out *acted) error {
	taken := do.Volume.DeepCopy()
	metav1.SetMetaDataAnnotation(&taken.ObjectMeta, v1alpha1.AnnotationUsedBy, do.User.String())
	if do.Writes {
		metav1.SetMetaDataAnnotation(&taken.ObjectMeta, v1alpha1.AnnotationWrittenBy, do.User.WrittenBy(a.now))
	}
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

// givenUp are the volumes of earlier runs that a run has taken and gives up, because it has given its nodes back: it takes them again, and
// another run may measure on them until then.
func givenUp(v view) []decision.Action {
	var out []decision.Action
	for _, t := range v.Run.Provided() {
		server := resources.Primary(v.Run, t)
		from := server.Resolved.Retained
		if from == nil {
			continue
		}
		claim := decision.Get[*corev1.PersistentVolumeClaim](v.ask, from.ClaimName)
		if !claim.Exists || string(claim.Value.UID) != from.ClaimUID {
			continue
		}
		me := resources.Volume{Of: server}.User()
		if user, known := resources.UserOf(claim.Value); known && user == me {
			me.GivenUp = true
			out = append(out, decision.TakeVolume{Volume: claim.Value, User: me})
		}
	}
	return out
}

// volumeUser is a run that has not ended, and measures on a volume that another run retains, or will; empty when there is none. While
// there is one, nobody but the user deletes the run that retains it.
func (r *Reconciler) volumeUser(ctx context.Context, run *v1alpha1.BenchmarkRun) (string, error) {
	if !slices.ContainsFunc(run.Spec.Targets, v1alpha1.Target.Retains) {
		return "", nil
	}
	var runs v1alpha1.BenchmarkRunList
	if err := r.Client.List(ctx, &runs, client.InNamespace(run.Namespace)); err != nil {
		return "", fmt.Errorf("listing the runs that may measure on a volume of this one: %w", err)
	}
	for i := range runs.Items {
		other := &runs.Items[i]
		uses := func(t v1alpha1.Target) bool { from := t.FromRun(); return from != nil && from.Name == run.Name }
		if !other.Finished() && other.DeletionTimestamp.IsZero() && slices.ContainsFunc(other.Spec.Targets, uses) {
			return other.Name, nil
		}
	}
	return "", nil
}

// retainedVolumes are the claims of a run that gives its nodes back: it loads into others, or has others made of its VolumeSnapshots.
func retainedVolumes(v view) []decision.Action {
	var out []decision.Action
	for _, t := range v.Run.Provided() {
		if !t.OwnsClaim() {
			continue
		}
		claim := decision.Get[*corev1.PersistentVolumeClaim](v.ask, resources.Volume{Of: resources.Primary(v.Run, t)}.ClaimName())
		if claim.Exists && claim.Value.DeletionTimestamp.IsZero() {
			out = append(out, decision.Delete{Object: claim.Value})
		}
	}
	return out
}
