package target

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// fieldFrom begins what is said of a VolumeSnapshot: it is the field of the target that names it.
const fieldFrom = "mysql.storage.fromSnapshot: "

// beginCopy creates the objects of a server whose volume is made of a VolumeSnapshot, if that is still what the run was accepted with: the
// claim names it by its name alone.
func (in room) beginCopy(b resources.Target) (podhealth.Verdict, []decision.Action) {
	from := *b.Resolved.Snapshot
	found := decision.AskSnapshot(in.ask, from.Name)
	if !found.Known {
		return waiting("looking for VolumeSnapshot " + from.Name), nil
	}
	if refused := found.Value.Refused; refused != "" { // rights that a new chart gives once more, or CRDs that are replaced
		return in.unready(v1alpha1.ReasonNoVolumeSnapshots, refused, "create the run again when that is done"), nil
	}
	if v, is := lostSnapshot(found, from); is {
		return v, nil
	}
	if !found.Value.Ready {
		return in.unready(v1alpha1.ReasonVolumeSnapshotFailed, fmt.Sprintf("VolumeSnapshot %s is not ready to use any more%s", from.Name, because(found.Value.Error)),
			"see `kubectl describe volumesnapshot "+from.Name+" -n "+in.Run.Namespace+"`, and create the run again when it is ready, or with another one"), nil
	}
	return waiting("created"), create(b)
}

// unready is the verdict on a VolumeSnapshot that was ready when the run was accepted, and is not now: its storage may have lost it, and says
// so there. The run holds its nodes, and so waits for it no longer than for a server: then it fails with the reason, and says the remedy.
func (in room) unready(reason, why, remedy string) podhealth.Verdict {
	v := podhealth.Verdict{State: podhealth.Waiting, Reason: v1alpha1.ReasonVolumeSnapshotNotReady, Message: fieldFrom + why}
	if since, limit := in.startsSince(), in.Timeouts.TargetReady.Duration; !since.IsZero() && in.Now.Sub(since) > limit {
		v.State, v.Reason = podhealth.Failed, reason
		v.Message += fmt.Sprintf(", also after %s (timeouts.targetReady) on the nodes of the run: %s", limit, remedy)
	}
	return v
}

// startsSince is since when the run has had its nodes and a server that is to start; zero while all that have to be up are: with
// idleTargets: Stopped, one may begin hours after another.
func (in room) startsSince() (since time.Time) {
	placed := apimeta.FindStatusCondition(in.Run.Status.Conditions, v1alpha1.ConditionPlaced)
	up := apimeta.FindStatusCondition(in.Run.Status.Conditions, v1alpha1.ConditionTargetsReady)
	if placed == nil || placed.Status != metav1.ConditionTrue || up != nil && up.Status == metav1.ConditionTrue {
		return since
	}
	since = placed.LastTransitionTime.Time
	if up != nil && up.LastTransitionTime.After(since) {
		since = up.LastTransitionTime.Time
	}
	return since
}

func because(said string) string {
	if said == "" {
		return ""
	}
	return ": " + said
}

// lostSnapshot is the verdict on a server whose VolumeSnapshot is not that which was there when the run was accepted; false when it is.
func lostSnapshot(found decision.Fact[decision.VolumeSnapshot], from v1alpha1.ResolvedSnapshot) (podhealth.Verdict, bool) {
	v := podhealth.Verdict{State: podhealth.Failed, Reason: v1alpha1.ReasonVolumeSnapshotUnfit}
	switch {
	case found.Value.Refused != "": // nobody can say
		return podhealth.Verdict{}, false
	case !found.Exists || found.Value.Deleting:
		v.Message = fieldFrom + "VolumeSnapshot " + from.Name + " was deleted, and the volume of the target is to be made of it: create the run again with another one"
	case string(found.Value.UID) != from.UID:
		v.Message = fieldFrom + "VolumeSnapshot " + from.Name + " is another one than when this run was accepted: create the run again"
	default:
		return podhealth.Verdict{}, false
	}
	return v, true
}

// withoutCopy says that no volume will be made of a VolumeSnapshot, because that is gone, or what its storage says meanwhile: the scheduler
// knows only that the pod has no volume. Otherwise it is what was judged by the pod.
func (in room) withoutCopy(b resources.Target, pod *corev1.Pod, judged podhealth.Verdict) podhealth.Verdict {
	from := b.Resolved.Snapshot
	if from == nil || pod != nil && pod.Status.Phase != corev1.PodPending || in.Run.TargetStatus(b.Spec.Name).LoadResult != "" {
		return judged
	}
	claim := decision.Get[*corev1.PersistentVolumeClaim](in.ask, resources.Volume{Of: b}.ClaimName())
	if !claim.Known {
		return judged
	}
	if claim.Exists && claim.Value.Status.Phase == corev1.ClaimBound {
		return in.withCopy(pod, judged)
	}
	found := decision.AskSnapshot(in.ask, from.Name)
	if !found.Known {
		return judged
	}
	if v, lost := lostSnapshot(found, *from); lost {
		return v
	}
	if !claim.Exists || judged.State == podhealth.Ready {
		return judged
	}
	judged = mayBePlaced(judged)
	if judged.State == podhealth.Failed && judged.Reason == v1alpha1.ReasonDeadlineExceeded { // its pod has no log
		judged.Message = fmt.Sprintf("the volume %s was not made of VolumeSnapshot %s within %s (timeouts.targetReady of the operator): see `kubectl describe pvc %[1]s`, or let the administrator raise it",
			claim.Value.Name, from.Name, in.Timeouts.TargetReady.Duration)
	}
	if said := in.ask.Words(claim.Value.UID); said.Exists {
		judged.Message += fmt.Sprintf("; the volume %s is made of VolumeSnapshot %s: %s", claim.Value.Name, from.Name, said.Value)
	}
	return judged
}

// withCopy is the verdict on a pod whose volume is there: the scheduler may need a moment more. Without a node for as long as a server may
// take to come up, it has none.
func (in room) withCopy(pod *corev1.Pod, judged podhealth.Verdict) podhealth.Verdict {
	if pod != nil && pod.Spec.NodeName == "" && judged.State == podhealth.Failed && judged.Reason == v1alpha1.ReasonDeadlineExceeded {
		if v := podhealth.Starting(pod, in.Timeouts, in.Now); v.State == podhealth.Failed {
			return v
		}
	}
	return mayBePlaced(judged)
}

// mayBePlaced is a verdict that waits for a node: a pod has none before it has its volume, and some storage copies all of it first. The time for
// the server to come up is the limit.
func mayBePlaced(judged podhealth.Verdict) podhealth.Verdict {
	if judged.State == podhealth.Failed && judged.Reason == v1alpha1.ReasonUnschedulable {
		judged.State = podhealth.Waiting
	}
	return judged
}
