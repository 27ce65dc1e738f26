package benchmarkrun

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/health"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/verdict/gate"
)

// status writes the status of a run: the old one, with what the steps returned.
func status(w World, steps []decidedStep) v1alpha1.BenchmarkRunStatus {
	t := statusWriter{run: w.Run.DeepCopy(), now: w.Now}
	for _, c := range steps {
		for _, apply := range c.changes {
			apply(t)
		}
		if !c.ends {
			t.setStep(c)
		} else if wait, waits := c.state.(decision.Waiting); waits {
			t.setWaiting(c.phase, wait)
		}
	}
	readout.SetWords(t.run)
	return t.run.Status
}

// statusWriter applies changes to the status of its own copy of the run.
type statusWriter struct {
	run *v1alpha1.BenchmarkRun
	now time.Time
}

func (t statusWriter) applyAccepted(res accept.Result) {
	st := &t.run.Status
	if p := res.Planned.Plan; p != nil {
		st.Progress.Planned = int32(len(p.Trials))
		st.Progress.Text = cmp.Or(st.Progress.Text, progressText(st.Progress))
	}
	if _, failed := res.State.(decision.Failed); failed {
		return
	}
	st.Resolved, st.AcceptedTime, st.SpecHash, st.Plan = res.Status.Resolved, res.Status.AcceptedTime, res.Status.SpecHash, res.Status.Plan
	st.Integrity = res.Status.Integrity.DeepCopy()
	if res.Status.Results != nil {
		st.Results = new(*res.Status.Results)
	}
	for _, one := range t.run.Spec.Targets {
		targetStatus(st, one.Name) // in the order of the spec
	}
	for _, q := range res.Status.Targets {
		*targetStatus(st, q.Name) = q
	}
	st.Findings = withFindings(st.Findings, res.Findings...)
}

