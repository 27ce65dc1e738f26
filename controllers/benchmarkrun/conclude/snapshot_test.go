package conclude

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// snapshotting is a run that is complete, and makes a VolumeSnapshot of the volume of its target.
func snapshotting() *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "first", Namespace: "ns", UID: "0123456789abcdef"}}
	run.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{
		Flavor: "MySQL", StorageEngine: "InnoDB", Storage: v1alpha1.Storage{Snapshot: &v1alpha1.MadeSnapshot{Name: "tables"}},
	}}}
	run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Image: "mysql:8.4", Settings: []v1alpha1.ServerSetting{
		{Name: "innodb_page_size", Value: "4096"}, {Name: "innodb_buffer_pool_size", Value: "1G"},
	}}}}
	run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", LoadResult: "loaded", ImageID: "mysql@sha256:feed", ServerVersion: "8.4.3",
		Data: &v1alpha1.TargetData{Key: "key", Origin: v1alpha1.DataOriginLoaded, MadeTime: metav1.Time{Time: time.Unix(1000, 0).UTC()}}}}
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
	return run
}

// A VolumeSnapshot is made of what a complete run has loaded, once.
func TestAwaitsSnapshot(t *testing.T) {
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkRun)
		want   bool
	}{
		"complete":          {func(*v1alpha1.BenchmarkRun) {}, true},
		"not ended":         {func(r *v1alpha1.BenchmarkRun) { r.Status.Conditions = nil }, false},
		"failed":            {func(r *v1alpha1.BenchmarkRun) { r.Status.Conditions[0].Status = metav1.ConditionFalse }, false},
		"not loaded":        {func(r *v1alpha1.BenchmarkRun) { r.Status.Targets = nil }, false},
		"none is asked for": {func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].MySQL.Storage.Snapshot = nil }, false},
		"being deleted":     {func(r *v1alpha1.BenchmarkRun) { r.DeletionTimestamp = &metav1.Time{Time: time.Unix(2000, 0)} }, false},
		"made before": {func(r *v1alpha1.BenchmarkRun) {
			r.Status.Targets[0].Snapshot = &v1alpha1.SnapshotStatus{Name: "tables"}
		}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := snapshotting()
			tt.change(run)
			if got := AwaitsSnapshot(run, run.Spec.Targets[0]); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// A volume stays until its VolumeSnapshot was taken. It is made when the server is gone, and what stands in the way is said.
func TestNextOfAVolume(t *testing.T) {
	ours := func(change func(*resources.VolumeSnapshot)) decision.VolumeSnapshot {
		s := resources.VolumeSnapshot{Name: "tables", Data: &contract.VolumeData{RunUID: "0123456789abcdef", Target: "db"}}
		change(&s)
		return decision.VolumeSnapshot{VolumeSnapshot: s}
	}
	untaken := ours(func(*resources.VolumeSnapshot) {})
	tests := map[string]struct {
		volume      Volume
		makes, keep bool
		problem     string
	}{
		"the server is there":           {volume: Volume{Used: true}, keep: true},
		"the server is gone":            {volume: Volume{}, makes: true, keep: true},
		"made, and not taken":           {volume: Volume{Exists: true, Snapshot: untaken}, keep: true},
		"made, while a server is there": {volume: Volume{Exists: true, Snapshot: untaken, Used: true}, keep: true},
		"taken":                         {volume: Volume{Exists: true, Snapshot: ours(func(s *resources.VolumeSnapshot) { s.Taken = true })}},
		"in the words of the driver":    {volume: Volume{Exists: true, Snapshot: ours(func(s *resources.VolumeSnapshot) { s.Error = "rpc error: quota" })}, keep: true, problem: "VolumeSnapshot tables was not taken: rpc error: quota"},
		"of somebody else":              {volume: Volume{Exists: true}, keep: true, problem: "there is another VolumeSnapshot tables, which this run has not made: delete it, and that of this run is made"},
		"no API":                        {volume: Volume{Exists: true, Snapshot: decision.VolumeSnapshot{Refused: "no API"}}, keep: true, problem: "no API"},
		"the volume is gone":            {volume: Volume{Lost: true}, problem: "VolumeSnapshot tables cannot be made: the volume was deleted"},
		"the volume is gone, not taken": {volume: Volume{Lost: true, Exists: true, Snapshot: untaken}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.volume.Run = snapshotting()
			tt.volume.Target = tt.volume.Run.Spec.Targets[0]
			got := tt.volume.Next()
			if (got.Make != nil) != tt.makes || got.Keep != tt.keep || got.Problem != tt.problem {
				t.Errorf("%+v, want %+v", got, tt)
			}
		})
	}
}

// What is made says what it is of; the key of a data set only where nothing was measured.
func TestWhatASnapshotSays(t *testing.T) {
	want := contract.VolumeData{
		Version: contract.VolumeDataVersion, Run: "first", RunUID: "0123456789abcdef", Target: "db", Flavor: "MySQL", StorageEngine: "InnoDB", Image: "mysql:8.4",
		ImageID: "mysql@sha256:feed", ServerVersion: "8.4.3", Settings: []contract.Setting{{Name: "innodb_page_size", Value: "4096"}}, Loaded: time.Unix(1000, 0).UTC(),
	}
	run := snapshotting()
	for _, onlyLoads := range []bool{false, true} {
		if onlyLoads {
			run.Spec.Data, want.Key = &v1alpha1.DataSet{Name: "x", Policy: v1alpha1.DataMake}, "key"
		}
		made := Volume{Run: run, Target: run.Spec.Targets[0]}.Next().Make
		if made == nil {
			t.Fatal("nothing is made")
		}
		if diff := cmp.Diff(&want, resources.SnapshotOf(made).Data); diff != "" {
			t.Errorf("only loads: %v (-want +got):\n%s", onlyLoads, diff)
		}
	}
	run.Status.Targets[0].Data = nil
	if next := (Volume{Run: run, Target: run.Spec.Targets[0]}).Next(); next.Make != nil || !next.Keep || !strings.Contains(next.Problem, "loaded: missing") {
		t.Errorf("without the time of the load: %+v", next)
	}
}

// The claim of a VolumeSnapshot that was taken goes with the run's objects, as that of a copy does.
func TestClaimsThatGo(t *testing.T) {
	for name, storage := range map[string]v1alpha1.Storage{
		"of which a VolumeSnapshot was made": {Snapshot: &v1alpha1.MadeSnapshot{Name: "tables"}}, "made of one": {FromSnapshot: &v1alpha1.SourceSnapshot{Name: "tables"}},
	} {
		run := snapshotting()
		run.Spec.Targets[0].MySQL.Storage = storage
		claim := resources.Volume{Of: resources.Target{Run: run, Spec: run.Spec.Targets[0]}}.Claim()
		if actions := TearDown(run, []decision.Object{claim}); len(actions) != 1 {
			t.Errorf("%s: %v", name, actions)
		}
		named := false
		for _, obj := range NamedChildren(run) {
			named = named || obj.GetName() == claim.Name
		}
		if !named {
			t.Errorf("%s: %s is not found again by its name", name, claim.Name)
		}
	}
}
