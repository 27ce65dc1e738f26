package trial

import (
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// What the status and the records say of data on a volume that was made of a VolumeSnapshot, which may be gone by then, and no other.
func TestKeptCopy(t *testing.T) {
	taken, loaded := metav1.Time{Time: time.Unix(2000, 0)}, metav1.Time{Time: time.Unix(1000, 0)}
	byHand := v1alpha1.ResolvedSnapshot{Name: "tables", UID: "uid-tables", TakenTime: taken}
	made := byHand
	made.RunName, made.RunUID, made.Target, made.Key, made.LoadedTime = "first", "uid-first", "db", "key", &loaded
	there := func(uid string) any {
		return decision.VolumeSnapshot{VolumeSnapshot: resources.VolumeSnapshot{Name: "tables", UID: types.UID("uid-" + uid)}}
	}
	tests := map[string]struct {
		from   v1alpha1.ResolvedSnapshot
		found  any
		want   *v1alpha1.TargetData
		origin string
		fails  string
	}{
		"that a run made": {made, there("tables"), &v1alpha1.TargetData{Key: "key", Origin: v1alpha1.DataOriginSnapshot, MadeTime: loaded},
			"tables (uid-tables) of run first (uid-first), target db, as its annotation says", ""},
		"that no run made": {byHand, there("tables"), &v1alpha1.TargetData{Origin: v1alpha1.DataOriginSnapshot, MadeTime: taken}, "tables (uid-tables)", ""},
		"gone since":       {byHand, decision.Absent{}, &v1alpha1.TargetData{Origin: v1alpha1.DataOriginSnapshot, MadeTime: taken}, "tables (uid-tables)", ""},
		"its API gone":     {byHand, decision.VolumeSnapshot{Refused: "no API"}, &v1alpha1.TargetData{Origin: v1alpha1.DataOriginSnapshot, MadeTime: taken}, "tables (uid-tables)", ""},
		"another by now":   {byHand, there("younger"), nil, "tables (uid-tables)", "VolumeSnapshot tables is another one than when this run was accepted, so that nobody knows of which the volume was made"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{}
			run.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{FromSnapshot: &v1alpha1.SourceSnapshot{Name: "tables"}}}}}
			run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Snapshot: &tt.from}}}
			got, state := Kept(Input{Run: run}, "db", decision.Known{}.With(decision.GetVolumeSnapshot{Name: "tables"}, tt.found).Ask())
			failed, is := state.(decision.Failed)
			if is != (tt.fails != "") || is && (failed.Reason != v1alpha1.ReasonVolumeSnapshotUnfit || !strings.Contains(failed.Message, tt.fails)) {
				t.Fatal(state)
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			if origin := copiedFrom(run, "db"); origin != tt.origin || retainedBy(run, "db") != "" {
				t.Errorf("the records say %q and %q, want %q", origin, retainedBy(run, "db"), tt.origin)
			}
		})
	}
}

// The digest of the image decides whether the server is that which wrote a VolumeSnapshot, where that is known.
func TestSameServerOfASnapshot(t *testing.T) {
	for wrote, want := range map[string]bool{"": true, "a.example/mysql@sha256:feed": true, "a.example/mysql@sha256:beef": false} {
		run := &v1alpha1.BenchmarkRun{}
		run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Image: "mysql:1", Snapshot: &v1alpha1.ResolvedSnapshot{Name: "tables", ImageID: wrote}}}}
		run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", ImageID: "b.example/mysql@sha256:feed"}}
		state := SameServer(Input{Run: run}, "db")
		if decision.IsDone(state) != want {
			t.Errorf("written by %q: %v", wrote, state)
		}
		failed, is := state.(decision.Failed)
		if is && (failed.Reason != v1alpha1.ReasonVolumeSnapshotUnfit || !strings.Contains(failed.Message, "the files of VolumeSnapshot tables were written with sha256:beef: set mysql.image by that digest")) {
			t.Errorf("written by %q: %v", wrote, failed)
		}
	}
}