func (n endedChange) apply(t statusWriter) {
	if !decision.IsDone(n.result.State) {
		return
	}
	st := &t.run.Status
	st.CompletionTime = &metav1.Time{Time: t.now}
	if p := st.Placement; p != nil {
		p.HeldUntil, p.ReleaseTime = nil, nil
		if !n.heldUntil.IsZero() {
			p.HeldUntil = &metav1.Time{Time: n.heldUntil}
			t.set(v1alpha1.ConditionPlaced, metav1.ConditionTrue, v1alpha1.ReasonSucceeded, fmt.Sprintf(
				"%s; retained until %s (queue.hold.retained)", placement.Describe(*p), n.heldUntil.UTC().Format(time.RFC3339)))
		}
	}
	st.Progress.CurrentTrial, st.Progress.Current, st.Progress.EstimatedCompletionTime = nil, "", nil
	res := n.result
	st.Summary, st.MachineSpeed = res.Status.Summary, res.Status.MachineSpeed
	if st.Integrity != nil {
		st.Integrity.SummarySHA256 = res.SummarySHA256
	}
	if r := st.Results; r != nil {
		r.TrialBytes, r.HeldBytes = n.bytes, r.HeldBytes+n.bytes-r.TrialBytes
	}
	if stored := res.Status.Results; stored != nil {
		st.Headline, st.Comparisons, st.Differences = res.Status.Headline, res.Status.Comparisons, res.Status.Differences
		st.Searches, st.Sweeps = res.Status.Searches, res.Status.Sweeps
		r := st.Results
		r.SummaryConfigMapCount, r.SummaryEntryCount = stored.SummaryConfigMapCount, stored.SummaryEntryCount
		r.ShownEntryCount, r.SweepCount, r.SearchCount = stored.ShownEntryCount, stored.SweepCount, stored.SearchCount
		r.ComparisonCount, r.ShownComparisonCount = stored.ComparisonCount, stored.ShownComparisonCount
	}
	st.Findings = withFindings(st.Findings, res.Findings...)
	if v := res.Verdict; v.Known {
		valid := metav1.ConditionFalse
		if v.Valid {
			valid = metav1.ConditionTrue
		}
		t.set(v1alpha1.ConditionValid, valid, v.Reason, v.Message)
	}
	t.set(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "the run has ended")
	if n.failure.Reason == "" {
		st.Phase = v1alpha1.PhaseComplete
		t.set(v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.ReasonSucceeded, conclude.Message(t.run))
		t.set(v1alpha1.ConditionFailed, metav1.ConditionFalse, v1alpha1.ReasonSucceeded, "the run is complete")
		health.Ready(&st.Conditions, t.said(v1alpha1.ReasonSucceeded, conclude.Message(t.run)))
	} else {
		st.Phase = v1alpha1.PhaseFailed
		t.set(v1alpha1.ConditionFailed, metav1.ConditionTrue, n.failure.Reason, n.failure.Message)
		t.set(v1alpha1.ConditionComplete, metav1.ConditionFalse, n.failure.Reason, "the run has failed")
		health.Stalled(&st.Conditions, t.said(n.failure.Reason, n.failure.Message))
	}
	t.applyGate(n.gate)
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

// conditionReason is what the API server takes as the reason of a condition.
var conditionReason = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

// said of the run in this pass.
func (t statusWriter) said(reason, message string) health.Said {
	if !conditionReason.MatchString(reason) {
		// What announced a result may be no agent: a status that is refused would end no run.
		reason, message = v1alpha1.ReasonResultContradictory, fmt.Sprintf("%q is no reason: %s", reason, message)
	}
	return health.Said{Generation: t.run.Generation, Now: t.now, Reason: reason, Message: message}
}

// set a condition. Its time is that of its status; that of a wait that is Timed is of its reason (setStep).
func (t statusWriter) set(condition string, status metav1.ConditionStatus, reason, message string) {
	said := t.said(reason, message)
	apimeta.SetStatusCondition(&t.run.Status.Conditions, metav1.Condition{
		Type: condition, Status: status, Reason: said.Reason, Message: said.Message, ObservedGeneration: said.Generation, LastTransitionTime: metav1.Time{Time: said.Now},
	})
}

// setUndecided makes every condition present from the first status on: those that no
// step has decided are Unknown.
func (t statusWriter) setUndecided() {
	conditions := v1alpha1.ConditionTypes()
	if t.run.Spec.Gate != nil {
		conditions = append(slices.Clip(conditions), v1alpha1.ConditionPassed)
	}
	for _, condition := range conditions {
		if apimeta.FindStatusCondition(t.run.Status.Conditions, condition) != nil {
			continue
		}
		switch condition {
		case v1alpha1.ConditionSuspended:
			t.set(condition, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "spec.suspend is false")
		case v1alpha1.ConditionReconciling:
			t.set(condition, metav1.ConditionTrue, v1alpha1.ReasonProgressing, "the run begins")
		case v1alpha1.ConditionPassed:
			t.set(condition, metav1.ConditionUnknown, v1alpha1.ReasonNotReached, "the run has not ended")
		case v1alpha1.ConditionStalled:
			t.set(condition, metav1.ConditionFalse, v1alpha1.ReasonProgressing, "the run has not failed")
		default:
			t.set(condition, metav1.ConditionUnknown, v1alpha1.ReasonNotReached, "the run has not come so far")
		}
	}
}

// setStep puts the state of a step into its condition.
func (t statusWriter) setStep(c decidedStep) {
	t.run.Status.ObservedGeneration = t.run.Generation
	switch state := c.state.(type) {
	case decision.Done:
		t.set(c.condition, metav1.ConditionTrue, cmp.Or(state.Reason, v1alpha1.ReasonSucceeded), state.Message)
	case decision.Failed:
		t.set(c.condition, metav1.ConditionFalse, state.Reason, state.Message)
	case decision.Waiting:
		if before := apimeta.FindStatusCondition(t.run.Status.Conditions, c.condition); state.Timed && before != nil && before.Reason != state.Reason {
			before.LastTransitionTime = metav1.Time{Time: t.now}
		}
		t.set(c.condition, metav1.ConditionFalse, state.Reason, state.Message)
		t.setWaiting(c.phase, state)
	}
}

// setWaiting says what the run is waiting for.
func (t statusWriter) setWaiting(phase v1alpha1.Phase, wait decision.Waiting) {
	st := &t.run.Status
	st.Phase = phase
	if wait.Reason == v1alpha1.ReasonQueued {
		st.Phase = v1alpha1.PhaseQueued
	}
	if t.run.Spec.Suspend && wait.Reason == v1alpha1.ReasonSuspended {
		st.Phase = v1alpha1.PhaseSuspended
	}
	t.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, wait.Reason, wait.Message)
}

