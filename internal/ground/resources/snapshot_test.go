package resources

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

var snapshotMade = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func volumeData() contract.VolumeData {
	return contract.VolumeData{
		Version: contract.VolumeDataVersion, Run: "first", RunUID: "uid-first", Target: "db", Flavor: "MySQL", StorageEngine: "InnoDB", Image: "mysql:8.4",
		ImageID: "mysql@sha256:feed", Loaded: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC),
	}
}

// aSnapshot with a status, and with an annotation about its data; nil for none of both.
func aSnapshot(status map[string]any, said *string) *unstructured.Unstructured {
	u := NamedSnapshot("ns", "tables")
	u.SetUID("uid-tables")
	u.SetCreationTimestamp(metav1.Time{Time: snapshotMade})
	if status != nil {
		u.Object["status"] = status
	}
	if said != nil {
		u.SetAnnotations(map[string]string{v1alpha1.AnnotationData: *said})
	}
	return u
}

// What a VolumeSnapshot says is read as far as it is what the API says; the rest is unknown.
func TestSnapshotOf(t *testing.T) {
	data := volumeData()
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	size := resource.MustParse("1Gi")
	plain := VolumeSnapshot{Name: "tables", UID: "uid-tables", Created: snapshotMade, TakenTime: snapshotMade}
	with := func(f func(*VolumeSnapshot)) VolumeSnapshot { s := plain; f(&s); return s }
	tests := map[string]struct {
		found *unstructured.Unstructured
		want  VolumeSnapshot
	}{
		"nothing yet": {aSnapshot(nil, nil), plain},
		"ready": {
			aSnapshot(map[string]any{"boundVolumeSnapshotContentName": "content", "readyToUse": true, "restoreSize": "1Gi", "creationTime": "2026-11-20T12:00:05Z"}, new(string(text))),
			with(func(s *VolumeSnapshot) {
				s.Ready, s.TakenTime, s.RestoreSize, s.Content, s.Data = true, snapshotMade.Add(5*time.Second), &size, "content", &data
			}),
		},
		"taken, and not ready": {
			aSnapshot(map[string]any{"readyToUse": false, "creationTime": "2026-11-20T12:00:05Z"}, nil),
			with(func(s *VolumeSnapshot) { s.TakenTime = snapshotMade.Add(5 * time.Second) }),
		},
		"ready, with the time unknown": {aSnapshot(map[string]any{"readyToUse": true}, nil), with(func(s *VolumeSnapshot) { s.Ready = true })},
		"a size that is a number":      {aSnapshot(map[string]any{"restoreSize": int64(1 << 30)}, nil), with(func(s *VolumeSnapshot) { s.RestoreSize = new(resource.MustParse("1073741824")) })},
		"an error": {
			aSnapshot(map[string]any{"readyToUse": false, "error": map[string]any{"message": "rpc error: quota"}}, nil),
			with(func(s *VolumeSnapshot) { s.Error = "rpc error: quota" }),
		},
		"a long error": {
			aSnapshot(map[string]any{"error": map[string]any{"message": strings.Repeat("ö", 1000)}}, nil),
			with(func(s *VolumeSnapshot) { s.Error = strings.Repeat("ö", 500) + "..." }),
		},
		"a year after the last":   {aSnapshot(map[string]any{"creationTime": "9999-12-31T23:59:59-12:00"}, nil), plain},
		"the first second of all": {aSnapshot(map[string]any{"creationTime": "0001-01-01T00:00:00Z"}, nil), plain},
		"a content of no name":    {aSnapshot(map[string]any{"boundVolumeSnapshotContentName": "../secrets"}, nil), plain},
		"of other kinds":          {aSnapshot(map[string]any{"readyToUse": "yes", "restoreSize": "large", "creationTime": "then", "error": "words"}, nil), plain},
		"data that cannot be read": {
			aSnapshot(nil, new("{}")), with(func(s *VolumeSnapshot) { s.DataProblem = `version: got "", want "assay.dev/volume-data/v1"` }),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, SnapshotOf(tt.found)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	deleting := aSnapshot(nil, nil)
	deleting.SetDeletionTimestamp(&metav1.Time{Time: snapshotMade})
	if !SnapshotOf(deleting).Deleting {
		t.Error("one that is being deleted is not")
	}
}

// The handle is that of a content which names the same VolumeSnapshot: anybody may name the content of others.
func TestContentOfASnapshot(t *testing.T) {
	content := func(uid, handle string) *unstructured.Unstructured {
		u := NamedContent("content")
		u.Object["spec"] = map[string]any{"driver": "ebs.example", "volumeSnapshotRef": map[string]any{"uid": uid}}
		u.Object["status"] = map[string]any{"snapshotHandle": handle}
		return u
	}
	for name, tt := range map[string]struct{ uid, handle, want string }{
		"bound to it":        {"uid-tables", "snap-1", "snap-1 ebs.example"},
		"bound to another":   {"uid-of-others", "snap-1", " "},
		"bound to nothing":   {"", "snap-1", " "},
		"no room for it all": {"uid-tables", strings.Repeat("s", longestHandle+1), " "},
	} {
		s := SnapshotOf(aSnapshot(nil, nil)).With(content(tt.uid, tt.handle))
		if got := s.Handle + " " + s.Driver; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// checkWhose: what was made of a volume is of its run, if it was created when that had ended, and of no other.
func checkWhose(t *testing.T, volume Volume, made *unstructured.Unstructured) {
	t.Helper()
	ended := func(change ...func(*Volume)) Volume {
		v := volume
		v.Of.Run = volume.Of.Run.DeepCopy()
		v.Of.Run.Status.CompletionTime = &metav1.Time{Time: snapshotMade}
		for _, f := range change {
			f(&v)
		}
		return v
	}
	at := func(created time.Time) VolumeSnapshot {
		u := made.DeepCopy()
		u.SetCreationTimestamp(metav1.Time{Time: created})
		return SnapshotOf(u)
	}
	of := func(claim string) VolumeSnapshot { s := at(snapshotMade); s.Source = claim; return s }
	said := at(snapshotMade)
	said.Data = nil
	tests := map[string]struct {
		found VolumeSnapshot
		of    Volume
		want  bool
	}{
		"as it was made":                {at(snapshotMade.Add(time.Second)), ended(), true},
		"by a clock that is behind":     {at(snapshotMade.Add(-clocksDiffer)), ended(), true},
		"made while the run was there":  {at(snapshotMade.Add(-clocksDiffer - time.Second)), ended(), false},
		"of a run that has not ended":   {at(snapshotMade), volume, false},
		"of another volume":             {of("other"), ended(), false},
		"of a volume that nobody named": {of(""), ended(), false},
		"without a word":                {said, ended(), false},
		"of another target":             {at(snapshotMade), ended(func(v *Volume) { v.Of.Spec.Name = "other" }), false},
		"of a younger run of the name":  {at(snapshotMade), ended(func(v *Volume) { v.Of.Run.UID = "uid-younger" }), false},
		"of a volume before that":       {at(snapshotMade), ended(func(v *Volume) { v.Of.Run.Status.Releases = 1 }), false},
	}
	for name, tt := range tests {
		if got := tt.found.IsOf(tt.of); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// What a run makes says whose data it is, is read again as that, and belongs to nobody. A claim names its VolumeSnapshot.
func TestSnapshotOfAVolume(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "first", UID: "uid-first"}}
	target := v1alpha1.Target{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{Snapshot: &v1alpha1.MadeSnapshot{Name: "tables", ClassName: "fast"}}}}
	volume := Volume{Of: Target{Run: run, Spec: target}}
	made, err := volume.Snapshot(volumeData())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"volumeSnapshotClassName": "fast", "source": map[string]any{"persistentVolumeClaimName": "data-uid-firs-first-db-db"}}
	if diff := cmp.Diff(want, made.Object["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if len(made.GetOwnerReferences()) > 0 || made.GetNamespace() != "ns" || made.GetName() != "tables" || made.GetAPIVersion() != SnapshotAPI {
		t.Errorf("%s %s/%s of %v", made.GetAPIVersion(), made.GetNamespace(), made.GetName(), made.GetOwnerReferences())
	}
	checkWhose(t, volume, made)
	if _, err := volume.Snapshot(contract.VolumeData{}); err == nil || !strings.Contains(err.Error(), "VolumeSnapshot tables") {
		t.Errorf("made without a word about its data: %v", err)
	}

	target.MySQL.Storage = v1alpha1.Storage{FromSnapshot: &v1alpha1.SourceSnapshot{Name: "tables"}}
	source := Volume{Of: Target{Run: run, Spec: target}}.Claim().Spec.DataSource
	if source == nil || source.APIGroup == nil || *source.APIGroup != "snapshot.storage.k8s.io" || source.Kind != "VolumeSnapshot" || source.Name != "tables" {
		t.Errorf("its claim is made of %v", source)
	}
}

// The agent is told that a volume is a copy, and of what: its data is that of no earlier run's volume.
func TestWhatTheAgentIsToldOfACopy(t *testing.T) {
	x := target()
	x.Resolved.Snapshot = &v1alpha1.ResolvedSnapshot{Name: "tables", ServerVersion: "8.4.3"}
	want := &contract.Retained{RunUID: string(x.Run.UID), ServerVersion: "8.4.3", Snapshot: "tables"}
	if diff := cmp.Diff(want, retainedData(x)); diff != "" {
		t.Errorf("of a VolumeSnapshot (-want +got):\n%s", diff)
	}
	if got := retainedData(target(fromRun)); got == nil || got.Snapshot != "" {
		t.Errorf("of the volume of an earlier run: %+v", got)
	}
}
