package accept

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/resources"
)

const (
	feed     = "registry.example/mysql@sha256:feed"
	loadedAt = "2026-11-20T10:00:00Z"
)

// kept is a run that has ended and retained the volume of target db.
func kept(t *testing.T) *v1alpha1.BenchmarkRun {
	t.Helper()
	at, err := time.Parse(time.RFC3339, loadedAt)
	if err != nil {
		t.Fatal(err)
	}
	run := newWorld().in.Run
	run.Name, run.UID = "first", "abcdefghij"
	run.Spec.Targets[0].MySQL.Storage = v1alpha1.Storage{Size: resource.MustParse("1Gi"), Retain: true}
	run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Image: "mysql:8.4", Settings: []v1alpha1.ServerSetting{
		{Name: "innodb_page_size", Value: "16384"}, {Name: "innodb_buffer_pool_size", Value: "1G"},
	}}}}
	run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", LoadResult: "first-db-load-result-0", ImageID: feed, NodeName: "n1", ServerVersion: "8.4.3",
		Data: &v1alpha1.TargetData{Key: "key", Origin: v1alpha1.DataOriginLoaded, MadeTime: metav1.Time{Time: at}}}}
	run.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue},
	}
	return run
}

// again measures on the volume of a run, which is changed before that.
func again(first *v1alpha1.BenchmarkRun) change {
	return func(w *world) {
		m := w.in.Run.Spec.Targets[0].MySQL
		m.Storage = v1alpha1.Storage{Size: resource.MustParse("1Gi"), FromRun: &v1alpha1.RetainedVolume{Name: "first"}}
		m.Config = map[string]string{"innodb_page_size": "16384", "innodb_buffer_pool_size": "512M"}
		w.objects[decision.Named[*v1alpha1.BenchmarkRun]("first")] = first
		if len(first.Spec.Targets) > 0 && first.Spec.Targets[0].MySQL != nil && first.Status.Resolved != nil {
			claim := resources.Volume{Of: resources.Primary(first, first.Spec.Targets[0])}.Claim()
			claim.UID = "uid-claim"
			w.objects[decision.Named[*corev1.PersistentVolumeClaim](claim.Name)] = claim
		}
		w.objects[decision.GetNode{Name: "n1"}] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{corev1.LabelHostname: "host-1"}}}
	}
}

func provided(f func(*v1alpha1.MySQLTarget)) change {
	return spec(func(s *v1alpha1.BenchmarkRunSpec) { f(s.Targets[0].MySQL) })
}

// The node of a volume is one that is there: nobody is asked to make another with its name.
func TestAVolumesNodeIsNotMade(t *testing.T) {
	w := newWorld(again(kept(t)), spec(func(s *v1alpha1.BenchmarkRunSpec) {
		shape := s.Targets[0].Shape.Inline
		shape.Nodes, shape.ProvisionWithin = v1alpha1.NodesProvisioned, &metav1.Duration{Duration: time.Minute}
		shape.ProvisioningClass = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
	}))
	got := w.decide(t)
	if state := words(got.State); !strings.HasPrefix(state, "done") {
		t.Fatal(state)
	}
	if s := got.Status.Resolved.Targets[0].Shape; s.Nodes != "" || s.ProvisionWithin != nil || s.ProvisioningClass != "" {
		t.Errorf("its shape asks for nodes: %+v", s)
	}
}

