package metrics

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/family"
)

// series is one value of a metric.
type series struct {
	of     *family.Family
	labels []string
	value  float64
}

// conditions that say how a run ended, and whether it is paused.
var conditions = []string{
	v1alpha1.ConditionComplete, v1alpha1.ConditionFailed, v1alpha1.ConditionPassed, v1alpha1.ConditionSuspended, v1alpha1.ConditionValid,
}

// ofOne has the series of a run, the most important ones first.
func ofOne(r *v1alpha1.BenchmarkRun) []series {
	phase := r.Status.Phase
	if phase == "" {
		phase = v1alpha1.PhasePending
	}
	out := []series{{runPhase, id(r, string(phase)), 1}}
	if by := r.Schedule(); by != nil {
		out = append(out, series{runSchedule, id(r, by.Name), 1})
	}
	for _, c := range r.Status.Conditions {
		if slices.Contains(conditions, c.Type) {
			out = append(out, series{runCondition, id(r, c.Type, string(c.Status), c.Reason), 1})
		}
	}
	estimated := r.Status.Progress.EstimatedCompletionTime
	if r.Finished() {
		estimated = nil
	}
	out = append(out, times(r, []instant{
		{runAccepted, r.Status.AcceptedTime}, {runStarted, r.Status.StartTime}, {runCompleted, r.Status.CompletionTime}, {runEstimated, estimated},
	})...)
	out = append(out, trials(r)...)
	return append(out, results(r)...)
}

// id are the labels that every series of an object has, and more. All are bounded.
func id(o metav1.Object, more ...string) []string {
	labels := []string{family.Bounded(o.GetNamespace()), family.Bounded(o.GetName())}
	for _, m := range more {
		labels = append(labels, family.Bounded(m))
	}
	return labels
}

// instant is the time of a metric; nil for one that is absent.
type instant struct {
	of *family.Family
	at *metav1.Time
}

func times(o metav1.Object, all []instant) (out []series) {
	for _, t := range all {
		if t.at != nil {
			out = append(out, series{t.of, id(o), float64(t.at.Unix())})
		}
	}
	return out
}

func trials(r *v1alpha1.BenchmarkRun) (out []series) {
	p, running := r.Status.Progress, int32(0)
	if p.CurrentTrial != nil && !r.Finished() {
		running = 1
	}
	for _, c := range []struct {
		of    *family.Family
		count int32
	}{
		{trialsPlanned, p.Planned}, {trialsRunning, running}, {trialsSucceeded, p.Succeeded}, {trialsFailed, p.Failed},
		{trialsInvalid, p.Invalid}, {trialsDisturbed, p.Disturbed}, {trialRetries, p.Retries},
	} {
		out = append(out, series{c.of, id(r), float64(c.count)})
	}
	return out
}
