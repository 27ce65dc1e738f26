// Package cluster is what the suites in a real cluster share: clients of its API server, runs that
// are created and waited for, and the results that they left.
package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/validity"
)

var (
	// API reads, writes and watches objects of the cluster.
	API client.WithWatch
	// Clientset is for what API cannot do: logs of pods.
	Clientset *kubernetes.Clientset
)

// Main runs the tests of a package against the cluster of KUBECONFIG, for TestMain.
func Main(m *testing.M) int {
	if err := connect(); err != nil {
		fmt.Fprintln(os.Stderr, "these tests need a cluster (make e2e):", err)
		return 1
	}
	return m.Run()
}

func connect() error {
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	cfg.QPS, cfg.Burst = 200, 400
	scheme := runtime.NewScheme()
	add := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme,
		rbacv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme)
	if err := add.AddToScheme(scheme); err != nil {
		return err
	}
	if Clientset, err = kubernetes.NewForConfig(cfg); err != nil {
		return err
	}
	API, err = client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	return err
}

// Namespace has the strictest Pod Security Standard.
func Namespace(t testing.TB) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "assay-e2e-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := API.Create(t.Context(), ns); err != nil {
		t.Fatalf("creating a namespace: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() && os.Getenv("ASSAY_E2E_KEEP") != "" {
			return
		}
		if err := API.Delete(context.Background(), ns); err != nil {
			t.Errorf("deleting the namespace: %v", err)
		}
	})
	return ns.Name
}

// Apply creates a run from YAML.
func Apply(t testing.TB, namespace, text string) *v1alpha1.BenchmarkRun {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict([]byte(text), run); err != nil {
		t.Fatalf("the run is no YAML: %v", err)
	}
	run.Namespace = namespace
	if err := API.Create(t.Context(), run); err != nil {
		t.Fatalf("creating the run: %v", err)
	}
	return run
}

// AwaitRun reads the run until it has ended.
func AwaitRun(t testing.TB, run *v1alpha1.BenchmarkRun, limit time.Duration) *v1alpha1.BenchmarkRun {
	t.Helper()
	return AwaitState(t, run, limit, "ended", func(r *v1alpha1.BenchmarkRun) bool {
		return Condition(r, v1alpha1.ConditionComplete) != nil || Condition(r, v1alpha1.ConditionFailed) != nil
	})
}

// AwaitState reads the run until a condition holds; what names it in the message of a failure.
func AwaitState(t testing.TB, run *v1alpha1.BenchmarkRun, limit time.Duration, what string, holds func(*v1alpha1.BenchmarkRun) bool) *v1alpha1.BenchmarkRun {
	t.Helper()
	got := &v1alpha1.BenchmarkRun{}
	last := ""
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if err := API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Logf("reading the run: %v", err)
			continue
		}
		if line := string(got.Status.Phase) + " " + got.Status.Progress.Text + " " + Message(got, v1alpha1.ConditionReconciling); line != last {
			t.Log(line)
			last = line
		}
		if holds(got) {
			return got
		}
	}
	status, _ := json.MarshalIndent(got.Status, "", "  ")
	t.Fatalf("the run had not %s within %s:\n%s", what, limit, status)
	return nil
}

// Condition is a condition that is True; nil otherwise.
func Condition(r *v1alpha1.BenchmarkRun, kind string) *metav1.Condition {
	c := apimeta.FindStatusCondition(r.Status.Conditions, kind)
	if c == nil || c.Status != metav1.ConditionTrue {
		return nil
	}
	return c
}

// Message of a condition, whatever its status.
func Message(r *v1alpha1.BenchmarkRun, kind string) string {
	if c := apimeta.FindStatusCondition(r.Status.Conditions, kind); c != nil {
		return c.Message
	}
	return ""
}

// Complete fails the test unless the run is complete and valid. Where the machine of the tests
// was busy with something else, trials are disturbed, and that is said rightly.
func Complete(t testing.TB, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	disturbed := false
	for _, f := range run.Status.Findings {
		disturbed = disturbed || f.Severity == string(validity.Disturbed)
		if f.Severity == string(validity.Invalid) || f.Severity == string(validity.Disturbed) && !mayBeTheMachine(f.Check) {
			t.Fatalf("not valid: %s: %s", f.Check, f.Message)
		}
	}
	c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid)
	unusable := disturbed && c != nil && c.Reason == v1alpha1.ReasonNoUsableTrial
	if unusable {
		t.Logf("the machine was busy with something else: %s", c.Message)
	}
	if Condition(run, v1alpha1.ConditionComplete) == nil || Condition(run, v1alpha1.ConditionValid) == nil && !unusable {
		status, _ := json.MarshalIndent(run.Status, "", "  ")
		t.Fatalf("not complete and valid:\n%s", status)
	}
}

// ByTheMachine reports whether the finding is about others on the machine of the tests.
func ByTheMachine(check string) bool {
	return slices.Contains([]string{"neighbours", "steal", "node-memory-pressure"}, check)
}

// mayBeTheMachine reports whether others on the machine of the tests explain a finding. All nodes
// share its kernel, which sends segments again when it has no time for them.
func mayBeTheMachine(check string) bool {
	return ByTheMachine(check) || check == "network-stall" || check == "agent-stall"
}

// Records reads the journal of a run.
func Records(t testing.TB, run *v1alpha1.BenchmarkRun) []contract.Record {
	t.Helper()
	if run.Status.Results == nil {
		t.Fatal("the run has no journal")
	}
	var out []contract.Record
	for part := range run.Status.Results.RecordConfigMapCount {
		cm := &corev1.ConfigMap{}
		if err := API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: contract.RecordsName(run.Name, part)}, cm); err != nil {
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

// DeadTimes are the times between the measured windows, without the warm-up and the
// resets, in seconds.
func DeadTimes(all []contract.Record, warmup time.Duration) []float64 {
	var out []float64
	for i := 1; i < len(all); i++ {
		gap := all[i].WindowStartTime.Sub(*all[i-1].WindowEndTime) - warmup
		out = append(out, gap.Seconds())
	}
	return out
}

// Stored reads the result of one client of a trial.
func Stored(t testing.TB, ns, job string, index int) contract.Result {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.ResultName(job, index)}, cm); err != nil {
		t.Fatal(err)
	}
	res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
	if err != nil {
		t.Fatal(err)
	}
	return res
}