// A volume of an earlier run is pinned with what wrote it, and the server is kept on its node.
func TestAVolumeIsMeasuredAgain(t *testing.T) {
	w := newWorld(again(kept(t)))
	got := w.decide(t)
	if state := words(got.State); !strings.HasPrefix(state, "done") {
		t.Fatal(state)
	}
	resolved := got.Status.Resolved.Targets[0]
	at, err := time.Parse(time.RFC3339, loadedAt)
	if err != nil {
		t.Fatal(err)
	}
	want := &v1alpha1.ResolvedVolume{
		RunName: "first", RunUID: "abcdefghij", Target: "db", ClaimName: "data-abcdefgh-first-db-db", ClaimUID: "uid-claim", Outcome: "Complete", ImageID: feed, ServerVersion: "8.4.3", LoadedTime: metav1.Time{Time: at},
	}
	if diff := cmp.Diff(want, resolved.Retained); diff != "" {
		t.Errorf("the volume (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{corev1.LabelHostname: "host-1"}, resolved.Shape.NodeSelector); diff != "" {
		t.Errorf("the node (-want +got):\n%s", diff)
	}
	said := ""
	for _, f := range got.Findings {
		if f.Check == "data-existing" {
			said = f.Message
		}
	}
	if want := "the data on the volume of run first (UID abcdefghij, target db, which ended Complete), loaded at " + loadedAt +
		", with what the trials of that run wrote and, when this run was accepted, of no run after it, was there before the run: nothing loads, puts back or drops it, and the workload only reads; "; !strings.HasPrefix(said, want) {
		t.Errorf("it says %q, want %q", said, want)
	}
}

// What would not be the data of that run, or not on its server, is refused with what would be right.
func TestAVolumeThatDoesNotFitIsRefused(t *testing.T) {
	field := "fail RetainedVolumeUnfit: spec.targets[0].mysql.storage.fromRun"
	tests := map[string]struct {
		first func(*v1alpha1.BenchmarkRun)
		then  []change
		want  string
	}{
		"no such run":    {then: []change{provided(func(m *v1alpha1.MySQLTarget) { m.Storage.FromRun.Name = "other" })}, want: field + `.name: there is no run "other" in namespace ns`},
		"no such target": {then: []change{provided(func(m *v1alpha1.MySQLTarget) { m.Storage.FromRun.Target = "b" })}, want: field + `.target: run first has no target "b"`},
		"not ended":      {first: func(r *v1alpha1.BenchmarkRun) { r.Status.Conditions = nil }, want: field + ".name: run first has not ended: create this run when it has"},
		"being deleted":  {first: func(r *v1alpha1.BenchmarkRun) { r.DeletionTimestamp = &metav1.Time{Time: now} }, want: field + ".name: run first is being deleted"},
		"nothing was retained": {first: func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].MySQL.Storage.Retain = false },
			want: field + ": target db of run first retains no volume: run it again with mysql.storage.retain: true"},
		"a volume that was not its own": {first: func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Targets[0].MySQL.Storage = v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{Name: "zeroth"}}
		}, want: field + ".name: target db of run first measured on the volume of run zeroth: name that run"},
		"an external target": {first: func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Targets[0] = v1alpha1.Target{Name: "db", External: &v1alpha1.ExternalTarget{}}
		},
			want: field + ": target db of run first retains no volume"},
		"not loaded": {first: func(r *v1alpha1.BenchmarkRun) { r.Status.Targets[0].LoadResult = "" }, want: field + ".name: run first ended before the data of target db was loaded"},
		"another image": {first: func(r *v1alpha1.BenchmarkRun) { r.Status.Resolved.Targets[0].Image = "mysql:9.7" },
			want: field + ": the image is mysql:8.4 here, and the files of the volume were written with mysql:9.7: use that, or load again"},
		"another storage engine": {first: func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].MySQL.StorageEngine = "RocksDB" },
			want: field + ": mysql.storageEngine is InnoDB here, and the files of the volume were written with RocksDB"},
		"another size": {first: func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].MySQL.Storage.Size = resource.MustParse("2Gi") },
			want: field + ": mysql.storage.size is 1Gi here, and the files of the volume were written with 2Gi"},
		"a setting of files": {then: []change{provided(func(m *v1alpha1.MySQLTarget) { m.Config["innodb_page_size"] = "4096" })},
			want: field + ": the files of the volume were written with other settings, on which they depend: innodb_page_size is 4096 here and 16384 there. Set those in mysql.config, or load again"},
		"a setting too few": {then: []change{provided(func(m *v1alpha1.MySQLTarget) { delete(m.Config, "innodb_page_size") })},
			want: field + ": the files of the volume were written with other settings, on which they depend: innodb_page_size is not set here and 16384 there"},
		"a server that broke": {first: ending(v1alpha1.ConditionFailed, v1alpha1.ReasonServerKilled), want: field + ".name: run first failed with ServerKilled, so that nobody knows what its server left on the volume: load again"},
		"no time of the load": {first: func(r *v1alpha1.BenchmarkRun) { r.Status.Targets[0].Data = nil }, want: field + ".name: the status of run first does not say when the data of target db was loaded: load again"},
		"a zero time":         {first: func(r *v1alpha1.BenchmarkRun) { r.Status.Targets[0].Data.MadeTime = metav1.Time{} }, want: field + ".name: the status of run first does not say when"},
		"nobody uses it": {then: []change{claimed(func(c *corev1.PersistentVolumeClaim) { delete(c.Annotations, v1alpha1.AnnotationUsedBy) })},
			want: field + ".name: the annotation assay.dev/used-by or assay.dev/written-by of the volume data-abcdefgh-first-db-db is missing or cannot be read"},
		"a writer of no name": {then: []change{claimed(func(c *corev1.PersistentVolumeClaim) { c.Annotations[v1alpha1.AnnotationWrittenBy] = "w" })},
			want: field + ".name: the annotation assay.dev/used-by or assay.dev/written-by of the volume"},
		"a writer that broke": {then: []change{claimed(func(c *corev1.PersistentVolumeClaim) {
			c.Annotations[v1alpha1.AnnotationWrittenBy] = "w/v/2026-11-27T19:00:00Z"
		}), writer("v", v1alpha1.ConditionFailed, v1alpha1.ReasonTargetOOMKilled)},
			want: field + ".name: the volume that run first retained: run w, which was let write into it, failed with TargetOOMKilled, so that nobody knows what its server left there: load again"},
		"a volume of somebody else": {then: []change{claimed(func(c *corev1.PersistentVolumeClaim) { c.OwnerReferences[0].UID = "other" })},
			want: field + ".name: the volume data-abcdefgh-first-db-db does not belong to run first"},
		"a control of it": {then: []change{spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Analysis = &v1alpha1.Analysis{Control: true}; s.SetDefaults() })},
			want: "fail InvalidSpec: spec.analysis.control: the baseline db measures on the volume of run first (mysql.storage.fromRun), which only one server can use"},
		"no volume": {then: []change{func(w *world) {
			delete(w.objects, decision.Named[*corev1.PersistentVolumeClaim]("data-abcdefgh-first-db-db"))
		}},
			want: field + ".name: the volume data-abcdefgh-first-db-db that run first retained was deleted"},
		"no node": {then: []change{func(w *world) { delete(w.objects, decision.GetNode{Name: "n1"}) }}, want: field + `.name: the volume was written on node "n1", which is gone`},
		"a shape of another node": {then: []change{spec(func(s *v1alpha1.BenchmarkRunSpec) {
			s.Targets[0].Shape.Inline = s.Targets[0].Shape.Inline.DeepCopy()
			s.Targets[0].Shape.Inline.NodeSelector = map[string]string{corev1.LabelHostname: "host-2"}
		})}, want: field + ".name: the volume was written on node n1, and the shape of the target is for kubernetes.io/hostname=host-2"},
		"one volume for two targets": {then: []change{spec(func(s *v1alpha1.BenchmarkRunSpec) {
			second := *s.Targets[0].DeepCopy()
			second.Name, second.MySQL.Storage.FromRun.Target = "more", "db"
			s.Targets = append(s.Targets, second)
		})}, want: "fail InvalidSpec: spec.targets[1].mysql.storage.fromRun: target db measures on the same volume"},
		"a workload that writes": {then: []change{spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Workload.Sysbench.Test = "oltp_read_write" })},
			want: "fail InvalidSpec: spec.targets[0].mysql.storage.fromRun.allowWrites: cell 0 (no matrix) of spec.workload.sysbench may write into the tables of target db"},
		"a server whose files are its own, retained": {then: []change{notPortable, provided(func(m *v1alpha1.MySQLTarget) { m.Storage = v1alpha1.Storage{Size: m.Storage.Size, Retain: true} })},
			want: "fail InvalidSpec: spec.targets[0].mysql.storage.retain: Assay cannot give the data directory of one server of MySQL to another: leave retain out"},
		"a server whose files are its own": {then: []change{notPortable}, want: field + ": Assay cannot give the data directory of one server of MySQL to another"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			first := kept(t)
			if tt.first != nil {
				tt.first(first)
			}
			got := newWorld(append([]change{again(first)}, tt.then...)...).decide(t)
			if state := words(got.State); !strings.HasPrefix(state, tt.want) {
				t.Errorf("%s\nwant %s", state, tt.want)
			}
		})
	}
}

