package benchmarkrun

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// measure runs the trials of the plan in their order, one at a time. The first
// one that fails ends the run; what was measured before stays.
func (r *Reconciler) measure(ctx context.Context, s *scope) (outcome, error) {
	if err := r.removeEnded(ctx, s); err != nil {
		return outcome{}, err
	}
	for _, t := range s.trials {
		st := s.trial(t.Index)
		if st != nil && st.State == v1alpha1.TrialFailed {
			return failWith(st.Reason, "trial %d (block %d, target %s): %s", t.Index, t.Block, t.Target, st.Message), nil
		}
		if st != nil && st.State == v1alpha1.TrialSucceeded {
			continue
		}
		o, err := r.runTrial(ctx, s, t)
		if err != nil || o.kind != done {
			return o, err
		}
	}
	return doneWith("%d trials measured", len(s.trials)), nil
}

// runTrial brings one trial further, and records how it ended.
func (r *Reconciler) runTrial(ctx context.Context, s *scope, t plan.Trial) (outcome, error) {
	e := trialExecution(s, t)
	end, wait, err := r.advance(ctx, s, e)
	if err != nil {
		return outcome{}, err
	}
	if end == nil {
		// A trial that spec.suspend holds back has not begun.
		if wait.reason != v1alpha1.ReasonSuspended {
			s.putTrial(v1alpha1.TrialStatus{Index: t.Index, Block: t.Block, Target: t.Target, State: v1alpha1.TrialRunning})
			s.run.Status.Progress.CurrentTrial = new(t.Index)
		}
		estimate(s)
		return wait, nil
	}
	r.record(s, t, e, end)
	s.run.Status.Progress.CurrentTrial = nil
	estimate(s)
	if end.reason != "" {
		return failWith(end.reason, "trial %d (block %d, target %s): %s", t.Index, t.Block, t.Target, end.message), nil
	}
	// The outcome has to stand in the status before the next trial begins.
	if int(t.Index) < len(s.trials)-1 {
		return waitFor(v1alpha1.ReasonProgressing, "trial %d ended", t.Index), nil
	}
	return doneWith(""), nil
}

func trialExecution(s *scope, t plan.Trial) execution {
	return execution{
		name: v1alpha1.TrialName(s.run.Name, t.Index),
		ref: result.TrialRef{
			RunUID: string(s.run.UID), Phase: string(runner.Run), Target: t.Target,
			Index: new(int(t.Index)), Block: new(int(t.Block)),
		},
		busy: plan.Measuring(s.run.Spec.Design),
	}
}

// record puts the end of a trial into the status.
func (r *Reconciler) record(s *scope, t plan.Trial, e execution, end *end) {
	st := v1alpha1.TrialStatus{
		Index: t.Index, Block: t.Block, Target: t.Target, State: v1alpha1.TrialSucceeded,
		Result: v1alpha1.ResultName(e.name, 0),
	}
	if end.pod != nil {
		st.Node = end.pod.Spec.NodeName
		for _, c := range end.pod.Status.ContainerStatuses {
			if c.Name == resources.RunnerContainer {
				st.ClientImageID = c.ImageID
			}
		}
	}
	before, now := s.targetStatus(t.Target).Restarts, s.restarts(t.Target)
	if end.reason == "" && before != nil && (now == nil || *now != *before) {
		end.reason = v1alpha1.ReasonTargetRestarted
		end.message = "the database restarted since its data was loaded: what was measured is not what was loaded; see the log of the database pod"
	}
	if end.result != nil {
		st.MeasureStarted = microTime(end.result.Times.MeasureStarted)
		st.MeasureEnded = microTime(end.result.Times.MeasureEnded)
		st.Values = values(s.runner.Summary, *end.result)
		if end.reason == "" {
			findings := check(s, t, r.client(s, e).Trial, *end.result)
			s.run.Status.Findings = append(s.run.Status.Findings, findings...)
			st.Valid = new(!slices.ContainsFunc(findings, isInvalid))
		}
	}
	if end.reason != "" {
		st.State, st.Reason, st.Message = v1alpha1.TrialFailed, end.reason, end.message
	}
	s.putTrial(st)
}

// values are the measurements that go into the status.
func values(names []string, res result.Result) []v1alpha1.Value {
	var out []v1alpha1.Value
	for _, name := range names {
		if m, ok := res.Find(name, nil); ok && m.Value != nil {
			out = append(out, v1alpha1.Value{Name: name, Value: decimal(*m.Value), Unit: m.Unit, Direction: string(m.Direction)})
		}
	}
	return out
}

// decimal is the shortest decimal number that reads back as v.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func microTime(t *time.Time) *metav1.MicroTime {
	if t == nil {
		return nil
	}
	return &metav1.MicroTime{Time: *t}
}

// trial finds the status of a trial; nil when it has not begun.
func (s *scope) trial(index int32) *v1alpha1.TrialStatus {
	for i := range s.run.Status.Trials {
		if s.run.Status.Trials[i].Index == index {
			return &s.run.Status.Trials[i]
		}
	}
	return nil
}

// putTrial adds or replaces the status of a trial, and counts.
func (s *scope) putTrial(t v1alpha1.TrialStatus) {
	if have := s.trial(t.Index); have != nil {
		*have = t
	} else {
		s.run.Status.Trials = append(s.run.Status.Trials, t)
	}
	p := &s.run.Status.Progress
	p.Done = 0
	for _, t := range s.run.Status.Trials {
		if t.State != v1alpha1.TrialRunning {
			p.Done++
		}
	}
	p.Text = progressText(*p)
}

// estimate says when the last trial will end: the trials that are left, at the
// pace of those that have ended (from the start of one to the start of the next),
// or, before there is a pace, at the spec's own durations.
func estimate(s *scope) {
	var starts []time.Time
	for _, t := range s.run.Status.Trials {
		if t.MeasureStarted != nil {
			starts = append(starts, t.MeasureStarted.Time)
		}
	}
	left := len(s.trials) - int(s.run.Status.Progress.Done)
	pace := plan.Measuring(s.run.Spec.Design)
	from := s.now
	if n := len(starts); n > 1 {
		pace = starts[n-1].Sub(starts[0]) / time.Duration(n-1)
	}
	if n := len(starts); n > 0 {
		from = starts[n-1].Add(s.run.Spec.Design.Duration.Duration)
	}
	if s.run.Status.Progress.EstimatedEnd != nil && s.run.Status.Progress.CurrentTrial != nil && len(starts) == 0 {
		return
	}
	s.run.Status.Progress.EstimatedEnd = &metav1.Time{Time: from.Add(time.Duration(left) * pace).Truncate(time.Second)}
}

func progressText(p v1alpha1.Progress) string { return fmt.Sprintf("%d/%d", p.Done, p.Planned) }
