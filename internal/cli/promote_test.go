package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/test/helpers/finished"
)

func promote(t *testing.T, p promotion, objects []client.Object) (*v1alpha1.BenchmarkBaseline, string, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	var out, problems bytes.Buffer
	err := p.run(t.Context(), promoting{from: stored.InCluster(api, client.ObjectKey{Namespace: "ns", Name: "x"}), now: time.Date(2026, 11, 1, 12, 0, 0, 5, time.UTC)}, streams{&out, &problems})
	b := &v1alpha1.BenchmarkBaseline{}
	if err := yaml.UnmarshalStrict(out.Bytes(), b); err != nil {
		t.Fatal(err)
	}
	return b, out.String(), err
}

func valid(run *v1alpha1.BenchmarkRun) {
	run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionValid, Status: metav1.ConditionTrue})
}

// gated is a run that has a gate with this end.
func gated(status metav1.ConditionStatus, reason string) func(*v1alpha1.BenchmarkRun) {
	return func(run *v1alpha1.BenchmarkRun) {
		valid(run)
		run.Spec.Gate = &v1alpha1.Gate{Baseline: "release"}
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionPassed, Status: status, Reason: reason, Message: "words"})
	}
}

// A run becomes a manifest, and the next promotion keeps its history and its tolerances.
func TestPromote(t *testing.T) {
	first, text, err := promote(t, promotion{reason: "release 1", author: "ada"}, measuredRun(t, "x", 1.5, valid))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, "apiVersion: assay.dev/v1alpha1\nkind: BenchmarkBaseline\nmetadata:\n  name: x\n  namespace: ns\nspec:\n") || strings.Contains(text, "status:") {
		t.Errorf("the manifest:\n%.300s", text)
	}
	want := v1alpha1.Promotion{Time: metav1.NewTime(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)), Author: "ada", Reason: "release 1"}
	if diff := cmp.Diff(want, first.Spec.Promotion); diff != "" {
		t.Errorf("promotion (-want +got):\n%s", diff)
	}
	if m := first.Spec.Measurements; len(m) != 2 || m[1].Target != "b" || m[1].Name != "throughput" || m[1].Unit != "tx/s" || m[1].Direction != "HigherIsBetter" || len(m[1].Blocks) != 60 || m[1].Blocks[0] != "150.197" {
		t.Errorf("measurements: %+v", m)
	}
	if _, err := baseline.Read(first.Spec); err != nil {
		t.Error(err)
	}
	first.Spec.Measurements[1].Tolerance = "10%"
	first.Name = "release"
	file := filepath.Join(t.TempDir(), "baseline.yaml")
	data, err := yaml.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	second, _, err := promote(t, promotion{reason: "a faster disk", author: "bob", from: file}, measuredRun(t, "x", 2, valid))
	if err != nil {
		t.Fatal(err)
	}
	if second.Name != "release" || second.Spec.Measurements[1].Tolerance != "10%" || second.Spec.Measurements[0].Tolerance != "" {
		t.Errorf("name %s, measurements %+v", second.Name, second.Spec.Measurements)
	}
	if diff := cmp.Diff([]v1alpha1.PastPromotion{{Run: "x", Promotion: want}}, second.Spec.History); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// Only a run that is complete and valid, and that has passed its gate, becomes a baseline, unless
