package permissions

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// play lets pods run in a namespace. The second trial fails.
func play(t *testing.T, namespace string) {
	t.Helper()
	k := &kubelet.Kubelet{API: server.API, Namespace: namespace, Client: func(trial contract.Trial) *contract.Result {
		res := &contract.Result{
			Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
			Tool: contract.Tool{Name: "sysbench"}, Data: &contract.Data{},
			Measurements: []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Value: new(1.0)}},
		}
		if trial.Ref.Index != nil && *trial.Ref.Index == 1 {
			res.State, res.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonToolFailed, Message: "it is to fail"}
		}
		return res
	}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); k.Run(ctx, t) }()
	t.Cleanup(func() { cancel(); <-ended })
}

// createWhole makes a run for which the manager marks the run, scales databases down
// and up, extends its journal, points its Role at one trial after the other, and
// looks for a log and for other pods on the nodes.
func createWhole(t *testing.T, namespace string) {
	t.Helper()
	u := &unstructured.Unstructured{}
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: whole, namespace: %s}, spec: {
		exclusive: false, targets: [
			{name: a, shape: %[2]s, mysql: {flavor: MySQL, version: '8.4', storage: {retain: true}}},
			{name: b, shape: %[2]s, mysql: {flavor: MySQL, version: '8.4', storage: {snapshot: {name: tables}}}}],
		clients: {shape: %[2]s, count: 2}, workload: {sysbench: {test: oltp_read_only}},
		design: {blocks: 2, warmup: 0s, duration: 1s, order: ABBA, idleTargets: Stopped, onTrialFailure: Continue}}}`, namespace, shape)
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, u)
}

// createAgain makes a run on the volume that the whole one has retained.
func createAgain(t *testing.T, namespace string) outcome {
	t.Helper()
	u := &unstructured.Unstructured{}
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: again, namespace: %s}, spec: {
		exclusive: false, targets: [{name: a, shape: %[2]s, mysql: {flavor: MySQL, version: '8.4', storage: {fromRun: {name: whole}}}}],
		clients: {shape: %[2]s, count: 2}, workload: {sysbench: {test: oltp_read_only}}, design: {blocks: 1, warmup: 0s, duration: 1s}}}`, namespace, shape)
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, u)
	return outcome{"the volume is measured on again", func(ctx context.Context) bool {
		run := &v1alpha1.BenchmarkRun{}
		return server.API.Get(ctx, client.ObjectKeyFromObject(u), run) == nil && apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete)
	}}
}

// createCopy makes a run on a volume that is made of the VolumeSnapshot which the whole one has made.
func createCopy(t *testing.T, namespace string) outcome {
	t.Helper()
	u := &unstructured.Unstructured{}
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: copy, namespace: %s}, spec: {
		exclusive: false, targets: [{name: a, shape: %[2]s, mysql: {flavor: MySQL, version: '8.4', storage: {fromSnapshot: {name: tables}}}}],
		clients: {shape: %[2]s, count: 2}, workload: {sysbench: {test: oltp_read_write}}, design: {blocks: 1, warmup: 0s, duration: 1s}}}`, namespace, shape)
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, u)
	return outcome{"a VolumeSnapshot is made and taken", func(ctx context.Context) bool {
		run := &v1alpha1.BenchmarkRun{}
		if server.API.Get(ctx, client.ObjectKeyFromObject(u), run) != nil || !apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
			return false
		}
		if s := run.ResolvedTarget("a").Snapshot; s == nil || s.RunName != "whole" || s.Handle == "" {
			t.Errorf("it measured on %+v", s)
		}
		return true
	}}
}

// wholeOutcome: the run ends with its results, and nothing in it was left out for
// want of a permission.
func wholeOutcome(t *testing.T, namespace string) outcome {
	return outcome{"the whole run is complete, and its report is stored", func(ctx context.Context) bool {
		run := &v1alpha1.BenchmarkRun{}
		if err := server.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "whole"}, run); err != nil {
			t.Fatal(err)
		}
		if !apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
			return false
		}
		want := v1alpha1.Totals{Done: 4, Succeeded: 3, Failed: 1}
		if run.Status.Progress.Totals != want {
			t.Errorf("totals %+v, want %+v", run.Status.Progress.Totals, want)
		}
		// No kubelet answers for the log; but the API server has to let the manager ask.
		cm := &corev1.ConfigMap{}
		key := client.ObjectKey{Namespace: namespace, Name: contract.ResultName(contract.TrialName("whole", 1, 0), 0)}
		if err := server.API.Get(ctx, key, cm); err != nil {
			t.Fatal(err)
		}
		if log := cm.Data[contract.KeyLog]; log == "" || strings.Contains(log, "forbidden") || strings.Contains(log, "cannot get") {
			t.Errorf("the log of the trial that failed: %q", log)
		}
		return run.Status.Report != nil && run.Status.Report.Reason == v1alpha1.ReasonSucceeded
	}}
}
