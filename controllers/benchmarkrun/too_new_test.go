package benchmarkrun

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// withReader says in the records of a run that a manager of at least this reader may go on
// with them. The returned function puts back what was stored.
func withReader(t *testing.T, namespace string, reader int) (restore func()) {
	t.Helper()
	write := func(data []byte) {
		cm := &corev1.ConfigMap{}
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: contract.RecordsName("run", 0)}, cm); err != nil {
			t.Fatal(err)
		}
		cm.BinaryData[contract.KeyRecords] = data
		if err := server.API.Update(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
	}
	cm := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: contract.RecordsName("run", 0)}, cm); err != nil {
		t.Fatal(err)
	}
	before := cm.BinaryData[contract.KeyRecords]
	packed, err := gzip.NewReader(bytes.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]any{}
	if err := json.NewDecoder(packed).Decode(&part); err != nil {
		t.Fatal(err)
	}
	part["minReader"] = reader
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if err := json.NewEncoder(w).Encode(part); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(out.Bytes())
	return func() { write(before) }
}

// A manager that is too old for the journal waits, also beyond the deadline: whoever ends the
// run has to read what was measured. Then the run ends with its summary.
func TestManagerThatIsTooOldWaits(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	held, open := gatedClient(t, delivers(always(9)))
	good := delivers(always(9))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 1) {
			return held(trial)
		}
		return good(trial)
	}})
	run := newRun(t, ns)
	create(t, run)
	await(t, run, "in its second trial", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Progress.CurrentTrial != nil && *r.Status.Progress.CurrentTrial == 1
	})
	restore := withReader(t, ns, contract.JournalReader+1)
	got := await(t, run, "waiting for a newer manager", func(r *v1alpha1.BenchmarkRun) bool {
		c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionReconciling)
		return c != nil && c.Reason == v1alpha1.ReasonJournalTooNew
	})
	for {
		got.Status.StartTime.Time = got.Status.StartTime.Add(-2 * time.Hour)
		if server.API.Status().Update(t.Context(), got) == nil {
			break
		}
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(poll + time.Second)
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
		t.Fatal(err)
	}
	if got.Finished() {
		t.Fatalf("a manager that cannot read the journal ended the run: %s", message(got))
	}
	restore()
	got = failedWith(t, run, v1alpha1.ReasonDeadlineExceeded)
	open()
	if len(got.Status.Summary) == 0 || got.Status.Summary[0].TrialCount != 1 {
		t.Errorf("what was measured before is lost: %+v", got.Status.Summary)
	}
}
