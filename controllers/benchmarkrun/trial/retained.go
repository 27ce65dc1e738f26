package trial

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// SameServer says whether the server of a target is that which wrote the volume it measures on: a tag may have been moved since that run.
// The state is Done for a target with a volume of its own.
func SameServer(in Input, target string) decision.State {
	from, now := writtenBy(in.Run.ResolvedTarget(target)), in.Run.TargetStatus(target).ImageID
	switch {
	case from == "":
		return decision.Done{}
	case now == "":
		return decision.WaitFor(v1alpha1.ReasonProgressing, "target %s: waiting for the digest of its image", target)
	case experiment.ImageDigest(now) != experiment.ImageDigest(from) && in.Run.ResolvedTarget(target).Snapshot != nil:
		of := in.Run.ResolvedTarget(target)
		return decision.FailWith(v1alpha1.ReasonVolumeSnapshotUnfit, "target %s: its image %s is %s by now, and the files of VolumeSnapshot %s were written with %s: "+
			"set mysql.image by that digest, or load again and make another VolumeSnapshot", target, of.Image, experiment.ImageDigest(now), of.Snapshot.Name, experiment.ImageDigest(from))
	case experiment.ImageDigest(now) != experiment.ImageDigest(from):
		return decision.FailWith(v1alpha1.ReasonRetainedVolumeUnfit, "target %s: its image %s is %s by now, and the files of the volume were written with %s: "+
			"name the image by its digest in both runs, and load again", target, in.Run.ResolvedTarget(target).Image, experiment.ImageDigest(now), experiment.ImageDigest(from))
	}
	return decision.Done{}
}

// writtenBy is the image of the server that wrote the data of an earlier run, with its digest; empty for other data, and where that is
// unknown.
func writtenBy(t v1alpha1.ResolvedTarget) string {
	switch {
	case t.Retained != nil:
		return t.Retained.ImageID
	case t.Snapshot != nil:
		return t.Snapshot.ImageID
	}
	return ""
}

// Kept is what the status says of data on a volume that outlives its server: loaded by this run, which retains it, or left by an earlier
// one. It is nil for any other, and has no meaning while questions are open. The state is Failed where the volume cannot be used.
func Kept(in Input, target string, ask *decision.Asking) (*v1alpha1.TargetData, decision.State) {
	from := in.Run.ResolvedTarget(target).Retained
	switch {
	case in.Run.ResolvedTarget(target).Snapshot != nil:
		return keptCopy(in, target, ask)
	case from == nil && !in.Run.Target(target).OwnsClaim():
		return nil, decision.Done{}
	case from == nil:
		return &v1alpha1.TargetData{Origin: v1alpha1.DataOriginLoaded, MadeTime: metav1.Time{Time: in.Now}}, decision.Done{}
	}
	claim := decision.Get[*corev1.PersistentVolumeClaim](ask, from.ClaimName)
	if !claim.Known {
		return nil, decision.Done{}
	}
	if !claim.Exists || string(claim.Value.UID) != from.ClaimUID {
		return nil, decision.FailWith(v1alpha1.ReasonRetainedVolumeUnfit, "target %s: the volume %s that run %s retained was deleted: load again", target, from.ClaimName, from.RunName)
	}
	writer, known := resources.WriterOf(claim.Value)
	if !known {
		return nil, decision.FailWith(v1alpha1.ReasonRetainedVolumeUnfit, "target %s: the annotation %s of the volume %s cannot be read, so that nobody knows who wrote into it: load again",
			target, v1alpha1.AnnotationWrittenBy, from.ClaimName)
	}
	out := &v1alpha1.TargetData{Key: from.Key, Origin: v1alpha1.DataOriginRetained, MadeTime: from.LoadedTime, Writer: writer.String()}
	if writer.RunName != "" { // perhaps since the run was accepted
		out.Key = ""
	}
	return out, decision.Done{}
}

// keptCopy is Kept of a volume that was made of a VolumeSnapshot. That may be gone by now; another one of its name may be what the volume
// was made of.
func keptCopy(in Input, target string, ask *decision.Asking) (*v1alpha1.TargetData, decision.State) {
	from := in.Run.ResolvedTarget(target).Snapshot
	if found := decision.AskSnapshot(ask, from.Name); found.Exists && found.Value.UID != "" && string(found.Value.UID) != from.UID {
		return nil, decision.FailWith(v1alpha1.ReasonVolumeSnapshotUnfit,
			"target %s: VolumeSnapshot %s is another one than when this run was accepted, so that nobody knows of which the volume was made: create the run again", target, from.Name)
	}
	out := &v1alpha1.TargetData{Key: from.Key, Origin: v1alpha1.DataOriginSnapshot, MadeTime: from.TakenTime}
	if from.LoadedTime != nil {
		out.MadeTime = *from.LoadedTime
	}
	return out, decision.Done{}
}

// WrittenSince is the finding that a run was let write into the volume of an earlier run between the acceptance of this run and the time when
// it took the volume; none where this run may write itself, because the volume keeps the last one only.
func WrittenSince(run *v1alpha1.BenchmarkRun, target string, kept *v1alpha1.TargetData) []v1alpha1.Finding {
	from := run.ResolvedTarget(target).Retained
	if from == nil || kept == nil || kept.Writer == from.Writer || run.Target(target).AllowsWrites() {
		return nil
	}
	return []v1alpha1.Finding{{Target: target, Check: "data-existing", Severity: v1alpha1.SeverityNote, Message: "since this run was accepted, another was let write into the volume: " + kept.Writer}}
}

// copiedFrom says of which VolumeSnapshot the volume of a target was made, for the facts of a trial; empty for any other volume.
func copiedFrom(run *v1alpha1.BenchmarkRun, target string) string {
	from := run.ResolvedTarget(target).Snapshot
	switch {
	case from == nil:
		return ""
	case from.RunName == "":
		return fmt.Sprintf("%s (%s)", from.Name, from.UID)
	}
	return fmt.Sprintf("%s (%s) of run %s (%s), target %s, as its annotation says", from.Name, from.UID, from.RunName, from.RunUID, from.Target)
}

// retainedBy says whose data a target has, for the facts of a trial; empty for its own, and for a copy.
func retainedBy(run *v1alpha1.BenchmarkRun, target string) string {
	from, data := run.ResolvedTarget(target).Retained, run.TargetStatus(target).Data
	if from == nil {
		return ""
	}
	said := fmt.Sprintf("run %s (%s), target %s", from.RunName, from.RunUID, from.Target)
	switch {
	case data == nil || data.Writer == "":
		return said
	case run.Target(target).AllowsWrites(): // the writer is this run
		return said + ", while written into by " + data.Writer
	}
	return said + ", written into by " + data.Writer
}
