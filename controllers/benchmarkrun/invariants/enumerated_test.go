package invariants

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/test/helpers/evidence"
	"github.com/assay-bench/assay/test/helpers/reliability"
)

// death of a manager at one of its writes.
type death struct {
	// at is the number of the write, from 1; 0 for none.
	at int
	// answered: the API server does the write, and only its answer is lost.
	answered bool
}

func (d death) String() string {
	if d.answered {
		return fmt.Sprint("after write ", d.at)
	}
	return fmt.Sprint("before write ", d.at)
}

// fatal performs a write of a manager that dies at one of them.
func (m *manager) fatal(what string, do func() error) error {
	m.writes = append(m.writes, what)
	if len(m.writes) != m.dies.at {
		return do()
	}
	m.crashed = true
	if m.dies.answered {
		if err := do(); err != nil {
			return err
		}
	}
	return errCrash
}

var (
	// stride is the distance between the writes at which a manager dies; 1 takes minutes.
	stride = flag.Int("stride", 8, "a manager dies at every n-th write")
	// report is the folder for what was found.
	report = flag.String("chaos-report", "", "folder for the counts")
)

// runs whose managers die, of four trials each, or of as many as a run has until it stops.
var runs = map[string]func(*v1alpha1.BenchmarkRun){
	"external targets":                  func(*v1alpha1.BenchmarkRun) {},
	"a provided and an external target": func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0] = provided("a") },
	"tenants":                           func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0] = provided("a"); r.Spec.Tenants = 2 },
	"clients that stand":                func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0] = provided("a"); clientsStand(r) },
	"a client that looks at data":       looksAtData,
	"nodes that are requested":          requestsNodes,
	"targets that are stopped by turns": func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets = []v1alpha1.Target{provided("a"), provided("b")}
		r.Spec.Design.IdleTargets = v1alpha1.IdleStopped
	},
	"tenants in servers of their own, stopped by turns": func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets = []v1alpha1.Target{provided("a"), provided("b")}
		r.Spec.Targets[1].MySQL.Tenancy, r.Spec.Tenants = v1alpha1.TenancyServers, 2
		r.Spec.Design.IdleTargets = v1alpha1.IdleStopped
	},
	"targets that are stopped, and an early end": func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets = []v1alpha1.Target{provided("a"), provided("b")}
		r.Spec.Design.IdleTargets = v1alpha1.IdleStopped
		stopsEarly(r)
	},
}

// lastWrites of a run that stops early are those at which a manager dies: the trials before are like
// those of the other runs, and there are many of them.
const lastWrites = 40

// A manager dies before and after the writes of a whole run, each once. The run ends as the one whose manager never died.
// With -stride=1 it is every write.
func TestDeathAtEveryWrite(t *testing.T) {
	t.Parallel()
	var all tally
	t.Cleanup(func() {
		if err := all.row(t).Save(*report); err != nil {
			t.Error(err)
		}
	})
	first := 1
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		run := runs[name]
		begin := first // each run at other writes
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, writes := playDeaths(t, run, death{})
			if n := want.Totals.Succeeded; n != 4 && n != 2*interimBlocks || want.Totals.Retries != 1 || len(want.Left) > 0 || len(writes) < 50 {
				t.Fatalf("the run without a death: %+v; %d writes: %q", want, len(writes), writes)
			}
			if want.Totals.Succeeded > 4 {
				begin += len(writes) - lastWrites
			}
			for at := begin; at <= len(writes); at += *stride {
				for _, dies := range []death{{at, false}, {at, true}} {
					got, _ := playDeaths(t, run, dies)
					diff := cmp.Diff(want, got)
					if diff != "" {
						t.Errorf("dead %s (%s): the run ended otherwise (-undisturbed +got):\n%s", dies, writes[at-1], diff)
					}
					all.add(want.Totals, got.Totals, diff != "")
				}
			}
			t.Logf("%d writes", len(writes))
		})
		first = first%*stride + 1
	}
}

// tally of all runs.
type tally struct {
	mu sync.Mutex
	reliability.Row
}

func (t *tally) add(want, got v1alpha1.Totals, differs bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Injected++
	t.Runs++
	t.Trials += int(want.Done)
	t.Retries += int(got.Retries)
	t.Lost += max(0, int(want.Done-got.Done))
	if differs {
		t.Wrong++
	}
}

// row for the report. A run that hangs, or whose tool starts twice, fails its test, and counts by that.
func (t *tally) row(test *testing.T) reliability.Row {
	t.Name, t.Date, t.Commit = "enumerated", time.Now(), evidence.Commit()
	t.Reasons = map[string]int{string(contract.ReasonToolFailed): t.Retries}
	t.Note = fmt.Sprintf("every %d. write of nine runs, before and after it; one failing attempt is part of each run", *stride)
	if test.Failed() {
		t.Note += "; the test failed"
	}
	return t.Row
}

