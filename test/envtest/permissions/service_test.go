package permissions

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// createBehind makes a run on a Service without endpoints. It uses the Secret of createSchedule.
func createBehind(t *testing.T, namespace string) {
	t.Helper()
	mustCreate(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "db"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 3306}}}})
	u := &unstructured.Unstructured{}
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: behind, namespace: %s}, spec: {
		targets: [{name: db, external: {serviceRef: {name: db}, credentials: {name: db}, tls: Disabled, insecureSkipVerify: true}}],
		clients: {shape: {name: small}}, workload: {sysbench: {test: oltp_read_only}}}}`, namespace)
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, u)
}

// behindOutcome: the manager may look, and so it knows that nothing is there.
func behindOutcome(namespace string) outcome {
	return outcome{"a run on a Service without endpoints waits", func(ctx context.Context) bool {
		run := &v1alpha1.BenchmarkRun{}
		if err := server.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "behind"}, run); err != nil {
			return false
		}
		c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted)
		return c != nil && c.Reason == v1alpha1.ReasonServiceNotReady && strings.Contains(c.Message, "nothing that is ready is behind it")
	}}
}
