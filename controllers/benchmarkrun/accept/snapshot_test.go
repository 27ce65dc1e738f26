package accept

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

const takenAt = "2026-11-20T12:00:00Z"

func at(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// tables is a VolumeSnapshot that run first has made.
func tables(t *testing.T) decision.VolumeSnapshot {
	t.Helper()
	return decision.VolumeSnapshot{VolumeSnapshot: resources.VolumeSnapshot{
		Name: "tables", UID: "uid-tables", Ready: true, TakenTime: at(t, takenAt), RestoreSize: new(resource.MustParse("1Gi")), Content: "content",
		Handle: "snap-1", Driver: "ebs.example", Data: &contract.VolumeData{
			Version: contract.VolumeDataVersion, Run: "first", RunUID: "uid-first", Target: "db", Flavor: "MySQL", StorageEngine: "InnoDB", Image: "mysql:8.4", ImageID: feed,
			ServerVersion: "8.4.3", Settings: []contract.Setting{{Name: "innodb_page_size", Value: "16384"}}, Loaded: at(t, loadedAt),
		},
	}}
}

// ofTables: the volume of the only target is made of a VolumeSnapshot.
func ofTables(found any) change {
	return func(w *world) {
		m := w.in.Run.Spec.Targets[0].MySQL
		m.Storage = v1alpha1.Storage{Size: resource.MustParse("2Gi"), FromSnapshot: &v1alpha1.SourceSnapshot{Name: "tables"}}
		m.Config = map[string]string{"innodb_page_size": "16384", "innodb_buffer_pool_size": "512M"}
		w.objects[decision.GetVolumeSnapshot{Name: "tables"}] = found
	}
}

// making a VolumeSnapshot at the end.
func making(m *v1alpha1.MySQLTarget) {
	m.Storage = v1alpha1.Storage{Size: resource.MustParse("1Gi"), Snapshot: &v1alpha1.MadeSnapshot{Name: "tables"}}
}

// A VolumeSnapshot is pinned with what is known of it, and a run that writes takes it as any other does.
func TestAVolumeOfASnapshot(t *testing.T) {
	taken := metav1.Time{Time: at(t, takenAt)}
	byHand := func(f *decision.VolumeSnapshot) { f.Data, f.RestoreSize, f.Handle, f.Driver = nil, nil, "", "" }
	tests := map[string]struct {
		found func(*decision.VolumeSnapshot)
		then  []change
		want  *v1alpha1.ResolvedSnapshot
		says  string
	}{
		"that a run made": {
			want: &v1alpha1.ResolvedSnapshot{Name: "tables", UID: "uid-tables", TakenTime: taken, ContentName: "content", Handle: "snap-1", Driver: "ebs.example", RunName: "first",
				RunUID: "uid-first", Target: "db", ImageID: feed, ServerVersion: "8.4.3", LoadedTime: &metav1.Time{Time: at(t, loadedAt)}},
			says: "the data on a volume of its own that was made of VolumeSnapshot tables (UID uid-tables, snap-1 of ebs.example), taken at " + takenAt + ", of run first (UID uid-first, target db) as its annotation says, loaded at " + loadedAt +
				", with what was written since, was there before the run: nothing loads, puts back or drops it, and anything that is written goes with that volume; ",
		},
		"that nobody says anything of": {
			found: byHand, then: []change{provided(func(m *v1alpha1.MySQLTarget) { m.Config["innodb_page_size"] = "4096" })},
			want: &v1alpha1.ResolvedSnapshot{Name: "tables", UID: "uid-tables", TakenTime: taken, ContentName: "content"},
			says: "the data on a volume of its own that was made of VolumeSnapshot tables (UID uid-tables), taken at " + takenAt + ", which no run made, so that nobody knows which server wrote it, and whether its pod was gone, was there",
		},
		"that the control takes as well": {
			then: []change{spec(func(s *v1alpha1.BenchmarkRunSpec) {
				s.Analysis = &v1alpha1.Analysis{Control: true, MinimumEffect: v1alpha1.DefaultMinimumEffect, ErrorRate: v1alpha1.DefaultErrorRate}
				s.SetDefaults()
			})}, says: "made of VolumeSnapshot tables",
		},
		"of an image that is named by its digest": {
			then: []change{provided(func(m *v1alpha1.MySQLTarget) { m.Version, m.Image = "", "mirror.example/mysql@sha256:feed" })}, says: "made of VolumeSnapshot tables",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := tables(t)
			if tt.found != nil {
				tt.found(&found)
			}
			writes := spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Workload.Sysbench.Test = "oltp_read_write" })
			got := newWorld(append([]change{ofTables(found), writes}, tt.then...)...).decide(t)
			if state := words(got.State); !strings.HasPrefix(state, "done") {
				t.Fatal(state)
			}
			if diff := cmp.Diff(tt.want, got.Status.Resolved.Targets[0].Snapshot); tt.want != nil && diff != "" {
				t.Errorf("the VolumeSnapshot (-want +got):\n%s", diff)
			}
			for _, one := range got.Status.Resolved.Targets {
				if one.Snapshot == nil || one.Snapshot.UID != "uid-tables" {
					t.Errorf("target %s takes %+v", one.Name, one.Snapshot)
				}
			}
			if !slices.ContainsFunc(got.Findings, func(f v1alpha1.Finding) bool {
				return f.Check == "data-existing" && strings.Contains(f.Message, tt.says)
			}) {
				t.Errorf("it says %+v\nwant %s", got.Findings, tt.says)
			}
		})
	}
}

