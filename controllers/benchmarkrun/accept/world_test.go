package accept

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/sysbench"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// world is the input of a test, with the objects that exist.
type world struct {
	in      Input
	objects map[decision.Query]any
	// asked are the names that the room asked for, and lookedUp all of its questions.
	asked    []string
	lookedUp []decision.Query
	// bounds of the namespace.
	bounds decision.Bounds
	// nodes of the cluster.
	nodes []corev1.Node
	// others are what other runs hold of the budgets; admitted is what this one asked for.
	others   decision.Admission
	admitted decision.AdmitBytes
}

// change of a world: a state that it is in, or something that happened in it.
type change func(*world)

// newWorld has a run of sysbench on one server with shapes inline, which nobody looked at yet.
func newWorld(changes ...change) *world {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "0123456789"}}
	shape := &v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi")}
	run.Spec = v1alpha1.BenchmarkRunSpec{
		Targets: []v1alpha1.Target{{Name: "db", Shape: &v1alpha1.ShapeRef{Inline: shape}, MySQL: &v1alpha1.MySQLTarget{
			Flavor: "MySQL", Version: "8.4", StorageEngine: "InnoDB", Sizing: v1alpha1.SizingServer,
		}}},
		Clients:  v1alpha1.Clients{Shape: &v1alpha1.ShapeRef{Inline: shape}},
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 4, Tables: 1, TableSize: 100, Percentile: 95}},
		Design: v1alpha1.Design{
			Blocks: 2, Order: v1alpha1.OrderSequential, DataReset: v1alpha1.ResetPerRun, Warmup: &metav1.Duration{}, Duration: &metav1.Duration{Duration: time.Minute},
		},
		Deadline: metav1.Duration{Duration: time.Hour},
	}
	w := &world{in: Input{Run: run, Now: now, Catalogue: catalogue(sysbench.Runner())}, objects: map[decision.Query]any{}}
	w.others.Namespace.Limit, w.others.Cluster.Limit = 1<<30, 1<<30
	for _, c := range changes {
		c(w)
	}
	return w
}

// decide as a pass does: with every fact that the room asks for.
func (w *world) decide(t *testing.T) Result {
	t.Helper()
	var known decision.Known
	for range 6 {
		ask := known.Ask()
		res := Decide(w.in, ask)
		if ask.Complete() {
			return res
		}
		w.lookedUp = append(w.lookedUp, ask.Missing()...)
		for _, q := range ask.Missing() {
			if stored, is := q.(decision.GetStored); is {
				cm, _ := w.objects[decision.Named[*corev1.ConfigMap](stored.Name)].(*corev1.ConfigMap)
				known = known.With(q, integrity.StoredIn(cm, w.in.Run))
				continue
			}
			if q == (decision.ListNodes{}) {
				known = known.With(q, w.nodes)
				continue
			}
			if q == (decision.ListBounds{}) {
				known = known.With(q, w.bounds)
				continue
			}
			switch q.(type) {
			case decision.ListBehind, decision.GetVolumeSnapshot, decision.GetMaker:
				if answer, exists := w.objects[q]; exists {
					known = known.With(q, answer)
				} else {
					known = known.With(q, decision.Absent{})
				}
				continue
			}
			if bytes, is := q.(decision.AdmitBytes); is {
				w.admitted = bytes
				known = known.With(q, w.others)
				continue
			}
			if _, is := q.(decision.GetNode); is {
				if answer, exists := w.objects[q]; exists {
					known = known.With(q, answer)
				} else {
					known = known.With(q, decision.Absent{})
				}
				continue
			}
			w.asked = append(w.asked, fmt.Sprintf("%s %s", q.(decision.GetObject).Type.Elem().Name(), q.(decision.GetObject).Name))
			if answer, exists := w.objects[q]; exists {
				known = known.With(q, answer)
			} else {
				known = known.With(q, decision.Absent{})
			}
		}
	}
	t.Fatal("the room goes on asking")
	return Result{}
}

// then is the world of the next pass: what the room decided was done, and stands in the status.
func (w *world) then(t *testing.T) {
	t.Helper()
	res := w.decide(t)
	w.asked = nil
	st := &w.in.Run.Status
	st.Resolved, st.AcceptedTime, st.SpecHash, st.Plan = res.Status.Resolved, res.Status.AcceptedTime, res.Status.SpecHash, res.Status.Plan
	st.Integrity = res.Status.Integrity
	for _, action := range res.Actions {
		switch a := action.(type) {
		case decision.Create:
			w.exists(a.Object.(*corev1.ConfigMap))
		case decision.MarkRun:
			metav1.SetMetaDataAnnotation(&w.in.Run.ObjectMeta, v1alpha1.AnnotationSpecHash, a.Hash)
		}
	}
}

func (w *world) exists(cm *corev1.ConfigMap) {
	w.objects[decision.Named[*corev1.ConfigMap](cm.Name)] = cm
}

// accepted: a pass has gone before.
func accepted(t *testing.T) change { return func(w *world) { w.then(t) } }

func spec(f func(*v1alpha1.BenchmarkRunSpec)) change {
	return func(w *world) { f(&w.in.Run.Spec) }
}

var suspended = spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Suspend = true })

// configMap of the user.
func configMap(name string, data map[string]string) change {
	return func(w *world) { w.exists(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}) }
}

// script lets the workload run a script of the user.
var script = spec(func(s *v1alpha1.BenchmarkRunSpec) {
	s.Workload.Sysbench = &v1alpha1.SysbenchWorkload{Threads: 4, Tables: 1, TableSize: 10000, Percentile: 95, Script: &v1alpha1.SysbenchScript{ConfigMap: v1alpha1.ConfigMapFiles{Name: "scripts"}, File: "my.lua"}}
})

// copied: an earlier pass made a copy of the inputs, and died.
func copied(data map[string]string, owner func(*corev1.ConfigMap)) change {
	return func(w *world) {
		cm := resources.Pinned(w.in.Run, contract.InputsName("run"), v1alpha1.RoleInputs, data, nil)
		owner(cm)
		w.exists(cm)
	}
}

// otherPlan: the plan that was written down is not the one that this version would make.
func otherPlan(t *testing.T, there bool) change {
	return func(w *world) {
		p := &plan.Plan{Seed: 7, Targets: []string{"db"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{}}}
		parts, err := journal.SplitPlan(p)
		if err != nil {
			t.Fatal(err)
		}
		w.in.Run.Status.Plan = &v1alpha1.PlanStatus{SHA256: p.SHA256(), ConfigMapCount: int32(len(parts))}
		name := contract.PlanName("run", 0)
		delete(w.objects, decision.Named[*corev1.ConfigMap](name))
		if there {
			w.exists(resources.Journal(w.in.Run, name, contract.KeyPlan, parts[0]))
		}
	}
}

// words of a state and of actions, to be compared.
func words(state decision.State) string {
	switch s := state.(type) {
	case decision.Waiting:
		return "wait " + s.Reason + ": " + s.Message
	case decision.Failed:
		return "fail " + s.Reason + ": " + s.Message
	case decision.Done:
		return "done: " + s.Message
	}
	return "nothing"
}

func actions(list []decision.Action) (out []string) {
	for _, action := range list {
		switch a := action.(type) {
		case decision.Create:
			out = append(out, "create "+a.Object.GetName())
		case decision.MarkRun:
			out = append(out, "mark")
		default:
			out = append(out, fmt.Sprintf("%#v", a))
		}
	}
	return out
}
