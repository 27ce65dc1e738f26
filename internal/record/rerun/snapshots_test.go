package rerun_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/record/rerun"
)

// A repetition makes no VolumeSnapshot of the name that the run has given, and says which VolumeSnapshot the run measured on.
func TestManifestOfSnapshots(t *testing.T) {
	f := made(t)
	f.Object.Spec.Design.DataReset = v1alpha1.ResetPerRun
	f.Object.Spec.Targets[0].MySQL.Storage = v1alpha1.Storage{Size: resource.MustParse("1Gi"), Medium: v1alpha1.MediumVolume, Snapshot: &v1alpha1.MadeSnapshot{Name: "tables"}}
	f.Object.Spec.Targets[1].MySQL.Storage = v1alpha1.Storage{Size: resource.MustParse("1Gi"), Medium: v1alpha1.MediumVolume, FromSnapshot: &v1alpha1.SourceSnapshot{Name: "older"}}
	f.Object.Status.Resolved.Targets[1].Snapshot = &v1alpha1.ResolvedSnapshot{Name: "older", UID: "uid-older"}
	run, m := remade(t, f)
	a, b := m.Run.Spec.Targets[0].MySQL.Storage, m.Run.Spec.Targets[1].MySQL.Storage
	if a.Snapshot != nil || b.FromSnapshot == nil || b.FromSnapshot.Name != "older" {
		t.Errorf("%+v, %+v", a, b)
	}
	accepts(t, m.Run.Spec)
	for _, note := range []string{
		"target a: mysql.storage.snapshot is left out, because VolumeSnapshot tables is that of the run: set it with another name to make one more",
		"target b: VolumeSnapshot older stands by its name, and had the UID uid-older: one that was made again under that name may have other data",
	} {
		if !slices.Contains(m.Notes, note) {
			t.Errorf("notes %q\nlack %s", m.Notes, note)
		}
	}
	again := *run
	again.Object = run.Object.DeepCopy()
	again.Object.Spec = m.Run.Spec
	if was, is := rerun.Pinned(run).Targets[0].MySQL.Storage, rerun.Pinned(&again).Targets[0].MySQL.Storage; !cmp.Equal(was, is) {
		t.Errorf("the storage of a run and of its repetition are not alike: %s", cmp.Diff(was, is))
	}
}