// The hash of a spec is the same, whatever was found.
func TestASnapshotIsNoInput(t *testing.T) {
	other := tables(t)
	other.UID, other.Handle = "uid-younger", "snap-2"
	first, second := newWorld(ofTables(tables(t))).decide(t), newWorld(ofTables(other)).decide(t)
	if first.Status.SpecHash == "" || first.Status.SpecHash != second.Status.SpecHash {
		t.Errorf("hashes %q and %q", first.Status.SpecHash, second.Status.SpecHash)
	}
}

// What cannot be used is refused with what would be right, and what may be ready later is waited for.
func TestASnapshotThatDoesNotFit(t *testing.T) {
	const field = "spec.targets[0].mysql.storage.fromSnapshot"
	const unfit, waits = "fail VolumeSnapshotUnfit: " + field, "wait VolumeSnapshotNotReady: " + field + ": "
	const again = "create the run again when `kubectl get volumesnapshot tables -n ns` shows READYTOUSE true, or with suspend: true until then"
	none := "the cluster has no API snapshot.storage.k8s.io/v1: install it"
	unready := func(f *decision.VolumeSnapshot) { f.Ready = false }
	tests := map[string]struct {
		found func(*decision.VolumeSnapshot)
		then  []change
		want  string
	}{
		"no API":                   {found: func(f *decision.VolumeSnapshot) { *f = decision.VolumeSnapshot{Refused: none} }, want: "fail NoVolumeSnapshots: " + field + ": " + none},
		"being deleted":            {found: func(f *decision.VolumeSnapshot) { f.Deleting = true }, want: unfit + ".name: VolumeSnapshot tables is being deleted: name another"},
		"data that cannot be read": {found: func(f *decision.VolumeSnapshot) { f.Data, f.DataProblem = nil, "version: 2" }, want: unfit + ".name: the annotation assay.dev/data of VolumeSnapshot tables cannot be read (version: 2): "},
		"a volume that is smaller": {then: []change{provided(func(m *v1alpha1.MySQLTarget) { m.Storage.Size = resource.MustParse("512Mi") })},
			want: unfit + ": mysql.storage.size is 512Mi, and a volume of VolumeSnapshot tables has at least 1Gi: set that"},
		"another flavor": {found: func(f *decision.VolumeSnapshot) { f.Data.Flavor = "MariaDB" },
			want: unfit + ": mysql.flavor is MySQL here, and the files of VolumeSnapshot tables were written with MariaDB: use that, or load again"},
		"another image":          {found: func(f *decision.VolumeSnapshot) { f.Data.Image = "mysql:9.7" }, want: unfit + ": the image is mysql:8.4 here, and the files of VolumeSnapshot tables were written with mysql:9.7"},
		"another storage engine": {found: func(f *decision.VolumeSnapshot) { f.Data.StorageEngine = "RocksDB" }, want: unfit + ": mysql.storageEngine is InnoDB here"},
		"a setting of files": {then: []change{provided(func(m *v1alpha1.MySQLTarget) { m.Config["innodb_page_size"] = "4096" })},
			want: unfit + ": the files of VolumeSnapshot tables were written with other settings, on which they depend: innodb_page_size is 4096 here and 16384 there. Set those in mysql.config, or load again"},
		"a server whose files are its own": {then: []change{notPortable}, want: "fail InvalidSpec: " + field + ": Assay cannot give the data directory of one server of MySQL to another: leave fromSnapshot out"},
		"not there":                        {found: func(f *decision.VolumeSnapshot) { *f = decision.VolumeSnapshot{} }, want: waits + `there is no VolumeSnapshot "tables" in namespace ns`},
		"nobody has looked at it":          {found: func(f *decision.VolumeSnapshot) { unready(f); f.Content = "" }, want: waits + "VolumeSnapshot tables is not ready to use: it has no VolumeSnapshotContent yet, which a snapshot controller makes where a VolumeSnapshotClass of the driver is"},
		"not finished":                     {found: unready, want: waits + "VolumeSnapshot tables is not ready to use: the storage has not finished it"},
		"in the words of the driver":       {found: func(f *decision.VolumeSnapshot) { unready(f); f.Error = "rpc error: quota" }, want: waits + "VolumeSnapshot tables is not ready to use: rpc error: quota"},
		"for too long": {found: func(f *decision.VolumeSnapshot) { unready(f); f.Error = "rpc error: quota" }, then: []change{late},
			want: "fail VolumeSnapshotFailed: " + field + ": VolumeSnapshot tables is not ready to use: rpc error: quota, also after 20m0s (timeouts.targetReady): " + again},
		"not there for too long": {found: func(f *decision.VolumeSnapshot) { *f = decision.VolumeSnapshot{} }, then: []change{late},
			want: "fail VolumeSnapshotFailed: " + field + `: there is no VolumeSnapshot "tables" in namespace ns, also after 20m0s (timeouts.targetReady): ` + again},
		"at a first look that is late": {found: unready, then: []change{old}, want: waits + "VolumeSnapshot tables is not ready"},
		"while it is suspended":        {found: unready, then: []change{late, func(w *world) { w.in.Run.Spec.Suspend = true }}, want: waits + "VolumeSnapshot tables is not ready"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := tables(t)
			if tt.found != nil {
				tt.found(&found)
			}
			var answer any = found
			if found.Name == "" && found.Refused == "" {
				answer = decision.Absent{}
			}
			fresh := func(w *world) { w.in.Run.CreationTimestamp.Time = now }
			got := newWorld(append([]change{ofTables(answer), fresh}, tt.then...)...).decide(t)
			if state := words(got.State); !strings.HasPrefix(state, tt.want) {
				t.Errorf("%s\nwant %s", state, tt.want)
			}
		})
	}
}

