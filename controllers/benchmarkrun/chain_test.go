package benchmarkrun

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// comparedNow is what somebody finds who compares a run with its chain.
func comparedNow(t *testing.T, run *v1alpha1.BenchmarkRun) integrity.Report {
	t.Helper()
	report, err := integrity.Run(run, func(name string) (*corev1.ConfigMap, error) {
		cm := &corev1.ConfigMap{}
		err := server.API.Get(context.Background(), client.ObjectKey{Namespace: run.Namespace, Name: name}, cm)
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return cm, err
	}, integrity.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// checkChain: nothing that a manager did on its way is taken for tampering.
func checkChain(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	report := comparedNow(t, run)
	if !report.Chained || slices.ContainsFunc(report.Findings, func(f integrity.Finding) bool { return f.Kind == integrity.Tampered }) {
		t.Errorf("the chain of the run: %+v", report)
	}
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); c == nil || c.Reason == v1alpha1.ReasonTampered {
		t.Errorf("the run is called tampered: %+v", c)
	}
}

// edit a ConfigMap of the namespace, as somebody with the rights to do so.
func edit(t *testing.T, ns, name string, change func(*corev1.ConfigMap)) {
	cm := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, cm); err != nil {
		t.Errorf("reading %s: %v", name, err)
		return
	}
	change(cm)
	if err := server.API.Update(t.Context(), cm); err != nil {
		t.Errorf("changing %s: %v", name, err)
	}
}

func flip(key string) func(*corev1.ConfigMap) {
	return func(cm *corev1.ConfigMap) { cm.BinaryData[key][len(cm.BinaryData[key])/2] ^= 1 }
}

// What somebody does while the last of three trials is measured.
func TestTamperingWhileARunGoesOn(t *testing.T) {
	t.Parallel()
	recordsName, resultName := contract.RecordsName("run", 0), contract.ResultName(contract.TrialName("run", 0, 0), 0)
	tests := map[string]struct {
		does func(t *testing.T, ns string, older *corev1.ConfigMap)
		// failed, valid and finding of the run at its end: a reason, "status reason", and a check.
		failed, valid, finding string
		object                 string
	}{
		"nothing": {func(*testing.T, string, *corev1.ConfigMap) {}, "", "True Succeeded", "", ""},
		"a result is changed": {
			func(t *testing.T, ns string, _ *corev1.ConfigMap) { edit(t, ns, resultName, flip(contract.KeyResult)) },
			"", "False Tampered", "", resultName,
		},
		"raw output is changed": {
			func(t *testing.T, ns string, _ *corev1.ConfigMap) { edit(t, ns, resultName, flip(contract.KeyRaw)) },
			"", "False Tampered", "", resultName,
		},
		"the result of loading is changed": {
			func(t *testing.T, ns string, _ *corev1.ConfigMap) {
				edit(t, ns, "run-db-load-result-0", flip(contract.KeyRaw))
			},
			"", "False Tampered", "", "run-db-load-result-0",
		},
		"a result is deleted": {
			func(t *testing.T, ns string, _ *corev1.ConfigMap) {
				cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: resultName}}
				if err := server.API.Delete(t.Context(), cm); err != nil {
					t.Error(err)
				}
			},
			"", "True Succeeded", "evidence-lost", resultName,
		},
		"the records are changed": {
			func(t *testing.T, ns string, _ *corev1.ConfigMap) {
				edit(t, ns, recordsName, flip(contract.KeyRecords))
			},
			"Tampered", "False Tampered", "", recordsName,
		},
		"older records come back": {
			func(t *testing.T, ns string, older *corev1.ConfigMap) {
				edit(t, ns, recordsName, func(cm *corev1.ConfigMap) { cm.BinaryData = older.BinaryData })
			},
			"Tampered", "False Tampered", "", recordsName,
		},
		"the anchor is removed": {
			func(t *testing.T, ns string, _ *corev1.ConfigMap) {
				run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "run"}}
				err := server.API.Status().Patch(t.Context(), run, client.RawPatch("application/merge-patch+json", []byte(`{"status":{"integrity":null}}`)))
				if err != nil {
					t.Error(err)
				}
			},
			"", "True Succeeded", "chain-anchored-again", "status.integrity",
		},
		"the head in the status is changed": {
			func(t *testing.T, ns string, _ *corev1.ConfigMap) {
				run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "run"}}
				err := server.API.Status().Patch(t.Context(), run, client.RawPatch("application/merge-patch+json", []byte(`{"status":{"integrity":{"head":"f00"}}}`)))
				if err != nil {
					t.Error(err)
				}
			},
			"Tampered", "False Tampered", "", recordsName,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			older := &corev1.ConfigMap{}
			good := delivers(always(9))
			k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
				switch {
				case isTrial(trial, 1):
					if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: recordsName}, older); err != nil {
						t.Error(err)
					}
				case isTrial(trial, 2):
					tt.does(t, ns, older)
				}
				return good(trial)
			}})
			run := newRun(t, ns)
			create(t, run)
			got := await(t, run, "at its end", func(r *v1alpha1.BenchmarkRun) bool { return r.Finished() })
			valid := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionValid)
			failed := ""
			if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed); c.Status == metav1.ConditionTrue {
				failed = c.Reason
			}
			if diff := cmp.Diff([]string{tt.failed, tt.valid}, []string{failed, string(valid.Status) + " " + valid.Reason}); diff != "" {
				t.Errorf("failed and valid (-want +got):\n%s%s; %s", diff, valid.Message, message(got))
			}
			said := valid.Message
			for _, f := range got.Status.Findings {
				said += " " + f.Check + ": " + f.Message
			}
			if !strings.Contains(said, tt.object) || !strings.Contains(said, tt.finding) {
				t.Errorf("the run does not say what became of %q (%q): %s", tt.object, tt.finding, said)
			}
			for job, n := range k.ToolStarts() {
				if n != 1 {
					t.Errorf("the tool of %s was started %d times", job, n)
				}
			}
		})
	}
}

// After the end, whoever compares finds it; the run itself is not looked at any more.
func TestTamperingAfterTheEnd(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(9))})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	result := contract.ResultName(contract.TrialName("run", 1, 0), 0)
	edit(t, ns, result, flip(contract.KeyResult))
	report := comparedNow(t, got)
	if len(report.Findings) != 1 || report.Findings[0].Kind != integrity.Tampered || report.Findings[0].Object != result {
		t.Errorf("findings %+v", report.Findings)
	}
}
