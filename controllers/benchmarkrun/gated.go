package benchmarkrun

import (
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/health"
	"github.com/assay-bench/assay/internal/verdict/gate"
)

// setUngated makes the condition Passed present from the first status on, where there is a gate.
func (t statusWriter) setUngated() {
	if t.run.Spec.Gate != nil && apimeta.FindStatusCondition(t.run.Status.Conditions, v1alpha1.ConditionPassed) == nil {
		t.set(v1alpha1.ConditionPassed, metav1.ConditionUnknown, v1alpha1.ReasonNotReached, "the run has not ended")
	}
}

// applyGate puts the verdict of the gate into the status of a run that ends. Where GitOps controllers
// are to require it, a run that has not passed is stalled.
func (t statusWriter) applyGate(v *gate.Verdict) {
	if v == nil {
		return
	}
	t.set(v1alpha1.ConditionPassed, v.Status, v.Reason, v.Message)
	t.run.Status.Gate = &v.Gate
	if t.run.Spec.Gate.Health == v1alpha1.HealthRequired && v.Status != metav1.ConditionTrue && !t.run.HasFailed() {
		health.Stalled(&t.run.Status.Conditions, t.said(v.Reason, v.Message))
	}
}

// announceGate tells of a run that has ended without passing its gate. That it passed is a milestone.
func announceGate(to events.EventRecorder, before, after *v1alpha1.BenchmarkRun) {
	c := apimeta.FindStatusCondition(after.Status.Conditions, v1alpha1.ConditionPassed)
	if c == nil || c.Status == metav1.ConditionTrue || before.Finished() || !after.Finished() {
		return
	}
	tell(to, after, corev1.EventTypeWarning, c.Reason, c.Message)
}
