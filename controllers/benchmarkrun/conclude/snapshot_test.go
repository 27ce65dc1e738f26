package conclude

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// aKey of a data set.
var aKey = strings.Repeat("0f", 32)

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
		Data: &v1alpha1.TargetData{Key: aKey, Origin: v1alpha1.DataOriginLoaded, MadeTime: metav1.Time{Time: time.Unix(1000, 0).UTC()}}}}
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
	run.Status.CompletionTime = &metav1.Time{Time: time.Unix(5000, 0).UTC()}
	return run
}

// loadedVolume is the claim of the target of such a run.
func loadedVolume(change ...func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	run := snapshotting()
	claim := resources.Volume{Of: resources.Primary(run, run.Spec.Targets[0])}.Claim()
	for _, f := range change {
		f(claim)
	}
	return claim
}

// ofTheRun is a VolumeSnapshot that such a run made.
func ofTheRun(change ...func(*resources.VolumeSnapshot)) decision.VolumeSnapshot {
	s := resources.VolumeSnapshot{
		Name: "tables", UID: "uid-tables", Source: loadedVolume().Name, Created: time.Unix(5010, 0).UTC(), TakenTime: time.Unix(5020, 0).UTC(),
		Data: &contract.VolumeData{RunUID: "0123456789abcdef", Target: "db"},
	}
	for _, f := range change {
		f(&s)
	}
	return decision.VolumeSnapshot{VolumeSnapshot: s}
}

// Of two runs that would make a VolumeSnapshot of one name, one comes before the other one, and never both.
func TestMakesBefore(t *testing.T) {
	of := func(name string, created int64, change ...func(*v1alpha1.BenchmarkRun)) *v1alpha1.BenchmarkRun {
		run := snapshotting()
		run.Name, run.UID, run.CreationTimestamp = name, types.UID("uid-"+name), metav1.Time{Time: time.Unix(created, 0)}
		run.Status = v1alpha1.BenchmarkRunStatus{}
		for _, f := range change {
			f(run)
		}
		return run
	}
	accepted := func(r *v1alpha1.BenchmarkRun) { r.Status.Resolved = &v1alpha1.Resolved{} }
	ended := func(r *v1alpha1.BenchmarkRun) { r.Status = *snapshotting().Status.DeepCopy() }
	made := func(r *v1alpha1.BenchmarkRun) {
		ended(r)
		r.Status.Targets[0].Snapshot = &v1alpha1.SnapshotStatus{Name: "tables"}
	}
	failed := func(r *v1alpha1.BenchmarkRun) {
		ended(r)
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue}}
	}
	over := func(r *v1alpha1.BenchmarkRun) { r.Status.Targets[0].SnapshotOver = true }
	suspended := func(r *v1alpha1.BenchmarkRun) { r.Spec.Suspend = true }
	elsewhere := func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].MySQL.Storage.Snapshot.Name = "others" }
	deleting := func(r *v1alpha1.BenchmarkRun) { r.DeletionTimestamp = &metav1.Time{Time: time.Unix(9000, 0)} }
	me := of("me", 2000)
	tests := map[string]struct {
		other *v1alpha1.BenchmarkRun
		want  bool
	}{
		"itself":                        {me, false},
		"an older one":                  {of("other", 1000), true},
		"a younger one":                 {of("other", 3000), false},
		"a younger one, and accepted":   {of("other", 3000, accepted), true},
		"of the same second, by name":   {of("another", 2000), true},
		"of the same second, and after": {of("other", 2000), false},
		"one that has ended, not made":  {of("other", 1000, ended), true},
		"one that has made it":          {of("other", 1000, made), false},
		"one that failed":               {of("other", 1000, failed), false},
		"one that has given it up":      {of("other", 1000, ended, over), false},
		"an older one that is held":     {of("other", 1000, suspended), true},
		"one that is held, accepted":    {of("other", 1000, accepted, suspended), true},
		"one of another name":           {of("other", 1000, elsewhere), false},
		"one that is being deleted":     {of("other", 1000, deleting), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := MakesBefore(tt.other, me, "tables"); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
			if tt.want && tt.other.Status.Resolved == nil && MakesBefore(me, tt.other, "tables") {
				t.Error("both come before the other one")
			}
		})
	}
}