// notPortable: no server can use the files of another one.
func notPortable(w *world) {
	find := w.in.Catalogue.Engine
	w.in.Catalogue.Engine = func(flavor string) (engine.Engine, bool) {
		e, ok := find(flavor)
		e.Portable = false
		return e, ok
	}
}

// claimed changes the volume.
func claimed(f func(*corev1.PersistentVolumeClaim)) change {
	return func(w *world) {
		f(w.objects[decision.Named[*corev1.PersistentVolumeClaim]("data-abcdefgh-first-db-db")].(*corev1.PersistentVolumeClaim))
	}
}

// writer is run w, which ended so.
func writer(uid types.UID, condition, reason string) change {
	return func(w *world) {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "w", UID: uid}}
		ending(condition, reason)(run)
		w.objects[decision.Named[*v1alpha1.BenchmarkRun]("w")] = run
	}
}

// ending of the first run.
func ending(condition, reason string) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		r.Status.Conditions = []metav1.Condition{{Type: condition, Status: metav1.ConditionTrue, Reason: reason}}
	}
}

// Who wrote into the volume and how the first run ended is pinned and said. The key of a data set holds only where nothing was written.
func TestWhatBecameOfAVolume(t *testing.T) {
	written := claimed(func(c *corev1.PersistentVolumeClaim) {
		c.Annotations[v1alpha1.AnnotationWrittenBy] = "w/v/2026-11-27T19:00:00Z"
	})
	onlyLoads := func(r *v1alpha1.BenchmarkRun) { r.Spec.Data = &v1alpha1.DataSet{Name: "x", Policy: v1alpha1.DataMake} }
	const later = ", and of others, the last of which was, when this run was accepted, run w (v) from 2026-11-27T19:00:00Z on,"
	const nobody = " and, when this run was accepted, of no run after it,"
	tests := map[string]struct {
		first                      func(*v1alpha1.BenchmarkRun)
		then                       []change
		outcome, writer, key, says string
	}{
		"measured on":               {outcome: "Complete", says: nobody},
		"only loaded":               {first: onlyLoads, outcome: "Complete", key: "key", says: nobody},
		"loaded, and written since": {first: onlyLoads, then: []change{written}, outcome: "Complete", writer: "run w (v) from 2026-11-27T19:00:00Z on", says: later},
		"written by a run that failed by its client": {then: []change{written, writer("v", v1alpha1.ConditionFailed, v1alpha1.ReasonToolFailed)},
			outcome: "Complete", writer: "run w (v) from 2026-11-27T19:00:00Z on", says: later},
		"written by another run of the name of one that broke": {then: []change{written, writer("x", v1alpha1.ConditionFailed, v1alpha1.ReasonTargetOOMKilled)},
			outcome: "Complete", writer: "run w (v) from 2026-11-27T19:00:00Z on", says: later},
		"failed by its client": {first: ending(v1alpha1.ConditionFailed, v1alpha1.ReasonToolFailed), outcome: "ToolFailed", says: "which ended ToolFailed)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			first := kept(t)
			if tt.first != nil {
				tt.first(first)
			}
			got := newWorld(append([]change{again(first)}, tt.then...)...).decide(t)
			if got.Status.Resolved == nil {
				t.Fatal(words(got.State))
			}
			if v := got.Status.Resolved.Targets[0].Retained; v.Outcome != tt.outcome || v.Writer != tt.writer || v.Key != tt.key {
				t.Errorf("%+v", v)
			}
			if !slices.ContainsFunc(got.Findings, func(f v1alpha1.Finding) bool {
				return f.Check == "data-existing" && strings.Contains(f.Message, tt.says)
			}) {
				t.Errorf("it says %+v, want %q", got.Findings, tt.says)
			}
		})
	}
}

// The image of the volume may be named by its digest, and what a workload writes stays where that is allowed.
func TestAVolumeIsMeasuredAgainOnAnotherName(t *testing.T) {
	w := newWorld(again(kept(t)), provided(func(m *v1alpha1.MySQLTarget) {
		m.Version, m.Image, m.Storage.FromRun.AllowWrites = "", "mirror.example/mysql@sha256:feed", true
	}), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Workload.Sysbench.Test = "oltp_read_write" }))
	if state := words(w.decide(t).State); !strings.HasPrefix(state, "done") {
		t.Error(state)
	}
}
