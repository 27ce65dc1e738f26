package target

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// begin creates the objects of a server. One that measures on the volume of an earlier run takes that before, and first of all those volumes
// of its run that are before it in the order of their names: every run takes its volumes in that order, so that no two wait for each other, each
// with a volume that the other one wants.
func (in room) begin(b resources.Target) (podhealth.Verdict, []decision.Action) {
	if b.Resolved.Snapshot != nil {
		return in.beginCopy(b)
	}
	if b.Resolved.Retained == nil {
		return waiting("created"), create(b)
	}
	for _, s := range in.volumesBefore(b) {
		if in.Children.StatefulSets[resources.NameOf(s)] != nil {
			continue // it was taken before that was created
		}
		switch verdict, actions := in.take(s); {
		case verdict.State == podhealth.Ready:
		case in.isIdle(s.Spec.Name): // it does not begin itself
			return verdict, actions
		default:
			return waiting("waiting until target " + s.Spec.Name + " has its volume, which is taken before"), nil
		}
	}
	if verdict, actions := in.take(b); verdict.State != podhealth.Ready {
		return verdict, actions
	}
	return waiting("created"), create(b)
}

// volumesBefore that of a server are those of these servers of its run, by their names.
func (in room) volumesBefore(b resources.Target) (out []resources.Target) {
	for _, t := range in.Run.Provided() {
		if s := resources.Primary(in.Run, t); s.Resolved.Retained != nil && s.Resolved.Retained.ClaimName < b.Resolved.Retained.ClaimName {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b resources.Target) int {
		return strings.Compare(a.Resolved.Retained.ClaimName, b.Resolved.Retained.ClaimName)
	})
	return out
}

// take the volume of an earlier run for a server: the name of the user is written on it under the lock of the version that was read, so that no
// two servers ever have it. The verdict is Ready when the server has it.
func (in room) take(b resources.Target) (podhealth.Verdict, []decision.Action) {
	from := b.Resolved.Retained
	volume := decision.Get[*corev1.PersistentVolumeClaim](in.ask, from.ClaimName)
	if !volume.Known {
		return waiting("looking for the volume of run " + from.RunName), nil
	}
	if why := lost(volume, from); why != "" {
		return unfit(why), nil
	}
	me := resources.Volume{Of: b}.User()
	user, known := resources.UserOf(volume.Value)
	switch {
	case !known:
		return unfit("the annotation " + v1alpha1.AnnotationUsedBy + " of the volume " + from.ClaimName + " is missing or cannot be read, so that nobody knows which server uses it: load again"), nil
	case user == me:
		return ready(), nil
	}
	if busy := in.usedBy(user); busy != "" {
		return waiting("waiting for the volume " + from.ClaimName + ": " + busy), nil
	}
	switch broke, looked := in.brokenBy(volume.Value); {
	case !looked:
		return waiting("looking who wrote into the volume of run " + from.RunName), nil
	case broke != "":
		return unfit("the volume " + from.ClaimName + " that run " + from.RunName + " retained: " + broke), nil
	}
	take := decision.TakeVolume{Volume: volume.Value, User: me, Writes: b.Spec.AllowsWrites()}
	return waiting("taking the volume " + from.ClaimName + " of run " + from.RunName), []decision.Action{take}
}

// brokenBy says that the run that was let write into a volume last, perhaps since this one was accepted, may have damaged it; empty when it did not,
// and when it is gone.
func (in room) brokenBy(volume *corev1.PersistentVolumeClaim) (why string, looked bool) {
	writer, known := resources.WriterOf(volume)
	if !known {
		return "its annotation " + v1alpha1.AnnotationWrittenBy + " cannot be read, so that nobody knows who wrote into it: load again", true
	}
	return decision.BrokenBy(writer, in.ask)
}

// lost says why a volume is not that which was there when the run was accepted; empty when it is.
func lost(volume decision.Fact[*corev1.PersistentVolumeClaim], from *v1alpha1.ResolvedVolume) string {
	what := "the volume " + from.ClaimName + " that run " + from.RunName + " retained "
	switch {
	case !volume.Exists || !volume.Value.DeletionTimestamp.IsZero():
		return what + "was deleted: it goes with its run: load again"
	case string(volume.Value.UID) != from.ClaimUID:
		return what + "is another one than when this run was accepted: load again"
	}
	if owner := metav1.GetControllerOf(volume.Value); owner == nil || string(owner.UID) != from.RunUID {
		return what + "does not belong to that run any more: load again"
	}
	return ""
}

func unfit(why string) podhealth.Verdict {
	return podhealth.Verdict{State: podhealth.Failed, Reason: v1alpha1.ReasonRetainedVolumeUnfit, Message: why}
}

// withoutVolume says that no pod will come up, because its volume was deleted: a volume that is being deleted stays for as long as a pod
// uses it, and no other pod gets it.
func (in room) withoutVolume(b resources.Target, pod *corev1.Pod) (podhealth.Verdict, bool) {
	from := b.Resolved.Retained
	if from == nil || pod != nil && pod.Status.Phase != corev1.PodPending {
		return podhealth.Verdict{}, false
	}
	volume := decision.Get[*corev1.PersistentVolumeClaim](in.ask, from.ClaimName)
	if !volume.Known {
		return podhealth.Verdict{}, false
	}
	why := lost(volume, from)
	return unfit(why), why != ""
}

// usedBy says why the last user of a volume may still use it; empty when it does not, and while that is not known.
func (in room) usedBy(user resources.VolumeUser) string {
	run := decision.Get[*v1alpha1.BenchmarkRun](in.ask, user.RunName)
	set := decision.Get[*appsv1.StatefulSet](in.ask, user.StatefulSet)
	pod := decision.Get[*corev1.Pod](in.ask, user.Pod())
	switch {
	case !run.Known || !set.Known || !pod.Known:
		return "looking who uses it"
	case !user.GivenUp && run.Exists && string(run.Value.UID) == user.RunUID && !run.Value.Finished():
		return "run " + user.RunName + " measures on it"
	case set.Exists && set.Value.Labels[v1alpha1.LabelRunUID] == user.RunUID || pod.Exists && pod.Value.Labels[v1alpha1.LabelRunUID] == user.RunUID:
		return "the pod of run " + user.RunName + " is still there"
	}
	return ""
}