// A volume stays until its VolumeSnapshot is ready to use. It is made when the server is gone, and what stands in the way is said.
func TestNextOfAVolume(t *testing.T) {
	said := func(value string) func(*corev1.PersistentVolumeClaim) {
		return func(c *corev1.PersistentVolumeClaim) { c.Annotations[v1alpha1.AnnotationUsedBy] = value }
	}
	const another = "there is another VolumeSnapshot tables, which this run has not made: delete it, and that of this run is made"
	gone := Next{Over: true, Problem: "VolumeSnapshot tables cannot be made: the volume was deleted"}
	keeps := func(problem string) Next { return Next{Keep: true, Problem: problem} }
	waits := func(says string) Next { return Next{Keep: true, Waits: says} }
	refuses := func(why string) Next {
		return keeps("VolumeSnapshot tables is not made: " + why + ", so that its data may not be that of this run: delete this run, and load again")
	}
	name := loadedVolume().Name
	tests := map[string]struct {
		volume Volume
		retain v1alpha1.RetainPolicy
		makes  bool
		want   Next
	}{
		"the server is there":           {volume: Volume{Claim: loadedVolume(), Used: true}, want: keeps("")},
		"the server is gone":            {volume: Volume{Claim: loadedVolume()}, makes: true, want: keeps("")},
		"made, and not ready":           {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun()}, want: keeps("")},
		"made, while a server is there": {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(), Used: true}, want: keeps("")},
		"ready": {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(func(s *resources.VolumeSnapshot) { s.Ready, s.Handle = true, "snap-1" })},
			want: Next{Over: true, Made: &v1alpha1.SnapshotStatus{Name: "tables", UID: "uid-tables", TakenTime: metav1.Time{Time: time.Unix(5020, 0).UTC()}, Handle: "snap-1"}}},
		"taken, and failed since": {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(func(s *resources.VolumeSnapshot) { s.Error = "rpc error: upload" })},
			want: keeps("VolumeSnapshot tables is not ready to use: rpc error: upload")},
		"ready, and being deleted": {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(func(s *resources.VolumeSnapshot) { s.Ready, s.Deleting = true, true })},
			want: keeps("VolumeSnapshot tables is being deleted: when it is gone, another one is made if the volume is there, until the run is deleted")},
		"of somebody else": {volume: Volume{Claim: loadedVolume(), Exists: true}, want: keeps(another)},
		"of another volume": {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(func(s *resources.VolumeSnapshot) { s.Ready, s.Source = true, "other" })},
			want: keeps(another)},
		"made before the run had ended": {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(func(s *resources.VolumeSnapshot) {
			s.Ready, s.Created = true, time.Unix(4000, 0)
		})}, want: keeps("VolumeSnapshot tables says that it is of this run, and was created at 1970-01-01T01:06:40Z by the clock of the API server, when the run had not ended (1970-01-01T01:23:20Z by the clock of the manager): " +
			"delete it, and another one is made; if this run did make it, set the clocks right before")},
		"the server is there for long": {volume: Volume{Claim: loadedVolume(), Used: true, Now: time.Unix(5061, 0)},
			want: waits("VolumeSnapshot tables waits until the server of target db is gone: pod first-db-db-0 or its StatefulSet is still there")},
		"the server is retained": {volume: Volume{Claim: loadedVolume(), Used: true, Now: time.Unix(8599, 0)}, retain: v1alpha1.RetainAlways,
			want: waits("VolumeSnapshot tables waits until 1970-01-01T02:23:20Z: retain: Always keeps the server of target db until then")},
		"the server was retained": {volume: Volume{Claim: loadedVolume(), Used: true, Now: time.Unix(8600, 0)}, retain: v1alpha1.RetainAlways,
			want: waits("VolumeSnapshot tables waits until the server of target db is gone: pod first-db-db-0 or its StatefulSet is still there")},
		"nobody takes it": {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(), Now: time.Unix(5071, 0)},
			want: waits("VolumeSnapshot tables is not ready to use: it has no VolumeSnapshotContent yet, which a snapshot controller makes where a VolumeSnapshotClass of the driver is")},
		"taken for long": {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(func(s *resources.VolumeSnapshot) { s.Content = "content" }), Now: time.Unix(5071, 0)},
			want: waits("VolumeSnapshot tables is not ready to use: the storage has not finished it")},
		"taken for a moment":          {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: ofTheRun(), Now: time.Unix(5070, 0)}, want: keeps("")},
		"no API":                      {volume: Volume{Claim: loadedVolume(), Exists: true, Snapshot: decision.VolumeSnapshot{Refused: "no API"}}, want: keeps("no API")},
		"the volume is gone":          {volume: Volume{}, want: gone},
		"the volume is being deleted": {volume: Volume{Claim: loadedVolume(func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = &metav1.Time{Time: time.Unix(5000, 0)} })}, want: gone},
		"it is gone, and not ready":   {volume: Volume{Exists: true, Snapshot: ofTheRun()}, want: keeps("")},
		"another run used the volume": {volume: Volume{Claim: loadedVolume(said("second/uid-second/second-db-db"))}, want: refuses("run second uses the volume " + name + ", or did")},
		"nobody knows who used it":    {volume: Volume{Claim: loadedVolume(said("first"))}, want: refuses("the annotation assay.dev/used-by of the volume " + name + " is missing or cannot be read")},
		"another run was let write":   {volume: Volume{Claim: loadedVolume(func(c *corev1.PersistentVolumeClaim) { c.Annotations[v1alpha1.AnnotationWrittenBy] = "second/uid/then" })}, want: refuses("another run may have written into the volume " + name + " (second/uid/then)")},
		"a volume that somebody made": {volume: Volume{Claim: loadedVolume(func(c *corev1.PersistentVolumeClaim) { c.OwnerReferences = nil })}, want: refuses("the volume " + name + " does not belong to this run")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.volume.Run = snapshotting()
			if tt.volume.Run.Spec.Retain = tt.retain; tt.retain != "" {
				tt.volume.Run.Status.Placement = &v1alpha1.Placement{HeldUntil: &metav1.Time{Time: time.Unix(8600, 0)}}
			}
			tt.volume.Target = tt.volume.Run.Spec.Targets[0]
			got := tt.volume.Next()
			if made := got.Make != nil; made != tt.makes {
				t.Errorf("makes one: %v, want %v", made, tt.makes)
			}
			got.Make = nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
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
			run.Spec.Data, want.Key = &v1alpha1.DataSet{Name: "x", Policy: v1alpha1.DataMake}, aKey
		}
		made := Volume{Run: run, Target: run.Spec.Targets[0], Claim: loadedVolume()}.Next().Make
		if made == nil {
			t.Fatal("nothing is made")
		}
		if diff := cmp.Diff(&want, resources.SnapshotOf(made).Data); diff != "" {
			t.Errorf("only loads: %v (-want +got):\n%s", onlyLoads, diff)
		}
	}
	until := &v1alpha1.Placement{HeldUntil: &metav1.Time{Time: time.Unix(8600, 0)}}
	for name, change := range map[string]func(*v1alpha1.BenchmarkRun){ // its server went on
		"retained":               func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain, r.Status.Placement = v1alpha1.RetainAlways, until },
		"retained before":        func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain, r.Status.Placement = v1alpha1.RetainNever, until },
		"retained after the end": func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain = v1alpha1.RetainAlways },
	} {
		kept := run.DeepCopy()
		change(kept)
		if made := (Volume{Run: kept, Target: run.Spec.Targets[0], Claim: loadedVolume()}).Next().Make; made == nil || resources.SnapshotOf(made).Data.Key != "" {
			t.Errorf("of a server that was %s: %v", name, made)
		}
	}
	run.Status.Targets[0].Data = nil
	if next := (Volume{Run: run, Target: run.Spec.Targets[0], Claim: loadedVolume()}).Next(); next.Make != nil || !next.Keep || !strings.Contains(next.Problem, "loaded: missing") {
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