// old: the run was created longer ago than it waits.
func old(w *world) {
	w.in.Run.CreationTimestamp.Time = now.Add(-w.in.Catalogue.Config.Timeouts.TargetReady.Duration - time.Second)
}

// late: it has said for as long that it waits for a VolumeSnapshot.
func late(w *world) {
	old(w)
	w.in.Run.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonVolumeSnapshotNotReady, LastTransitionTime: w.in.Run.CreationTimestamp,
	}}
}

// saidNow: it has said so for the first time.
func saidNow(w *world) { w.in.Run.Status.Conditions[0].LastTransitionTime.Time = now }

// A name for a new VolumeSnapshot has to be free, and its server's files portable.
func TestASnapshotThatIsMade(t *testing.T) {
	const field = "spec.targets[0].mysql.storage.snapshot"
	maker := func(accepted bool) change {
		return func(w *world) {
			w.objects[decision.GetMaker{Snapshot: "tables"}] = decision.Maker{Run: "first", Accepted: accepted}
		}
	}
	tests := map[string]struct {
		found any
		then  []change
		want  string
	}{
		"a free name":          {decision.Absent{}, nil, "done"},
		"a name that is taken": {tables(t), nil, "fail VolumeSnapshotUnfit: " + field + `.name: there is a VolumeSnapshot "tables" in namespace ns already: give another name, or delete that one`},
		"a name that another run takes": {decision.Absent{}, []change{maker(true)},
			"fail VolumeSnapshotUnfit: " + field + `.name: run first of namespace ns is to make VolumeSnapshot "tables": give another name, or delete that run`},
		"a name that another run may take": {decision.Absent{}, []change{maker(false)},
			"wait VolumeSnapshotNotReady: " + field + `.name: run first, which is older, is to make VolumeSnapshot "tables" as well: waiting whether it is accepted, for 20m0s (timeouts.targetReady) at most; give another name, or delete one of both`},
		"a name that another run may take for long":                        {decision.Absent{}, []change{maker(false), late}, "done"},
		"a name that another run may take, at a first look that is late":   {decision.Absent{}, []change{maker(false), old}, "wait VolumeSnapshotNotReady: "},
		"a name that another run may take, of a run that said so just now": {decision.Absent{}, []change{maker(false), late, saidNow}, "wait VolumeSnapshotNotReady: "},
		"a name that another run may take, of a run that had its turn late": {decision.Absent{}, []change{maker(false), late, func(w *world) {
			w.in.Run.Status.Conditions[0].Reason = v1alpha1.ReasonServiceNotReady
		}}, "wait VolumeSnapshotNotReady: "},
		"no API":                           {decision.VolumeSnapshot{Refused: "no API"}, nil, "fail NoVolumeSnapshots: " + field + ": no API"},
		"a server whose files are its own": {decision.Absent{}, []change{notPortable}, "fail InvalidSpec: " + field + ": Assay cannot give the data directory of one server of MySQL to another: leave snapshot out"},
		"one name for two": {decision.Absent{}, []change{spec(func(s *v1alpha1.BenchmarkRunSpec) {
			second := *s.Targets[0].DeepCopy()
			second.Name = "more"
			s.Targets = append(s.Targets, second)
		})}, "fail InvalidSpec: " + field + ".name: target more gives the same name to its VolumeSnapshot: give each a name of its own"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			there := func(w *world) { w.objects[decision.GetVolumeSnapshot{Name: "tables"}] = tt.found }
			fresh := func(w *world) { w.in.Run.CreationTimestamp.Time = now }
			got := newWorld(append([]change{there, provided(making), fresh}, tt.then...)...).decide(t)
			if state := words(got.State); !strings.HasPrefix(state, tt.want) {
				t.Errorf("%s\nwant %s", state, tt.want)
			}
		})
	}
}
