package trial

import (
	"cmp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// The digest of the image decides whether the server is that which wrote a volume.
func TestSameServer(t *testing.T) {
	volume := &v1alpha1.ResolvedVolume{RunName: "first", RunUID: "uid", Target: "db", ImageID: "a.example/mysql@sha256:feed"}
	tests := map[string]struct {
		from    *v1alpha1.ResolvedVolume
		imageID string
		want    decision.State
		says    string
	}{
		"a volume of its own":        {nil, "", decision.Done{}, ""},
		"not known yet":              {volume, "", decision.Waiting{}, "waiting for the digest"},
		"the same":                   {volume, "a.example/mysql@sha256:feed", decision.Done{}, ""},
		"the same, from elsewhere":   {volume, "b.example/mysql@sha256:feed", decision.Done{}, ""},
		"a tag that was moved since": {volume, "a.example/mysql@sha256:beef", decision.Failed{}, "is sha256:beef by now, and the files of the volume were written with sha256:feed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{}
			run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Image: "a.example/mysql:1", Retained: tt.from}}}
			run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", ImageID: tt.imageID}}
			switch got := SameServer(Input{Run: run}, "db").(type) {
			case decision.Done:
				if _, is := tt.want.(decision.Done); !is {
					t.Error("done")
				}
			case decision.Waiting:
				if _, is := tt.want.(decision.Waiting); !is || !strings.Contains(got.Message, tt.says) {
					t.Error(got)
				}
			case decision.Failed:
				if _, is := tt.want.(decision.Failed); !is || got.Reason != v1alpha1.ReasonRetainedVolumeUnfit || !strings.Contains(got.Message, tt.says) {
					t.Error(got)
				}
			}
		})
	}
}

// What the status and the records say of the data on a volume that outlives its server.
func TestKept(t *testing.T) {
	at, loaded := time.Unix(2000, 0), metav1.Time{Time: time.Unix(1000, 0)}
	const since = "w/v/2026-11-27T19:00:00Z"
	origin := func(more string) string { return "run first (uid), target db" + more }
	tests := map[string]struct {
		storage v1alpha1.Storage
		// annotation of who wrote; nil for no volume.
		written *string
		uid     types.UID
		want    *v1alpha1.TargetData
		origin  string
		fails   string
	}{
		"of its own": {},
		"retained":   {storage: v1alpha1.Storage{Retain: true}, want: &v1alpha1.TargetData{Origin: v1alpha1.DataOriginLoaded, MadeTime: metav1.Time{Time: at}}},
		"of an earlier run": {storage: v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{}}, written: new(""),
			want: &v1alpha1.TargetData{Key: "key", Origin: v1alpha1.DataOriginRetained, MadeTime: loaded}, origin: origin("")},
		"written into since it was accepted": {storage: v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{}}, written: new(since),
			want: &v1alpha1.TargetData{Origin: v1alpha1.DataOriginRetained, MadeTime: loaded, Writer: "run w (v) from 2026-11-27T19:00:00Z on"}, origin: origin(", written into by run w (v) from 2026-11-27T19:00:00Z on")},
		"written into by itself": {storage: v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{AllowWrites: true}}, written: new(since),
			want: &v1alpha1.TargetData{Origin: v1alpha1.DataOriginRetained, MadeTime: loaded, Writer: "run w (v) from 2026-11-27T19:00:00Z on"}, origin: origin(", while written into by run w (v) from 2026-11-27T19:00:00Z on")},
		"gone":           {storage: v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{}}, fails: "was deleted: load again"},
		"another":        {storage: v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{}}, written: new(""), uid: "younger", fails: "was deleted: load again"},
		"not to be read": {storage: v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{}}, written: new("w"), fails: "the annotation assay.dev/written-by of the volume data cannot be read"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{}
			run.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: tt.storage}}}
			run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db"}}}
			if tt.storage.FromRun != nil {
				run.Status.Resolved.Targets[0].Retained = &v1alpha1.ResolvedVolume{RunName: "first", RunUID: "uid", Target: "db", ClaimName: "data", ClaimUID: "uid-data", Key: "key", LoadedTime: loaded}
			}
			known := decision.Known{}.With(decision.Named[*corev1.PersistentVolumeClaim]("data"), decision.Absent{})
			if tt.written != nil {
				claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data", UID: cmp.Or(tt.uid, "uid-data")}}
				if *tt.written != "" {
					claim.Annotations = map[string]string{v1alpha1.AnnotationWrittenBy: *tt.written}
				}
				known = known.With(decision.Named[*corev1.PersistentVolumeClaim]("data"), claim)
			}
			got, state := Kept(Input{Run: run, Now: at}, "db", known.Ask())
			failed, is := state.(decision.Failed)
			if is != (tt.fails != "") || is && (failed.Reason != v1alpha1.ReasonRetainedVolumeUnfit || !strings.Contains(failed.Message, tt.fails)) {
				t.Fatal(state)
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			if found := WrittenSince(run, "db", got); (len(found) > 0) != (name == "written into since it was accepted") {
				t.Errorf("found %+v", found)
			}
			run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", Data: got}}
			if origin := retainedBy(run, "db"); !is && origin != tt.origin {
				t.Errorf("the records say %q, want %q", origin, tt.origin)
			}
		})
	}
}

// How many rows a trial changes is looked at on a volume of an earlier run, whose storage engine is known, and not behind an external address.
func TestRowsOfDataThatExists(t *testing.T) {
	rows := runner.Rows{Inserted: 1}
	in := Input{Run: &v1alpha1.BenchmarkRun{}, Work: experiment.Work{Tool: runner.Runner{Expectations: func(contract.Trial) (runner.Expectations, error) {
		return runner.Expectations{Rows: rows}, nil
	}}}}
	in.Run.Spec.Targets = []v1alpha1.Target{{Name: "volume", MySQL: &v1alpha1.MySQLTarget{}}, {Name: "external", External: &v1alpha1.ExternalTarget{}}}
	for target, want := range map[string]runner.Rows{"volume": rows, "external": {}} {
		got, err := expectationsOf(in, contract.Trial{Existing: true, Ref: contract.TrialRef{Target: target}})
		if err != nil || gocmp.Diff(want, got.Rows) != "" {
			t.Errorf("%s: %+v, %v", target, got.Rows, err)
		}
	}
}