func provided(name string) v1alpha1.Target {
	shape := v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi")}
	return v1alpha1.Target{Name: name, Shape: &v1alpha1.ShapeRef{Inline: &shape}, MySQL: &v1alpha1.MySQLTarget{
		Flavor: "MariaDB", Version: "10.11", StorageEngine: "InnoDB", Sizing: v1alpha1.SizingServer, Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi")},
	}}
}

// outcome of a run, without its times.
type outcome struct {
	Complete, Valid, Failed string
	Totals                  v1alpha1.Totals
	Attempts                []string
	Medians                 []string
	// Left are the objects that nobody tore down.
	Left []string
}

// playDeaths plays a run whose first manager dies; the next one lives. It returns how the run ended, and the writes of the
// first manager.
func playDeaths(t *testing.T, change func(*v1alpha1.BenchmarkRun), dies death) (outcome, []string) {
	t.Helper()
	c := newCluster(t, 1)
	c.quiet = true
	// The first attempt at the second trial fails, and is repeated.
	c.bad = func(job string) bool { return job == contract.TrialName("run", 1, 0) }
	// There is one node for all.
	c.createRun(v1alpha1.OnFailureRetry, change, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Clients.Placement = v1alpha1.ClientPlacement{SeparateFromTargets: v1alpha1.SeparationNone}
	})
	first := c.start("first")
	first.dies = dies
	m := first
	for range 600 {
		if m.crashed {
			m = c.start("second")
		}
		if c.run().Finished() && len(c.remains()) == 0 {
			if dies.at > 0 && !first.crashed {
				t.Fatalf("dead %s: the manager had no such write", dies)
			}
			c.judgeEnd()
			return c.outcome(), first.writes
		}
		kubelet{c}.everybody()
		m.sync(true)
		m.reconcile()
	}
	run := c.run()
	t.Fatalf("dead %s: the run never ended: phase %s, %+v; the journal is at %+v", dies, run.Status.Phase, run.Status.Conditions, c.position())
	return outcome{}, nil
}

// remains are the objects that a finished run still occupies nodes with.
func (c *cluster) remains() []string {
	var out []string
	for _, job := range list(c, &batchv1.JobList{}).Items {
		out = append(out, "Job "+job.Name)
	}
	for _, set := range list(c, &appsv1.StatefulSetList{}).Items {
		out = append(out, "StatefulSet "+set.Name)
	}
	for _, pod := range list(c, &corev1.PodList{}).Items {
		out = append(out, "Pod "+pod.Name)
	}
	for _, template := range list(c, &corev1.PodTemplateList{}).Items {
		out = append(out, "PodTemplate "+template.Name)
	}
	for _, request := range requests(c) {
		out = append(out, "ProvisioningRequest "+request.GetName())
	}
	return out
}

func (c *cluster) outcome() outcome {
	run := c.run()
	condition := func(kind string) string {
		for _, c := range run.Status.Conditions {
			if c.Type == kind {
				return string(c.Status) + " " + c.Reason
			}
		}
		return "absent"
	}
	out := outcome{
		Complete: condition(v1alpha1.ConditionComplete), Valid: condition(v1alpha1.ConditionValid), Failed: condition(v1alpha1.ConditionFailed),
		Totals: run.Status.Progress.Totals, Left: c.remains(),
	}
	for _, rec := range c.records().Records {
		line := fmt.Sprintf("%d/%d %s %s", rec.Index, rec.Attempt, rec.State, rec.Reason)
		for _, v := range rec.Values {
			line += fmt.Sprintf(" %s=%g", v.Name, v.Value)
		}
		out.Attempts = append(out.Attempts, line)
	}
	for _, e := range run.Status.Summary {
		out.Medians = append(out.Medians, fmt.Sprintf("cell %d, %s, %s: %s of %d", e.Cell, e.Target, e.Name, e.Median, e.TrialCount))
	}
	return out
}

// serve brings the pod of each StatefulSet up, or takes it away.
func (c kubelet) serve() {
	for _, set := range list(c.cluster, &appsv1.StatefulSetList{}).Items {
		pod := &corev1.Pod{}
		err := c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: set.Name + "-0"}, pod)
		if client.IgnoreNotFound(err) != nil {
			c.t.Fatal(err)
		}
		wanted := set.Spec.Replicas == nil || *set.Spec.Replicas > 0
		switch {
		case err == nil && !wanted:
			c.delete(pod)
		case err != nil && wanted:
			c.must(c.api.Create(context.Background(), serverPod(c.cluster, &set)))
		}
	}
}

func serverPod(c *cluster, set *appsv1.StatefulSet) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: set.Name + "-0", UID: c.uid(), Labels: set.Spec.Template.Labels, CreationTimestamp: metav1.Time{Time: c.now},
			Annotations:     set.Spec.Template.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))},
		},
		Spec: corev1.PodSpec{NodeName: "node"},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: c.now}}},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: resources.ServerContainer, Ready: true, ImageID: "mariadb@sha256:feed",
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
			}},
		},
	}
}
