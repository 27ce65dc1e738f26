package v1alpha1

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A VolumeSnapshot is made of what a complete run has loaded, once.
func TestAwaitsSnapshot(t *testing.T) {
	tests := map[string]struct {
		change func(*BenchmarkRun)
		want   bool
	}{
		"complete":          {func(*BenchmarkRun) {}, true},
		"not ended":         {func(r *BenchmarkRun) { r.Status.Conditions = nil }, false},
		"failed":            {func(r *BenchmarkRun) { r.Status.Conditions[0].Type = ConditionFailed }, false},
		"not loaded":        {func(r *BenchmarkRun) { r.Status.Targets = nil }, false},
		"none is asked for": {func(r *BenchmarkRun) { r.Spec.Targets[0].MySQL.Storage.Snapshot = nil }, false},
		"of somebody else":  {func(r *BenchmarkRun) { r.Spec.Targets[0].MySQL = nil }, false},
		"given up":          {func(r *BenchmarkRun) { r.Status.Targets[0].SnapshotOver = true }, false},
		"made before":       {func(r *BenchmarkRun) { r.Status.Targets[0].Snapshot = &SnapshotStatus{Name: "tables"} }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := &BenchmarkRun{}
			run.Spec.Targets = []Target{{Name: "db", MySQL: &MySQLTarget{Storage: Storage{Snapshot: &MadeSnapshot{Name: "tables"}}}}}
			run.Status.Targets = []TargetStatus{{Name: "db", LoadResult: "loaded"}}
			run.Status.Conditions = []metav1.Condition{{Type: ConditionComplete, Status: metav1.ConditionTrue}}
			tt.change(run)
			if got := run.AwaitsSnapshot(run.Spec.Targets[0]); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
