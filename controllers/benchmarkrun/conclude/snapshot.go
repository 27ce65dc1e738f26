package conclude

import (
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// AwaitsSnapshot says whether a VolumeSnapshot is to be made of the volume of a target, which does not stand in the status yet: the run is
// complete, and the target has its data.
func AwaitsSnapshot(run *v1alpha1.BenchmarkRun, t v1alpha1.Target) bool {
	st := run.TargetStatus(t.Name)
	return t.MakesSnapshot() != nil && st.LoadResult != "" && st.Snapshot == nil && run.DeletionTimestamp.IsZero() &&
		apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete)
}

// Volume of a target whose VolumeSnapshot is awaited, as it is.
type Volume struct {
	Run    *v1alpha1.BenchmarkRun
	Target v1alpha1.Target
	// Snapshot of the name that the target gives; it is the zero value where Exists is false.
	Snapshot decision.VolumeSnapshot
	Exists   bool
	// Used: the server, or its pod, is still there. Lost: the claim is not.
	Used, Lost bool
}

// Next is what becomes of a volume whose VolumeSnapshot is awaited.
type Next struct {
	// Make the VolumeSnapshot; nil for nothing.
	Make *unstructured.Unstructured
	// Keep the volume, for as long as no VolumeSnapshot was taken of it.
	Keep bool
	// Problem says what stands in the way, until somebody does something about it; empty for nothing.
	Problem string
}

// Next step. A volume is kept until its VolumeSnapshot was taken, or the run is deleted: nothing that was loaded is given up because of a
// failure that somebody can mend.
func (v Volume) Next() Next {
	name := v.Target.MakesSnapshot().Name
	ours := v.Exists && v.Snapshot.IsOf(v.Run, v.Target.Name)
	switch {
	case v.Snapshot.Refused != "":
		return Next{Keep: true, Problem: v.Snapshot.Refused}
	case ours && v.Snapshot.Taken:
		return Next{}
	case ours && v.Snapshot.Error != "":
		return Next{Keep: !v.Lost, Problem: fmt.Sprintf("VolumeSnapshot %s was not taken: %s", name, v.Snapshot.Error)}
	case ours:
		return Next{Keep: !v.Lost}
	case v.Lost:
		return Next{Problem: fmt.Sprintf("VolumeSnapshot %s cannot be made: the volume was deleted", name)}
	case v.Exists:
		return Next{Keep: true, Problem: fmt.Sprintf("there is another VolumeSnapshot %s, which this run has not made: delete it, and that of this run is made", name)}
	case v.Used:
		return Next{Keep: true}
	}
	made, err := v.snapshot()
	if err != nil {
		return Next{Keep: true, Problem: err.Error()}
	}
	return Next{Make: made, Keep: true}
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
	if st.Data != nil && v.Run.Spec.OnlyLoads() { // not even trials wrote
		data.Key = st.Data.Key
	}
	return resources.Volume{Of: resources.Primary(v.Run, v.Target)}.Snapshot(data)
}