// somebody forces it, and then the manifest says what spoke against it. One that was changed never does.
func TestPromoteRefuses(t *testing.T) {
	failed := func(run *v1alpha1.BenchmarkRun) {
		run.Status.Conditions = []metav1.Condition{
			{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionFalse, Reason: "JournalLost", Message: "gone"}, {Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue},
			{Type: v1alpha1.ConditionValid, Status: metav1.ConditionTrue},
		}
	}
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkRun)
		p      promotion
		// refused has this in it; empty for a run that is promoted.
		refused string
	}{
		"no reason":                      {valid, promotion{reason: " "}, "--reason is missing"},
		"a run that failed":              {failed, promotion{reason: "r"}, "it is not complete (JournalLost): gone"},
		"a run that is not valid":        {nil, promotion{reason: "r"}, "it is not valid (nothing says so)"},
		"a gate that failed":             {gated(metav1.ConditionFalse, "Slower"), promotion{reason: "r"}, "it has not passed its gate (Slower): words"},
		"a gate that could not decide":   {gated(metav1.ConditionUnknown, "NotAlike"), promotion{reason: "r"}, "it has not passed its gate (NotAlike): words"},
		"a gate that passed":             {gated(metav1.ConditionTrue, "Succeeded"), promotion{reason: "r"}, ""},
		"the first run of a gate":        {gated(metav1.ConditionUnknown, "BaselineNotFound"), promotion{reason: "r"}, ""},
		"a baseline that there is not":   {valid, promotion{reason: "r", from: "/nowhere"}, "--from"},
		"a measurement that is no such":  {valid, promotion{reason: "r", measurements: []string{"{p=99}"}}, `"{p=99}" is no measurement`},
		"a label that is no such":        {valid, promotion{reason: "r", measurements: []string{"latency{p}"}}, `"p" in "latency{p}" is no label`},
		"a measurement without its end":  {valid, promotion{reason: "r", measurements: []string{"latency{p=99"}}, "is no measurement"},
		"a measurement that nobody took": {valid, promotion{reason: "r", measurements: []string{"latency.percentile{p=99}"}}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, text, err := promote(t, tt.p, measuredRun(t, "x", 1.5, tt.change))
			if tt.refused == "" {
				if err != nil || got.Spec.Promotion.Forced != "" {
					t.Errorf("%v, forced %q", err, got.Spec.Promotion.Forced)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.refused) || text != "" {
				t.Fatalf("error %v, want %q; the output: %.200s", err, tt.refused, text)
			}
			if tt.p.force = true; !strings.Contains(err.Error(), "--force") {
				return
			}
			forced, _, err := promote(t, tt.p, measuredRun(t, "x", 1.5, tt.change))
			if err != nil || !strings.Contains(forced.Spec.Promotion.Forced, tt.refused) {
				t.Errorf("forced: %v, %q", err, forced.Spec.Promotion.Forced)
			}
		})
	}
	changed := measuredRun(t, "x", 1.5, valid)
	changed[2].(*corev1.ConfigMap).BinaryData[contract.KeyRecords] = changed[3].(*corev1.ConfigMap).BinaryData[contract.KeyRecords]
	if _, text, err := promote(t, promotion{reason: "r", force: true}, changed); !errors.Is(err, exit.ErrDiffers) || text != "" {
		t.Errorf("a run that was changed: %v, %.200s", err, text)
	}
	if _, _, err := promote(t, promotion{reason: "r", force: true}, slices.Delete(measuredRun(t, "x", 1.5, valid), 1, 2)); err == nil {
		t.Error("a run without its plan is promoted")
	}
}

func TestMeasurementOf(t *testing.T) {
	got, err := measurementOf("latency.percentile{p=99,operation=a=b}")
	want := analysis.Measurement{Name: "latency.percentile", Labels: map[string]string{"p": "99", "operation": "a=b"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Several runs of one experiment become a baseline with the median of each, which a gate predicts from. Each has to be as sound as the
// first one, to have measured the same, and to be another one.
func TestPromoteSeveral(t *testing.T) {
	named := func(name string, level float64, change func(*v1alpha1.BenchmarkRun)) stored.Source {
		return finished.New(t, finished.Options{Name: name, Level: level, Change: change})
	}
	first, second, third := named("r-1", 1, nil), named("r-2", 1.02, nil), named("r-3", 0.99, nil)
	for name, tt := range map[string]struct {
		repetitions []stored.Source
		want        string
	}{
		"three runs": {[]stored.Source{second, third}, ""},
		"two runs":   {[]stored.Source{second}, "how runs differ is taken from at least 3 runs, and there are 2"},
		"one twice":  {[]stored.Source{second, third, second}, "stands there twice: each run counts once"},
		"one that is not valid": {[]stored.Source{second, named("r-4", 1, func(r *v1alpha1.BenchmarkRun) {
			apimeta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionValid, Status: metav1.ConditionFalse, Reason: "Contradictions"})
		})}, "is not promoted: it is not valid (Contradictions)"},
		"one of more clients": {[]stored.Source{second, named("r-5", 1, func(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Count = 7 })}, "did not measure the same"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, problems bytes.Buffer
			err := promotion{reason: "r", author: "ada"}.run(t.Context(), promoting{from: first, repetitions: tt.repetitions, now: time.Unix(1e9, 0)}, streams{&out, &problems})
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || out.Len() > 0 {
					t.Errorf("%v, want %q", err, tt.want)
				}
				return
			}
			b := &v1alpha1.BenchmarkBaseline{}
			if err := errors.Join(err, yaml.UnmarshalStrict(out.Bytes(), b)); err != nil {
				t.Fatal(err)
			}
			if len(b.Spec.Runs) != 3 || b.Spec.Runs[0].Name != "r-1" || b.Spec.Runs[2].Name != "r-3" {
				t.Errorf("runs: %+v", b.Spec.Runs)
			}
			for _, m := range b.Spec.Measurements {
				if len(m.Runs) != 3 {
					t.Errorf("%s has the medians %v", baseline.Words(m.MeasurementKey), m.Runs)
				}
			}
			if _, err := baseline.Read(b.Spec); err != nil {
				t.Error(err)
			}
		})
	}
}