// unread is the status of a run whose world cannot be read: the user does not read our log.
func unread(run *v1alpha1.BenchmarkRun, now time.Time, err error) v1alpha1.BenchmarkRunStatus {
	t := statusWriter{run: run.DeepCopy(), now: now}
	t.run.Status = keepTime(run, now)
	t.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonRetrying, "trying again: "+err.Error())
	readout.SetWords(t.run)
	return t.run.Status
}

// keepTime is the status with every condition, and with the time that the run spends
// suspended.
func keepTime(run *v1alpha1.BenchmarkRun, now time.Time) v1alpha1.BenchmarkRunStatus {
	t := statusWriter{run: run.DeepCopy(), now: now}
	t.setUndecided()
	st := &t.run.Status
	switch {
	case run.Spec.Suspend && st.SuspendedTime == nil:
		if st.StartTime != nil && st.Placement == nil {
			st.SuspendedDuration = withoutNodes(*st, now)
		}
		st.SuspendedTime = &metav1.Time{Time: now}
		t.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, "spec.suspend is true: nothing new is started")
	case !run.Spec.Suspend && st.SuspendedTime != nil:
		// A suspension that ended before what ran did has held nothing back: it does not move the
		// deadline, or a run could hold its nodes for ever by being suspended during its trials.
		if st.Placement == nil || st.Placement.HeldUntil != nil {
			st.SuspendedDuration = &metav1.Duration{Duration: suspendedFor(*st, now)}
		}
		st.SuspendedTime = nil
		if st.Placement != nil && st.Placement.ReleaseTime == nil {
			st.Placement.HeldUntil = nil
		}
		if st.AcceptedTime != nil && st.Placement == nil {
			// It left the queue, and joins it again at its end.
			st.AcceptedTime = &metav1.Time{Time: now}
		}
		t.set(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "spec.suspend is false")
	}
	return *st
}

// withoutNodes adds the wait in the queue of a run that gave its nodes back to its suspensions.
func withoutNodes(st v1alpha1.BenchmarkRunStatus, now time.Time) *metav1.Duration {
	d := metav1.Duration{Duration: now.Sub(st.AcceptedTime.Time)}
	if st.SuspendedDuration != nil {
		d.Duration += st.SuspendedDuration.Duration
	}
	return &d
}

// suspendedFor is the time spent suspended so far, since the run was accepted.
func suspendedFor(st v1alpha1.BenchmarkRunStatus, now time.Time) time.Duration {
	var d time.Duration
	if st.SuspendedDuration != nil {
		d = st.SuspendedDuration.Duration
	}
	if st.SuspendedTime != nil && st.StartTime != nil {
		from := st.SuspendedTime.Time
		if from.Before(st.StartTime.Time) {
			from = st.StartTime.Time
		}
		d += now.Sub(from)
	}
	return d
}

// maxNodes is the bound of status.nodes: 8 targets with 4 replicas each, and 64 clients.
const maxNodes = 8*5 + 64

// addNodes describes nodes, each once. The CPU model of a node is known later than the
// rest: a pod on it reads it.
func addNodes(st *v1alpha1.BenchmarkRunStatus, nodes []v1alpha1.NodeInfo) {
	for _, n := range nodes {
		i := slices.IndexFunc(st.Nodes, func(o v1alpha1.NodeInfo) bool { return o.Name == n.Name })
		switch {
		case i >= 0:
			st.Nodes[i].CPUModel = cmp.Or(n.CPUModel, st.Nodes[i].CPUModel)
		case len(st.Nodes) < maxNodes:
			st.Nodes = append(st.Nodes, n)
		}
	}
}

// resultsStatus finds or adds the status of the results.
func resultsStatus(st *v1alpha1.BenchmarkRunStatus) *v1alpha1.ResultsStatus {
	if st.Results == nil {
		st.Results = &v1alpha1.ResultsStatus{}
	}
	return st.Results
}

// targetStatus finds or adds the status of a target.
func targetStatus(st *v1alpha1.BenchmarkRunStatus, name string) *v1alpha1.TargetStatus {
	i := slices.IndexFunc(st.Targets, func(t v1alpha1.TargetStatus) bool { return t.Name == name })
	if i < 0 {
		i, st.Targets = len(st.Targets), append(st.Targets, v1alpha1.TargetStatus{Name: name})
	}
	return &st.Targets[i]
}
