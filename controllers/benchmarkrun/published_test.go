package benchmarkrun

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

func azure(r *v1alpha1.BenchmarkRun) {
	r.Spec.Targets = append([]v1alpha1.Target{{Name: "azure", Published: &v1alpha1.PublishedTarget{
		ConfigMap: v1alpha1.ConfigMapFiles{Name: "azure"}, Format: "YCSB", Source: "https://blog.example/azure",
	}}}, r.Spec.Targets...)
}

// What somebody else measured is shown beside what was measured, and nowhere else.
func TestPublishedNumbersAreQuoted(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	text, err := os.ReadFile("../../internal/trial/quoted/testdata/azure-run.txt")
	if err != nil {
		t.Fatal(err)
	}
	makeConfigMap(t, ns, "azure", map[string]string{"run": string(text), "note": "not copied"})
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, azure)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)

	st := got.Status.Targets[0]
	want := v1alpha1.QuotedValue{Stage: v1alpha1.QuotedRun, Name: "throughput", Value: "9175.170520544125", Unit: "ops/s"}
	if st.Name != "azure" || st.Source != "https://blog.example/azure" || len(st.Quoted) == 0 {
		t.Fatalf("not quoted: %+v", st)
	}
	if diff := cmp.Diff(want, st.Quoted[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, e := range got.Status.Summary {
		if e.Target != "db" {
			t.Errorf("a quoted number is in the summary: %+v", e)
		}
	}
	if got.Status.Placement == nil || len(got.Status.Placement.Targets) != 1 {
		t.Errorf("placement %+v, want a node for the measured target only", got.Status.Placement)
	}
	kept := &corev1.ConfigMap{}
	eventually(t, "the run is torn down", func() string { return cmp.Diff([]string(nil), children(t, ns)["StatefulSet"]) })
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "run-azure-quoted"}, kept); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), kept.Data["run"]); diff != "" {
		t.Errorf("the text is not verbatim (-want +got):\n%s", diff)
	}
	if !contains(kept.Data["quoted.json"], "9175.170520544125") || kept.Data["note"] != "" {
		t.Errorf("the copy: %v", kept.Data)
	}
	if got, want := got.Status.Resolved.Targets[0].PublishedSHA256, resources.DigestOf(map[string][]byte{"run": text}); got != want {
		t.Errorf("SHA-256 %s, want %s", got, want)
	}
}

// Published targets take no time of the deadline.
func TestDeadlineCountsMeasuredTargets(t *testing.T) {
	ns := server.Namespace(t)
	run := newRun(t, ns, azure, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks, r.Spec.Deadline.Duration = 6, time.Minute // 6 x 10 s, once
	})
	takes := func() time.Duration {
		whole := run.DeepCopy()
		if err := server.API.Create(t.Context(), whole, client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(whole.Spec, nil, plan.Largest()) // with the API's defaults
		if err != nil {
			t.Fatal(err)
		}
		return p.Duration([]time.Duration{10 * time.Second}, 0) // of the only cell
	}
	if got := takes(); got > time.Minute {
		t.Errorf("one measured target takes %s", got)
	}
	alsoTarget("more")(run)
	run.Spec.Targets[2] = *run.Spec.Targets[1].DeepCopy()
	run.Spec.Targets[2].Name = "more"
	if got := takes(); got <= time.Minute {
		t.Errorf("two measured targets take %s", got)
	}
}
