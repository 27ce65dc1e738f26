package conclude

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// MakesBefore says whether another run is to make a VolumeSnapshot of this name before a run that wants the same: it was accepted, or it may be
// at any moment and is older. Neither is changed.
func MakesBefore(other, run *v1alpha1.BenchmarkRun, name string) bool {
	makes := func(t v1alpha1.Target) bool {
		made := t.MakesSnapshot()
		return made != nil && made.Name == name && (!other.Finished() || other.AwaitsSnapshot(t))
	}
	switch {
	case other.UID == run.UID || !other.DeletionTimestamp.IsZero() || !slices.ContainsFunc(other.Spec.Targets, makes):
		return false
	case other.Status.Resolved != nil:
		return true
	case !other.CreationTimestamp.Equal(&run.CreationTimestamp):
		return other.CreationTimestamp.Before(&run.CreationTimestamp)
	}
	return other.Name < run.Name
}

// Volume of a target whose VolumeSnapshot is awaited, as it is.
type Volume struct {
	Run    *v1alpha1.BenchmarkRun
	Target v1alpha1.Target
	// Snapshot of the name that the target gives; it is the zero value where Exists is false.
	Snapshot decision.VolumeSnapshot
	Exists   bool
	// Used: the server, or its pod, is still there.
	Used bool
	// Claim of the volume; nil where there is none.
	Claim *corev1.PersistentVolumeClaim
	// Now is the time of the look.
	Now time.Time
}

// unsaid is for how long a VolumeSnapshot is waited for without a word.
const unsaid = time.Minute

// ended is when its run did.
func (v Volume) ended() time.Time {
	if at := v.Run.Status.CompletionTime; at != nil {
		return at.Time
	}
	return time.Time{}
}

// heldUntil is until when the server was to go on that was retained when its run ended; zero of one that was not.
func (v Volume) heldUntil() time.Time {
	if p := v.Run.Status.Placement; p != nil && p.HeldUntil != nil {
		return p.HeldUntil.Time
	}
	return time.Time{}
}

