package readout

import (
	"cmp"
	"fmt"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// SnapshotState is what became of a VolumeSnapshot.
type SnapshotState string

// States of a VolumeSnapshot that a run was to make.
const (
	// SnapshotMade: it was ready to use.
	SnapshotMade SnapshotState = "Made"
	// SnapshotAwaited: it was not ready to use when the status was written, and may become so.
	SnapshotAwaited SnapshotState = "Awaited"
	// SnapshotNotMade: nobody goes on with it.
	SnapshotNotMade SnapshotState = "NotMade"
)

// Snapshot is the VolumeSnapshot that a run was to make of the volume of a target.
type Snapshot struct {
	// Name of the VolumeSnapshot, in the namespace of the run.
	Name string `json:"name"`
	// State is Made, Awaited or NotMade, as it was when the status was written: a stored document has that of the end of the run.
	State SnapshotState `json:"state"`
	// Text says it in one line, with what stands in the way.
	Text string `json:"text"`
}

// snapshotOf a target; nil where it makes none, and until the run has ended.
func snapshotOf(run *v1alpha1.BenchmarkRun, st v1alpha1.TargetStatus) *Snapshot {
	target := run.Target(st.Name)
	asked := target.MakesSnapshot()
	if asked == nil || !run.Finished() {
		return nil
	}
	says := func(state SnapshotState, text string) *Snapshot {
		return &Snapshot{Name: asked.Name, State: state, Text: contract.Line(fmt.Sprintf("VolumeSnapshot %s of target %s %s", asked.Name, st.Name, text))}
	}
	switch {
	case run.AwaitsSnapshot(target):
		why := "the volume is kept until it is"
		if !run.DeletionTimestamp.IsZero() {
			why = "the run is deleted, and it may still become so"
		}
		return says(SnapshotAwaited, "was not ready to use yet: "+cmp.Or(st.SnapshotMessage, why))
	case st.Snapshot != nil:
		return says(SnapshotMade, "was made, and taken at "+st.Snapshot.TakenTime.UTC().Format(time.RFC3339))
	case st.SnapshotOver:
		return says(SnapshotNotMade, "is not made: "+cmp.Or(st.SnapshotMessage, "the volume is gone"))
	case run.HasFailed():
		return says(SnapshotNotMade, "is not made: a run that fails makes none")
	}
	return says(SnapshotNotMade, "is not made: nothing was loaded")
}
