package target

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// begin creates the objects of a server. One that measures on the volume of an earlier run takes that before: the name of the user is
// written on it under the lock of the version that was read, so that no two servers ever have it.
func (in room) begin(b resources.Target) (podhealth.Verdict, []decision.Action) {
	from := b.Resolved.Retained
	if from == nil {
		return waiting("created"), create(b)
	}
	volume := decision.Get[*corev1.PersistentVolumeClaim](in.ask, from.ClaimName)
	switch {
	case !volume.Known:
		return waiting("looking for the volume of run " + from.RunName), nil
	case !volume.Exists || volume.Value.Labels[v1alpha1.LabelRunUID] != from.RunUID || !volume.Value.DeletionTimestamp.IsZero():
		return podhealth.Verdict{State: podhealth.Failed, Reason: v1alpha1.ReasonRetainedVolumeUnfit, Message: "the volume " + from.ClaimName + " that run " +
			from.RunName + " retained was deleted: it goes with its run"}, nil
	}
	me := resources.Volume{Of: b}.User()
	user, known := resources.UserOf(volume.Value)
	switch {
	case known && user == me:
		return waiting("created"), create(b)
	case known:
		if busy := in.usedBy(user); busy != "" {
			return waiting("waiting for the volume " + from.ClaimName + ": " + busy), nil
		}
	}
	return waiting("taking the volume of run " + from.RunName), []decision.Action{decision.TakeVolume{Volume: volume.Value, User: me}}
}

// usedBy says why the last user of a volume may still use it; empty when it does not, and while that is not known.
func (in room) usedBy(user resources.VolumeUser) string {
	run := decision.Get[*v1alpha1.BenchmarkRun](in.ask, user.RunName)
	set := decision.Get[*appsv1.StatefulSet](in.ask, user.StatefulSet)
	pod := decision.Get[*corev1.Pod](in.ask, user.Pod())
	switch {
	case !run.Known || !set.Known || !pod.Known:
		return "looking who uses it"
	case run.Exists && string(run.Value.UID) == user.RunUID && !run.Value.Finished():
		return "run " + user.RunName + " measures on it"
	case set.Exists && set.Value.Labels[v1alpha1.LabelRunUID] == user.RunUID || pod.Exists && pod.Value.Labels[v1alpha1.LabelRunUID] == user.RunUID:
		return "the pod of run " + user.RunName + " is still there"
	}
	return ""
}
