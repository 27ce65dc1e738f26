package benchmarkrun

import (
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// milestones are the conditions whose change to True is worth an event.
var milestones = []string{
	v1alpha1.ConditionAccepted, v1alpha1.ConditionPlaced, v1alpha1.ConditionTargetsReady,
	v1alpha1.ConditionDataLoaded, v1alpha1.ConditionMeasured, v1alpha1.ConditionComplete, v1alpha1.ConditionSuspended,
}

// announce sends the events that follow from what changed in the status, after it
// was written.
func (r *Reconciler) announce(before, after *v1alpha1.BenchmarkRun) {
	became := func(condition string, status metav1.ConditionStatus) *metav1.Condition {
		c := apimeta.FindStatusCondition(after.Status.Conditions, condition)
		if c == nil || c.Status != status || apimeta.IsStatusConditionPresentAndEqual(before.Status.Conditions, condition, status) {
			return nil
		}
		return c
	}
	for _, condition := range milestones {
		if c := became(condition, metav1.ConditionTrue); c != nil {
			r.Events.Eventf(after, nil, corev1.EventTypeNormal, condition, "Reconcile", "%s", orDefault(c.Message, condition))
		}
	}
	if c := became(v1alpha1.ConditionFailed, metav1.ConditionTrue); c != nil {
		r.Events.Eventf(after, nil, corev1.EventTypeWarning, c.Reason, "Reconcile", "%s", c.Message)
	}
	if c := became(v1alpha1.ConditionValid, metav1.ConditionFalse); c != nil {
		r.Events.Eventf(after, nil, corev1.EventTypeWarning, c.Reason, "Reconcile", "%s", c.Message)
	}
	if d := after.Status.Progress.Done; d > before.Status.Progress.Done {
		r.Events.Eventf(after, nil, corev1.EventTypeNormal, "TrialEnded", "Reconcile", "%s trials have ended", after.Status.Progress.Text)
	}
}
