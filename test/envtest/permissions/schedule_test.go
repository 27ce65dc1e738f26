package permissions

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// createSchedule makes a schedule whose runs fail at once, and that looks at a ConfigMap, a Secret and
// a shape.
func createSchedule(t *testing.T, namespace string) {
	t.Helper()
	u := &unstructured.Unstructured{}
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkSchedule, metadata: {name: schedule, namespace: %s}, spec: {
		onChange: true, failedRunsHistoryLimit: 0, runTemplate: {spec: {exclusive: false,
			targets: [{name: db, external: {host: db.example.com, credentials: {name: db}, tls: Disabled, insecureSkipVerify: true}}],
			clients: {shape: {name: small}}, workload: {sysbench: {test: oltp_read_only}}, design: {blocks: 1, warmup: 0s, duration: 1s}}}}}`, namespace)
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, u)
}

// scheduleOutcomes: a run starts, fails for want of a pod, is written to the history, and is deleted.
func scheduleOutcomes(namespace string) []outcome {
	schedule := func(ctx context.Context) v1alpha1.BenchmarkScheduleStatus {
		s := &v1alpha1.BenchmarkSchedule{}
		if err := server.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "schedule"}, s); err != nil {
			return v1alpha1.BenchmarkScheduleStatus{}
		}
		return s.Status
	}
	return []outcome{
		{"the schedule has started a run", func(ctx context.Context) bool { return schedule(ctx).Change != nil }},
		{"its history has the run", func(ctx context.Context) bool {
			st := schedule(ctx)
			return st.LastRun != nil && server.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: st.History.ConfigMap}, &corev1.ConfigMap{}) == nil
		}},
		{"the run is beyond the limit", func(ctx context.Context) bool {
			var runs v1alpha1.BenchmarkRunList
			err := server.API.List(ctx, &runs, client.InNamespace(namespace), client.HasLabels{v1alpha1.LabelSchedule})
			return err == nil && len(runs.Items) == 0
		}},
	}
}
