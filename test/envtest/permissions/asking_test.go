package permissions

import (
	"context"
	"errors"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/autoscaler"
)

// asking is a run that requests nodes, reads what others say of its placeholders, and lets all of that go.
func asking(namespace string) *v1alpha1.BenchmarkRun {
	shape := &v1alpha1.ShapeRef{Inline: &v1alpha1.InstanceShapeSpec{
		CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), NodeSelector: map[string]string{"pool": "none"},
		Nodes: v1alpha1.NodesProvisioned, ProvisioningClass: "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
	}}
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "asking", Namespace: namespace}}
	run.Spec.Targets = []v1alpha1.Target{{Name: "db", Shape: shape, MySQL: &v1alpha1.MySQLTarget{Flavor: "MySQL", Version: "8.4"}}}
	run.Spec.Deadline = metav1.Duration{Duration: time.Hour}
	run.Spec.Clients.Shape, run.Spec.Workload.Sysbench = shape, &v1alpha1.SysbenchWorkload{Test: "oltp_read_only"}
	return run
}

// askingOutcomes: its nodes are requested and provisioned, an admission refuses its placeholders, the nodes are revoked, and nothing is left.
func askingOutcomes(namespace string) []outcome {
	answer := func(ctx context.Context, condition, reason string) bool {
		requests, err := autoscaler.Requests(ctx, server.API, namespace)
		if err != nil || len(requests) != 2 { // of the target, and of the client, which is larger by the agent
			return false
		}
		for i := range requests {
			err = errors.Join(err, autoscaler.Answer(ctx, server.API, &requests[i], metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: reason}))
		}
		return err == nil
	}
	placed := func(ctx context.Context) *metav1.Condition {
		run := &v1alpha1.BenchmarkRun{}
		if err := server.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "asking"}, run); err != nil {
			return nil
		}
		return apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPlaced)
	}
	return []outcome{
		{"the nodes of asking are requested", func(ctx context.Context) bool { return answer(ctx, "Provisioned", "CapacityIsProvisioned") }},
		{"asking has placeholders, and says why they have no pods", func(ctx context.Context) bool {
			job := &batchv1.Job{}
			if err := server.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "asking-place-0"}, job); err != nil {
				return false
			}
			event := &corev1.Event{
				ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: "refused"},
				InvolvedObject: corev1.ObjectReference{APIVersion: "batch/v1", Kind: "Job", Namespace: namespace, Name: job.Name, UID: job.UID},
				Source:         corev1.EventSource{Component: "job-controller"}, Type: corev1.EventTypeWarning, Reason: "FailedCreate", Message: "denied",
			}
			if err := client.IgnoreAlreadyExists(server.API.Create(ctx, event)); err != nil {
				return false
			}
			c := placed(ctx)
			return c != nil && strings.Contains(c.Message, "job-controller says FailedCreate: denied")
		}},
		{"the nodes of asking are revoked", func(ctx context.Context) bool { return answer(ctx, "CapacityRevoked", "OutOfStock") }},
		{"asking has failed, and asks for nothing", func(ctx context.Context) bool {
			c := placed(ctx)
			requests, err := autoscaler.Requests(ctx, server.API, namespace)
			var templates corev1.PodTemplateList
			return c != nil && c.Reason == v1alpha1.ReasonNodesNotProvisioned && err == nil && len(requests) == 0 &&
				server.API.List(ctx, &templates, client.InNamespace(namespace)) == nil && len(templates.Items) == 0
		}},
	}
}
