package cached

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// What tenants may make large does not stay in the cache, and what controllers read does.
func TestSlim(t *testing.T) {
	big := strings.Repeat("x", 256<<10)
	meta := func() metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Name: "o", Labels: map[string]string{v1alpha1.LabelRun: "run", batchv1.JobNameLabel: "job", "theirs": big}, Finalizers: []string{big},
			Annotations:   map[string]string{v1alpha1.AnnotationReady: "now", v1alpha1.AnnotationClaimedBy: big, "theirs": big, contract.AnnotationUploads: "uploads"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: big}},
			OwnerReferences: []metav1.OwnerReference{
				{Name: big}, {Name: "run", Controller: new(true)},
			},
		}
	}
	run := &v1alpha1.BenchmarkRun{ObjectMeta: meta()}
	run.Spec.Matrix = []v1alpha1.Axis{{Name: big, Values: []intstr.IntOrString{intstr.FromString(big)}}}
	run.Spec.Workload.Custom = &v1alpha1.CustomWorkload{Parameters: map[string]string{"a": big}}
	run.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Config: map[string]string{"a": big}, Replication: &v1alpha1.Replication{Replicas: 2}}}}
	run.Status.Resolved = &v1alpha1.Resolved{
		ClientShape: v1alpha1.InstanceShapeSpec{Annotations: map[string]string{"a": big}},
		Targets:     []v1alpha1.ResolvedTarget{{Name: "db", Settings: []v1alpha1.ServerSetting{{Value: big}}, Shape: &v1alpha1.InstanceShapeSpec{Annotations: map[string]string{"a": big}}}},
	}
	run.Status.Resolved.Targets[0].Service = &v1alpha1.ResolvedService{Unseen: big, Pods: []v1alpha1.ServicePod{{NodeName: "theirs", Image: big}}}
	run.Status.Report = &v1alpha1.ReportStatus{Reason: v1alpha1.ReasonRetrying, Message: big, SizeBytes: 5, Attempts: 2, LastAttemptTime: new(metav1.Unix(1e9, 0)), Page: &v1alpha1.StoredPage{URL: big}}
	run.Status.Findings = []v1alpha1.Finding{{Check: "clock-step", Severity: v1alpha1.SeverityInvalid, Message: big}}
	run.Status.Summary = []v1alpha1.SummaryEntry{
		{Cell: 1, Target: "db", Name: "throughput", Unit: "tx/s", Median: "5", IntervalLow: "4", IntervalHigh: "6", Caveat: big, Parameters: map[string]intstr.IntOrString{"threads": intstr.FromInt32(8)}},
		{Target: "db", Name: "throughput", Labels: map[string]string{"a": big}},
		{Target: "db", Name: "behind one without room"},
	}
	run.Status.Comparisons = []v1alpha1.ComparisonEntry{
		{Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.VerdictSlower, Ratio: "0.9", Unlike: []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}, Text: big, Reasons: []v1alpha1.VerdictReason{{Code: v1alpha1.CodeNoStatistic, Values: map[string]string{"message": big}}}, Parameters: map[string]intstr.IntOrString{"a": intstr.FromString(big)}},
		{Unlike: []v1alpha1.UnlikeFactor{{Baseline: big}}},
	}
	run.Status.Differences = []v1alpha1.SideDifferences{{Value: big, Baseline: "a", Differences: []v1alpha1.SideDifference{{Name: big}}}}
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Message: big}}
	pod := &corev1.Pod{ObjectMeta: meta(), Spec: corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{{Name: "runner", Env: []corev1.EnvVar{{Value: big}}}}}}
	schedule, baseline := planned(meta, big)
	for what, o := range map[string]metav1.Object{"schedule": schedule, "baseline": baseline, "run": run, "pod": pod, "metadata": &metav1.PartialObjectMetadata{ObjectMeta: meta()}} {
		if _, err := slim(o); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 8<<10 {
			t.Errorf("%s: %d bytes stay", what, len(data))
		}
		if o.GetLabels()[v1alpha1.LabelRun] != "run" || o.GetLabels()[batchv1.JobNameLabel] != "job" || o.GetAnnotations()[v1alpha1.AnnotationReady] != "now" ||
			o.GetAnnotations()[contract.AnnotationUploads] != "uploads" ||
			metav1.GetControllerOf(o) == nil {
			t.Errorf("%s: something that is read is gone: %s", what, data)
		}
	}
	st := run.Status
	if len(st.Summary) != 1 || st.Summary[0].Median != "5" || st.Summary[0].IntervalHigh != "6" || len(st.Summary[0].Parameters) != 1 ||
		len(st.Comparisons) != 1 || st.Comparisons[0].Verdict != v1alpha1.VerdictSlower || st.Comparisons[0].Ratio != "0.9" || len(st.Comparisons[0].Unlike) != 1 ||
		len(st.Findings) != 1 || st.Findings[0].Check != "clock-step" || st.Findings[0].Severity != v1alpha1.SeverityInvalid {
		t.Errorf("something that the metrics tell is gone: %+v %+v %+v", st.Summary, st.Comparisons, st.Findings)
	}
	if nodes := run.ServiceNodes(); len(nodes) != 1 || nodes[0] != "theirs" {
		t.Errorf("the queue does not know the nodes behind the Service any more: %v", nodes)
	}
	if r := st.Report; r == nil || r.Reason != v1alpha1.ReasonRetrying || r.SizeBytes != 5 || r.Attempts != 2 || r.LastAttemptTime == nil {
		t.Errorf("something that is decided by is gone: %+v", r)
	}
	if !run.Finished() || run.Spec.Targets[0].Replicas() != 2 || len(run.Provided()) != 1 || pod.Spec.NodeName != "n" || pod.Spec.Containers[0].Name != "runner" {
		t.Error("something that is read of other runs is gone")
	}
}

// The summary of two cells of sysbench fills the room by itself: the comparisons are told all the same.
func TestComparisonsHaveRoomBesideAnySummary(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	for i := range 38 {
		run.Status.Summary = append(run.Status.Summary, v1alpha1.SummaryEntry{
			Cell: int32(i % 2), Parameters: map[string]intstr.IntOrString{"threads": intstr.FromInt(1 + i%2)}, Target: "mariadb", Name: "latency.percentile",
			Labels: map[string]string{"p": strings.Repeat("9", 80)}, Unit: "ms", Median: "12.345", IntervalLow: "11.234", IntervalHigh: "13.456",
		})
	}
	one := v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: "threads", Value: "2", Baseline: "1", Target: "mariadb", Name: "throughput", Ratio: "1.611"}
	run.Status.Comparisons = slices.Repeat([]v1alpha1.ComparisonEntry{one}, 16)
	if _, err := slim(run); err != nil {
		t.Fatal(err)
	}
	if st := run.Status; len(st.Comparisons) != 16 || st.Comparisons[0].Ratio != "1.611" || len(st.Summary) == 0 || len(st.Summary) == 32 {
		t.Errorf("%d comparisons and %d entries of the summary stay", len(st.Comparisons), len(st.Summary))
	}
}
