package benchmarkrun

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// conditionsOf a run, as status/reason by type.
func conditionsOf(run *v1alpha1.BenchmarkRun) map[string]string {
	out := map[string]string{}
	for _, c := range run.Status.Conditions {
		out[c.Type] = string(c.Status) + "/" + c.Reason
	}
	return out
}

// Every condition is there from the first pass on, and says what does not apply.
func TestConditionsArePresentFromTheFirstPass(t *testing.T) {
	tests := map[string]struct {
		pass func(*scope)
		want map[string]string
	}{
		"a run that nothing is known of": {func(*scope) {}, map[string]string{
			"Accepted": "Unknown/NotReached", "Placed": "Unknown/NotReached", "TargetsReady": "Unknown/NotReached", "DataLoaded": "Unknown/NotReached",
			"Measured": "Unknown/NotReached", "Valid": "Unknown/NotReached", "Complete": "Unknown/NotReached", "Failed": "Unknown/NotReached",
			"Suspended": "False/NotSuspended", "Reconciling": "True/Progressing", "Stalled": "False/Progressing",
		}},
		"one that waits in the queue, suspended": {
			func(s *scope) {
				s.run.Spec.Suspend = true
				keepTime(s)
				setStep(s, step{condition: v1alpha1.ConditionAccepted}, doneWith("3 trials"))
				setStep(s, step{condition: v1alpha1.ConditionPlaced}, waitFor(v1alpha1.ReasonSuspended, "suspended"))
			},
			map[string]string{
				"Accepted": "True/Succeeded", "Placed": "False/Suspended", "TargetsReady": "Unknown/NotReached", "DataLoaded": "Unknown/NotReached",
				"Measured": "Unknown/NotReached", "Valid": "Unknown/NotReached", "Complete": "Unknown/NotReached", "Failed": "Unknown/NotReached",
				"Suspended": "True/Suspended", "Reconciling": "True/Suspended", "Stalled": "False/Progressing",
			},
		},
		"one that failed at once": {
			func(s *scope) {
				o := failWith(v1alpha1.ReasonShapeNotFound, "no such shape")
				setStep(s, step{condition: v1alpha1.ConditionAccepted}, o)
				setEnd(s, &o)
			},
			map[string]string{
				"Accepted": "False/ShapeNotFound", "Placed": "Unknown/NotReached", "TargetsReady": "Unknown/NotReached", "DataLoaded": "Unknown/NotReached",
				"Measured": "Unknown/NotReached", "Valid": "Unknown/NotReached", "Complete": "False/ShapeNotFound", "Failed": "True/ShapeNotFound",
				"Suspended": "False/NotSuspended", "Reconciling": "False/ShapeNotFound", "Stalled": "True/ShapeNotFound",
			},
		},
		"one that is complete": {
			func(s *scope) { setEnd(s, nil) },
			map[string]string{
				"Accepted": "Unknown/NotReached", "Placed": "Unknown/NotReached", "TargetsReady": "Unknown/NotReached", "DataLoaded": "Unknown/NotReached",
				"Measured": "Unknown/NotReached", "Valid": "Unknown/NotReached", "Complete": "True/Succeeded", "Failed": "False/Succeeded",
				"Suspended": "False/NotSuspended", "Reconciling": "False/Succeeded", "Stalled": "False/Succeeded",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{run: &v1alpha1.BenchmarkRun{}}
			setUndecided(s)
			tt.pass(s)
			setUndecided(s)
			if diff := cmp.Diff(tt.want, conditionsOf(s.run)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