// lasts are words for what is waited for since a time; empty before it has lasted.
func (v Volume) lasts(since time.Time, format string, args ...any) string {
	if v.Now.Sub(since) <= unsaid {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Next is what becomes of a volume whose VolumeSnapshot is awaited.
type Next struct {
	// Make the VolumeSnapshot; nil for nothing.
	Make *unstructured.Unstructured
	// Keep the volume, for as long as its VolumeSnapshot is not ready to use.
	Keep bool
	// Made is the VolumeSnapshot that is ready to use; nil for none yet.
	Made *v1alpha1.SnapshotStatus
	// Over: nothing more becomes of it.
	Over bool
	// Problem says what stands in the way; empty for nothing.
	Problem string
	// Waits says what is waited for longer than a moment where nothing stands in the way; empty for nothing.
	Waits string
}

// Next step. A volume is kept until its VolumeSnapshot is ready to use, or the run is deleted: nothing that was loaded is given up because of a
// failure that somebody can mend. A storage that has taken it may still fail to keep it.
func (v Volume) Next() Next {
	name := v.Target.MakesSnapshot().Name
	switch {
	case v.Snapshot.Refused != "":
		return Next{Keep: true, Problem: v.Snapshot.Refused}
	case v.Exists && v.Snapshot.IsOf(v.of()):
		return v.awaitReady(name)
	case v.Claim == nil || !v.Claim.DeletionTimestamp.IsZero():
		return Next{Over: true, Problem: fmt.Sprintf("VolumeSnapshot %s cannot be made: the volume was deleted", name)}
	case v.Exists && v.Snapshot.IsTooEarly(v.of()):
		return Next{Keep: true, Problem: fmt.Sprintf("VolumeSnapshot %s says that it is of this run, and was created at %s by the clock of the API server, when the run had not ended (%s by the clock of the manager): "+
			"delete it, and another one is made; if this run did make it, set the clocks right before", name, clock(v.Snapshot.Created), clock(v.ended()))}
	case v.Exists:
		return Next{Keep: true, Problem: fmt.Sprintf("there is another VolumeSnapshot %s, which this run has not made: delete it, and that of this run is made", name)}
	case v.Used && Keeps(v.Run.Spec.Retain, false) && v.Now.Before(v.heldUntil()):
		return Next{Keep: true, Waits: fmt.Sprintf("VolumeSnapshot %s waits until %s: retain: Always keeps the server of target %s until then", name, clock(v.heldUntil()), v.Target.Name)}
	case v.Used:
		return Next{Keep: true, Waits: v.lasts(v.ended(), "VolumeSnapshot %s waits until the server of target %s is gone: pod %s or its StatefulSet is still there",
			name, v.Target.Name, v.of().User().Pod())}
	}
	if foreign := v.foreign(); foreign != "" {
		return Next{Keep: true, Problem: fmt.Sprintf("VolumeSnapshot %s is not made: %s, so that its data may not be that of this run: delete this run, and load again", name, foreign)}
	}
	made, err := v.snapshot()
	if err != nil {
		return Next{Keep: true, Problem: err.Error()}
	}
	return Next{Make: made, Keep: true}
}

// awaitReady: the VolumeSnapshot of the run is there.
func (v Volume) awaitReady(name string) Next {
	switch s := v.Snapshot; {
	case s.Deleting:
		return Next{Keep: true, Problem: fmt.Sprintf("VolumeSnapshot %s is being deleted: when it is gone, another one is made if the volume is there, until the run is deleted", name)}
	case s.Ready:
		return Next{Made: s.Made(), Over: true}
	case s.Error != "":
		return Next{Keep: true, Problem: fmt.Sprintf("VolumeSnapshot %s is not ready to use: %s", name, s.Error)}
	case s.Content == "":
		return Next{Keep: true, Waits: v.lasts(s.Created, "VolumeSnapshot %s is not ready to use: it has no VolumeSnapshotContent yet, which a snapshot controller makes where a VolumeSnapshotClass of the driver is", name)}
	default:
		return Next{Keep: true, Waits: v.lasts(s.Created, "VolumeSnapshot %s is not ready to use: the storage has not finished it", name)}
	}
}

func clock(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// foreign says why the data of the volume may not be what this run has left there; empty where it is.
func (v Volume) foreign() string {
	switch user, known := resources.UserOf(v.Claim); {
	case !metav1.IsControlledBy(v.Claim, v.Run):
		return "the volume " + v.Claim.Name + " does not belong to this run"
	case !known:
		return "the annotation " + v1alpha1.AnnotationUsedBy + " of the volume " + v.Claim.Name + " is missing or cannot be read"
	case user != v.of().User():
		return "run " + user.RunName + " uses the volume " + v.Claim.Name + ", or did"
	}
	if said, is := v.Claim.Annotations[v1alpha1.AnnotationWrittenBy]; is {
		return "another run may have written into the volume " + v.Claim.Name + " (" + said + ")"
	}
	return ""
}

// of is the volume as its objects are named.
func (v Volume) of() resources.Volume {
	return resources.Volume{Of: resources.Primary(v.Run, v.Target)}
}

// snapshot that is to be made, with what the status says of its data.
func (v Volume) snapshot() (*unstructured.Unstructured, error) {
	st, resolved := v.Run.TargetStatus(v.Target.Name), v.Run.ResolvedTarget(v.Target.Name)
	data := contract.VolumeData{
		Version: contract.VolumeDataVersion, Run: v.Run.Name, RunUID: string(v.Run.UID), Target: v.Target.Name, Flavor: v.Target.MySQL.Flavor,
		StorageEngine: v.Target.MySQL.StorageEngine, Image: resolved.Image, ImageID: st.ImageID, ServerVersion: st.ServerVersion,
		Settings: experiment.FormsFiles(resolved.Settings),
	}
	if st.Data != nil {
		data.Loaded = st.Data.MadeTime.Time
	}
	// Not even trials wrote, nor anybody after the run had ended: retain may have changed since.
	if st.Data != nil && v.Run.Spec.OnlyLoads() && !Keeps(v.Run.Spec.Retain, false) && v.heldUntil().IsZero() {
		data.Key = st.Data.Key
	}
	return v.of().Snapshot(data)
}
