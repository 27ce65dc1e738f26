// Package health writes the three conditions by which GitOps controllers and other tools judge an
// object: Reconciling, Stalled and Ready, as kstatus defines them. In: the conditions of an object,
// its generation, and what is said of it. Out: the conditions, with exactly one of the three True,
// and Ready Unknown while something is under way. It refuses nothing.
//
// kstatus looks at them in this order: a status.observedGeneration other than
// metadata.generation is in progress, Reconciling True is in progress, Stalled True is failed, and
// Ready True is current. So every kind whose conditions are written here has the default
//
//	// +kubebuilder:default={"observedGeneration":-1}
//
// on its status: an object that the manager has not seen yet is in progress, and not current. The
// manager writes observedGeneration whenever the spec changes, also when nothing else does.
package health

import (
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Said is what is said of an object.
type Said struct {
	// Generation of the spec that it is said of.
	Generation int64
	// Now is the time of a condition that changes.
	Now time.Time
	// Reason is one of v1alpha1.
	Reason string
	// Message for people. GitOps controllers show that of what is in progress or stalled.
	Message string
}

// Stalled says that somebody has to act, or that the object has failed for good.
func Stalled(conditions *[]metav1.Condition, s Said) {
	s.set(conditions, v1alpha1.ConditionReconciling, metav1.ConditionFalse, "nothing is under way")
	s.set(conditions, v1alpha1.ConditionStalled, metav1.ConditionTrue, s.Message)
	s.set(conditions, v1alpha1.ConditionReady, metav1.ConditionFalse, s.Message)
}

// Ready says that the object is as its spec wants it, and that nothing is under way.
func Ready(conditions *[]metav1.Condition, s Said) {
	s.set(conditions, v1alpha1.ConditionReconciling, metav1.ConditionFalse, "nothing is under way")
	s.set(conditions, v1alpha1.ConditionStalled, metav1.ConditionFalse, "nothing has failed")
	s.set(conditions, v1alpha1.ConditionReady, metav1.ConditionTrue, s.Message)
}

func (s Said) set(conditions *[]metav1.Condition, condition string, status metav1.ConditionStatus, message string) {
	apimeta.SetStatusCondition(conditions, metav1.Condition{
		Type: condition, Status: status, Reason: s.Reason, Message: message,
		ObservedGeneration: s.Generation, LastTransitionTime: metav1.Time{Time: s.Now},
	})
}
