package benchmarkrun

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// Records of somebody else end the run, and its nodes are free again.
func TestForeignRecordsEndTheRun(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(5))})
	makeConfigMap(t, ns, contract.RecordsName("run", 0), map[string]string{"mine": "yes"})
	run := newRun(t, ns)
	create(t, run)
	got := failedWith(t, run, v1alpha1.ReasonChildConflict)
	if m := message(got); !strings.Contains(m, "run-records-0000") {
		t.Errorf("the message does not name the ConfigMap: %s", m)
	}
}

// A summary of somebody else keeps a run from being complete: the status says so, and
// nothing is lost when the user deletes it.
func TestForeignSummaryIsNamed(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(5))})
	makeConfigMap(t, ns, contract.SummaryName("run", 0), map[string]string{"mine": "yes"})
	run := newRun(t, ns)
	create(t, run)
	await(t, run, "waiting for the name of its summary", func(r *v1alpha1.BenchmarkRun) bool {
		c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionReconciling)
		return c != nil && c.Reason == v1alpha1.ReasonChildConflict && strings.Contains(c.Message, "run-summary-0000")
	})
	if err := server.API.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: contract.SummaryName("run", 0)}}); err != nil {
		t.Fatal(err)
	}
	checkOnce(t, k, await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete)), 3)
}

// placedWorld is that of a run which has its nodes and was accepted.
func placedWorld(t *testing.T, known decision.Known) World {
	t.Helper()
	run := newRun(t, "ns", func(r *v1alpha1.BenchmarkRun) { r.UID = uuid.NewUUID() })
	run.Spec.SetDefaults()
	run.Spec.Workload.Sysbench.Percentile = 95
	run.Spec.Targets[0].MySQL.StorageEngine = "InnoDB"
	run.Spec.Design.Order, run.Spec.Design.DataReset = v1alpha1.OrderSequential, v1alpha1.ResetPerRun
	in := accept.Input{Run: run, Now: time.Now(), Catalogue: experiment.Catalogue{Tool: runners.Find, Engine: engines.Find, Config: testConfig()}}
	w := World{Input: in, Known: known}
	var res accept.Result
	for {
		ask := known.Ask()
		res = accept.Decide(in, ask)
		if ask.Complete() {
			break
		}
		for _, q := range ask.Missing() {
			room := decision.Usage{Limit: 1 << 40}
			known = known.With(q, decision.Admission{Namespace: room, Cluster: room})
		}
	}
	if !decision.IsDone(res.State) {
		t.Fatalf("not accepted: %+v", res.State)
	}
	w.Planned = res.Planned
	st := &run.Status
	st.Resolved, st.AcceptedTime, st.SpecHash, st.Plan = res.Status.Resolved, res.Status.AcceptedTime, res.Status.SpecHash, res.Status.Plan
	st.Placement, st.StartTime = &v1alpha1.Placement{}, &metav1.Time{Time: w.Now}
	return w
}

// recordsFact is a ConfigMap of a run with what encode gives.
func recordsFact(run *v1alpha1.BenchmarkRun, known decision.Known, part int32, data []byte) decision.Known {
	name := contract.RecordsName(run.Name, part)
	return known.With(decision.GetRecords{Name: name}, decision.PartIn(resources.Journal(run, name, contract.KeyRecords, data)))
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A journal of a newer manager is waited for, also by a run that is overdue.
func TestNewerJournalOutlastsTheDeadline(t *testing.T) {
	w := placedWorld(t, decision.Known{})
	w.Known = recordsFact(w.Run, w.Known, 0, zipped(t, `{"version":"assay.dev/journal/v1","minReader":99}`))
	w.Now = w.Now.Add(24 * time.Hour)
	p := decide(w)
	if len(p.missing) > 0 {
		t.Fatalf("asks for %v", p.missing)
	}
	for _, c := range p.steps {
		if wait, waits := c.state.(decision.Waiting); !waits || wait.Reason != v1alpha1.ReasonJournalTooNew || c.ends {
			t.Errorf("%s: %+v, want a wait for a newer manager", c.condition, c.state)
		}
	}
}

// A run of which an earlier part of the records is gone is not complete.
func TestEarlierRecordsLostFailTheRun(t *testing.T) {
	w := placedWorld(t, decision.Known{})
	last := journal.Records{Part: 1, Before: contract.Totals{Done: 2, Succeeded: 2}}.Add(contract.Record{Index: 2, Final: true, State: contract.Succeeded, Target: "db"})
	data, err := last.Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.Run.Status.Results = &v1alpha1.ResultsStatus{RecordConfigMapCount: 2}
	w.Run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", LoadResult: "x"}}
	w.Known = recordsFact(w.Run, w.Known, 1, data).With(decision.GetRecords{Name: contract.RecordsName("run", 0), Compact: true}, decision.Absent{}).
		With(decision.GetStored{Name: contract.PlanName("run", 0)}, integrity.Stored{Exists: true, Digests: map[string]string{contract.KeyPlan: w.Planned.Chain}})
	v := viewOf(w)
	a := concluded(v, decision.Failed{})
	if !v.ask.Complete() {
		t.Fatalf("asks for %v", v.ask.Missing())
	}
	st := status(w, []decidedStep{{step{condition: concluding}, a, true}})
	if failed := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionFailed); failed == nil || failed.Reason != v1alpha1.ReasonJournalLost {
		t.Errorf("the run ends with %+v, want JournalLost", failed)
	}
}

// All ConfigMaps that a spec names are in memory together while it is accepted: they are bounded.
func TestConfigMapsOfASpecAreBounded(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	run := newRun(t, ns)
	for i := range 16 {
		name := fmt.Sprint("settings-", i)
		makeConfigMap(t, ns, name, map[string]string{"note": strings.Repeat("x", 1<<20-100)})
		run.Spec.Targets[0].MySQL.ConfigFrom = append(run.Spec.Targets[0].MySQL.ConfigFrom, corev1.LocalObjectReference{Name: name})
	}
	create(t, run)
	if m := message(failedWith(t, run, v1alpha1.ReasonSettingInvalid)); !strings.Contains(m, "settings-0") {
		t.Errorf("the message does not say where: %s", m)
	}
}
