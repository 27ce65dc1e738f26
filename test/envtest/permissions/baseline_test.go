package permissions

import (
	"context"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// createBaseline makes a baseline that a gate could use.
func createBaseline(t *testing.T, namespace string) {
	t.Helper()
	b := &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "release"}}
	b.Spec.Run.Name = "before"
	b.Spec.Promotion = v1alpha1.Promotion{Time: metav1.Unix(1e9, 0), Author: "ada", Reason: "release 1"}
	b.Spec.Measurements = []v1alpha1.ExpectedMeasurement{{
		MeasurementKey: v1alpha1.MeasurementKey{Target: "db", Name: "throughput", Unit: "tx/s"}, Direction: "HigherIsBetter", Blocks: []string{"100"},
	}}
	mustCreate(t, b)
}

func baselineOutcome(namespace string) outcome {
	return outcome{"the baseline is ready", func(ctx context.Context) bool {
		b := &v1alpha1.BenchmarkBaseline{}
		err := server.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "release"}, b)
		return err == nil && apimeta.IsStatusConditionTrue(b.Status.Conditions, v1alpha1.ConditionReady)
	}}
}
