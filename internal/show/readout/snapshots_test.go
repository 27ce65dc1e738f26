package readout

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Of a run that has ended it is said what became of the VolumeSnapshot that it was to make, and why.
func TestWhatBecameOfAVolumeSnapshot(t *testing.T) {
	const named = "VolumeSnapshot tables of target db "
	for name, tt := range map[string]struct {
		change func(*v1alpha1.BenchmarkRun, *v1alpha1.TargetStatus)
		want   *Snapshot
	}{
		"made": {func(_ *v1alpha1.BenchmarkRun, st *v1alpha1.TargetStatus) {
			st.Snapshot = &v1alpha1.SnapshotStatus{Name: "tables", TakenTime: metav1.Time{Time: time.Date(2026, 11, 20, 13, 0, 0, 0, time.FixedZone("", 3600))}}
		}, &Snapshot{"tables", SnapshotMade, named + "was made, and taken at 2026-11-20T12:00:00Z"}},
		"awaited": {nil, &Snapshot{"tables", SnapshotAwaited, named + "was not ready to use yet: the volume is kept until it is"}},
		"awaited, and something stands in the way": {func(_ *v1alpha1.BenchmarkRun, st *v1alpha1.TargetStatus) {
			st.SnapshotMessage = "VolumeSnapshot tables is not ready to use:\nrpc error"
		}, &Snapshot{"tables", SnapshotAwaited, named + "was not ready to use yet: VolumeSnapshot tables is not ready to use: rpc error"}},
		"given up": {func(_ *v1alpha1.BenchmarkRun, st *v1alpha1.TargetStatus) {
			st.SnapshotOver, st.SnapshotMessage = true, "VolumeSnapshot tables cannot be made: the volume was deleted"
		}, &Snapshot{"tables", SnapshotNotMade, named + "is not made: VolumeSnapshot tables cannot be made: the volume was deleted"}},
		"given up, and nothing is said": {func(_ *v1alpha1.BenchmarkRun, st *v1alpha1.TargetStatus) { st.SnapshotOver = true },
			&Snapshot{"tables", SnapshotNotMade, named + "is not made: the volume is gone"}},
		"the run failed": {func(r *v1alpha1.BenchmarkRun, _ *v1alpha1.TargetStatus) {
			r.Status.Conditions[0].Type = v1alpha1.ConditionFailed
		}, &Snapshot{"tables", SnapshotNotMade, named + "is not made: a run that fails makes none"}},
		"not loaded": {func(_ *v1alpha1.BenchmarkRun, st *v1alpha1.TargetStatus) { st.LoadResult = "" },
			&Snapshot{"tables", SnapshotNotMade, named + "is not made: nothing was loaded"}},
		"the run is being deleted": {func(r *v1alpha1.BenchmarkRun, _ *v1alpha1.TargetStatus) {
			r.DeletionTimestamp = &metav1.Time{Time: time.Unix(2000, 0)}
		}, &Snapshot{"tables", SnapshotAwaited, named + "was not ready to use yet: the run is deleted, and it may still become so"}},
		"the run goes on": {func(r *v1alpha1.BenchmarkRun, _ *v1alpha1.TargetStatus) { r.Status.Conditions = nil }, nil},
		"none is made": {func(r *v1alpha1.BenchmarkRun, _ *v1alpha1.TargetStatus) {
			r.Spec.Targets[0].MySQL.Storage.Snapshot = nil
		}, nil},
		"a server of somebody else": {func(r *v1alpha1.BenchmarkRun, _ *v1alpha1.TargetStatus) { r.Spec.Targets[0].MySQL = nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{}
			run.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{Snapshot: &v1alpha1.MadeSnapshot{Name: "tables"}}}}}
			run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", LoadResult: "loaded"}}
			run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
			if tt.change != nil {
				tt.change(run, &run.Status.Targets[0])
			}
			if diff := cmp.Diff(tt.want, FromStatus(run).Targets[0].Snapshot); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
