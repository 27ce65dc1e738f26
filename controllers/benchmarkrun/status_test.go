package benchmarkrun

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
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
		pass func(statusWriter)
		want map[string]string
	}{
		"a run that nothing is known of": {func(statusWriter) {}, map[string]string{
			"Accepted": "Unknown/NotReached", "Placed": "Unknown/NotReached", "TargetsReady": "Unknown/NotReached", "DataLoaded": "Unknown/NotReached",
			"Measured": "Unknown/NotReached", "Valid": "Unknown/NotReached", "Complete": "Unknown/NotReached", "Failed": "Unknown/NotReached",
			"Suspended": "False/NotSuspended", "Reconciling": "True/Progressing", "Stalled": "False/Progressing", "Ready": "Unknown/NotReached",
		}},
		"one that waits in the queue, suspended": {
			func(t statusWriter) {
				t.run.Spec.Suspend = true
				t.run.Status = keepTime(t.run, t.now)
				t.setStep(decidedStep{step{condition: v1alpha1.ConditionAccepted}, answerWith(decision.DoneWith("3 trials")), false})
				t.setStep(decidedStep{step{condition: v1alpha1.ConditionPlaced}, answerWith(decision.WaitFor(v1alpha1.ReasonSuspended, "suspended")), false})
			},
			map[string]string{
				"Accepted": "True/Succeeded", "Placed": "False/Suspended", "TargetsReady": "Unknown/NotReached", "DataLoaded": "Unknown/NotReached",
				"Measured": "Unknown/NotReached", "Valid": "Unknown/NotReached", "Complete": "Unknown/NotReached", "Failed": "Unknown/NotReached",
				"Suspended": "True/Suspended", "Reconciling": "True/Suspended", "Stalled": "False/Progressing", "Ready": "Unknown/NotReached",
			},
		},
		"one that failed at once": {
			func(t statusWriter) {
				failure := decision.FailWith(v1alpha1.ReasonShapeNotFound, "no such shape")
				t.setStep(decidedStep{step{condition: v1alpha1.ConditionAccepted}, answerWith(failure), false})
				endedChange{result: conclude.Result{State: decision.Done{}}, failure: failure}.apply(t)
			},
			map[string]string{
				"Accepted": "False/ShapeNotFound", "Placed": "Unknown/NotReached", "TargetsReady": "Unknown/NotReached", "DataLoaded": "Unknown/NotReached",
				"Measured": "Unknown/NotReached", "Valid": "Unknown/NotReached", "Complete": "False/ShapeNotFound", "Failed": "True/ShapeNotFound",
				"Suspended": "False/NotSuspended", "Reconciling": "False/ShapeNotFound", "Stalled": "True/ShapeNotFound", "Ready": "False/ShapeNotFound",
			},
		},
		"one that is complete": {
			func(t statusWriter) { endedChange{result: conclude.Result{State: decision.Done{}}}.apply(t) },
			map[string]string{
				"Accepted": "Unknown/NotReached", "Placed": "Unknown/NotReached", "TargetsReady": "Unknown/NotReached", "DataLoaded": "Unknown/NotReached",
				"Measured": "Unknown/NotReached", "Valid": "Unknown/NotReached", "Complete": "True/Succeeded", "Failed": "False/Succeeded",
				"Suspended": "False/NotSuspended", "Reconciling": "False/Succeeded", "Stalled": "False/Succeeded", "Ready": "True/Succeeded",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			writer := statusWriter{run: &v1alpha1.BenchmarkRun{}}
			writer.setUndecided()
			tt.pass(writer)
			writer.setUndecided()
			if diff := cmp.Diff(tt.want, conditionsOf(writer.run)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A status with a reason that the API server refuses would never be written, and the run never end.
func TestConditionsTakeAnyReason(t *testing.T) {
	writer := statusWriter{run: &v1alpha1.BenchmarkRun{}}
	for _, reason := range []string{"", "no word", "Cut... (cut: 6 of 300 bytes)", "x."} {
		writer.set(v1alpha1.ConditionFailed, "True", reason, "message")
		if diff := cmp.Diff(map[string]string{"Failed": "True/" + v1alpha1.ReasonResultContradictory}, conditionsOf(writer.run)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", reason, diff)
		}
	}
}

// The time of a condition is that of its status, also where one wait follows another; of a wait that is timed it is that of its reason.
func TestTheTimeOfAWait(t *testing.T) {
	start := time.Unix(1000, 0)
	for name, tt := range map[string]struct {
		next decision.Waiting
		want time.Time
	}{
		"another reason":            {decision.Waiting{Reason: v1alpha1.ReasonProvisioningNodes}, start},
		"another reason, timed":     {decision.Waiting{Reason: v1alpha1.ReasonProvisioningNodes, Timed: true}, start.Add(time.Minute)},
		"the reason of before":      {decision.Waiting{Reason: v1alpha1.ReasonQueued}, start},
		"that of before, and timed": {decision.Waiting{Reason: v1alpha1.ReasonQueued, Timed: true}, start},
	} {
		writer := statusWriter{run: &v1alpha1.BenchmarkRun{}, now: start}
		writer.setStep(decidedStep{step: pipeline[1], answer: answerWith(decision.Waiting{Reason: v1alpha1.ReasonQueued})})
		writer.now = start.Add(time.Minute)
		writer.setStep(decidedStep{step: pipeline[1], answer: answerWith(tt.next)})
		if got := apimeta.FindStatusCondition(writer.run.Status.Conditions, v1alpha1.ConditionPlaced).LastTransitionTime.Time; !got.Equal(tt.want) {
			t.Errorf("%s: since %s, want %s", name, got, tt.want)
		}
	}
}
