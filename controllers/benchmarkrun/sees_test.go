package benchmarkrun

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/test/helpers/changes"

	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func eventually(t *testing.T, what string, diff func() string) {
	t.Helper()
	var d string
	for deadline := time.Now().Add(hang.Limit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if d = diff(); d == "" {
			return
		}
	}
	t.Errorf("not so: %s (-want +got):\n%s", what, d)
}

// readResult decodes a stored result.
func readResult(t *testing.T, namespace, name string) (*corev1.ConfigMap, contract.Result) {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, cm); err != nil {
		t.Fatal(err)
	}
	res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return cm, res
}

// await reads the run until the condition holds, for a minute from the last trial that
// ended.
func await(t *testing.T, run *v1alpha1.BenchmarkRun, what string, holds func(*v1alpha1.BenchmarkRun) bool) *v1alpha1.BenchmarkRun {
	t.Helper()
	deadline := time.Now().Add(hang.Limit)
	got, done := &v1alpha1.BenchmarkRun{}, int32(0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changed := changes.Of(ctx, server.API, run.Namespace, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	for time.Now().Before(deadline) {
		if d := got.Status.Progress.Done; d > done {
			done, deadline = d, time.Now().Add(60*time.Second)
		}
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil && !apierrors.IsNotFound(err) {
			t.Fatalf("reading the run: %v", err)
		}
		if holds(got) {
			return got
		}
		select {
		case <-changed:
		case <-time.After(100 * time.Millisecond): // what else a condition looks at may have changed
		}
	}
	status, _ := json.MarshalIndent(got.Status, "", "  ")
	t.Fatalf("the run never was %s; its status:\n%s", what, status)
	return nil
}

func isTrue(condition string) func(*v1alpha1.BenchmarkRun) bool {
	return func(r *v1alpha1.BenchmarkRun) bool {
		return apimeta.IsStatusConditionTrue(r.Status.Conditions, condition)
	}
}

// failedWith checks the reason of a run that failed.
func failedWith(t *testing.T, run *v1alpha1.BenchmarkRun, reason string) *v1alpha1.BenchmarkRun {
	t.Helper()
	got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed); c.Reason != reason {
		t.Errorf("the run failed with %s (%s), want %s", c.Reason, c.Message, reason)
	}
	return got
}

// records reads what the journal of a run says.
func records(t *testing.T, run *v1alpha1.BenchmarkRun) []contract.Record {
	t.Helper()
	var out []contract.Record
	if run.Status.Results == nil {
		return nil
	}
	for part := range run.Status.Results.RecordConfigMapCount {
		cm := &corev1.ConfigMap{}
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: contract.RecordsName(run.Name, part)}, cm); err != nil {
			t.Fatal(err)
		}
		r, err := journal.DecodeRecords(cm.BinaryData[contract.KeyRecords])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.Records...)
	}
	return out
}

// checkOnce is the invariant of every test: each trial ran its tool once, and
// stands in the journal once, in order.
func checkOnce(t *testing.T, k *kubelet.Kubelet, run *v1alpha1.BenchmarkRun, trials int) {
	t.Helper()
	var indexes []int
	for _, tr := range records(t, run) {
		indexes = append(indexes, int(tr.Index))
	}
	var want []int
	for i := range trials {
		want = append(want, i)
	}
	if !slices.Equal(indexes, want) {
		t.Errorf("the journal lists the trials %v, want %v", indexes, want)
	}
	if p := run.Status.Progress; int(p.Done) != trials || int(p.Planned) != trials {
		t.Errorf("the status counts %d trials done of %d, want %d", p.Done, p.Planned, trials)
	}
	checkChain(t, run)
	for job, n := range k.ToolStarts() {
		if n != 1 {
			t.Errorf("the tool of %s was started %d times", job, n)
		}
	}
	for job, n := range k.Jobs() {
		if n != 1 {
			t.Errorf("Job %s was created %d times", job, n)
		}
	}
	if got := len(k.ToolStarts()); got < trials {
		t.Errorf("the tool was started for %d Jobs only, want at least %s", got, strconv.Itoa(trials))
	}
}

// children lists the names of everything that a run made, by kind.
func children(t *testing.T, namespace string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for kind, list := range map[string]client.ObjectList{
		"StatefulSet": &appsv1.StatefulSetList{}, "Job": &batchv1.JobList{}, "Service": &corev1.ServiceList{},
		"Secret": &corev1.SecretList{}, "ConfigMap": &corev1.ConfigMapList{},
	} {
		if err := server.API.List(t.Context(), list, client.InNamespace(namespace), client.HasLabels{v1alpha1.LabelRun}); err != nil {
			t.Fatal(err)
		}
		err := apimeta.EachListItem(list, func(o runtime.Object) error {
			out[kind] = append(out[kind], o.(client.Object).GetName())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
