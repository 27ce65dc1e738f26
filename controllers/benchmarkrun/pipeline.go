package benchmarkrun

import (
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/holds"
	"github.com/assay-bench/assay/controllers/benchmarkrun/provision"
	"github.com/assay-bench/assay/internal/experiment"
)

// step is one entry of the pipeline of a run.
type step struct {
	// condition that the step owns, or the name of a step of the ending.
	condition string
	// phase of the run while the step is not done.
	phase v1alpha1.Phase
	// decide what is to be done. It is pure.
	decide func(view) answer
}

// pipeline lists the steps of a run, in order.
var pipeline = []step{
	{v1alpha1.ConditionAccepted, v1alpha1.PhasePending, accepted},
	{v1alpha1.ConditionPlaced, v1alpha1.PhasePending, placed},
	{v1alpha1.ConditionTargetsReady, v1alpha1.PhaseProvisioning, targetsReady},
	{v1alpha1.ConditionDataLoaded, v1alpha1.PhaseLoading, dataLoaded},
	{v1alpha1.ConditionMeasured, v1alpha1.PhaseMeasuring, measured},
}

// Steps of the ending: they own no condition.
const (
	cleaningUp = "cleaning up"
	comparing  = "comparing the results with the records"
	concluding = "concluding"
)

// ending is what happens after the pipeline, or after the step at which the run failed.
func ending(failure decision.Failed) []step {
	return []step{
		{cleaningUp, v1alpha1.PhaseCleaning, func(v view) answer { return cleaned(v, failure) }},
		{comparing, v1alpha1.PhaseCleaning, compared},
		{concluding, v1alpha1.PhaseCleaning, func(v view) answer { return concluded(v, failure) }},
	}
}

// answer of a step. It has no meaning while questions are open.
type answer struct {
	state decision.State
	// actions that have to be performed, in their order, before the changes are applied.
	actions []decision.Action
	// changes of the status.
	changes []change
	// checked is how far the results were compared.
	checked conclude.Checked
	// again: once the actions are performed, more can be decided at once.
	again bool
}

func answerWith(state decision.State) answer { return answer{state: state} }

// decidedStep is a step and its answer.
type decidedStep struct {
	step
	answer
	// ends: the step is one of the ending.
	ends bool
}

// pass is what was decided from a world.
type pass struct {
	steps []decidedStep
	// missing are the questions of the last step: nothing is decided while there are any.
	missing []decision.Query
	// planned and checked are kept in memory for the next pass.
	planned experiment.Planned
	checked conclude.Checked
}

// last step that was reached.
func (p pass) last() *decidedStep { return &p.steps[len(p.steps)-1] }

// decide goes through the pipeline until a step is not done. A run that has failed, and
// one whose last step is done, comes to its ending. A run that is overdue ends at the first
// step that was not done before.
func decide(w World) pass {
	v := viewOf(w)
	if holds.Releasing(w.Run) {
		return releasing(v)
	}
	return v.walk().letGo(v)
}

// letGo of the placeholders of a run that does not wait for nodes to be made any more: those of its targets when its status has its nodes,
// those of its clients too when its targets are ready, and all of them where it is suspended or queued, waits for a Service or has failed.
// Its requests for nodes go with the first of them.
func (p pass) letGo(v view) pass {
	last := p.last()
	wait, waits := last.state.(decision.Waiting)
	which := provision.All()
	switch {
	case len(p.missing) > 0 || waits && wait.Reason == v1alpha1.ReasonProvisioningNodes:
		return p
	case !waits || last.ends || slices.Contains(asksForNone, wait.Reason):
	case last.condition == v1alpha1.ConditionAccepted || v.Run.Status.Placement == nil: // a plan that is made again; nodes that no status has
		return p
	case last.condition == v1alpha1.ConditionPlaced || last.condition == v1alpha1.ConditionTargetsReady:
		which = provision.OfTargets(v.Run.Status.Placement)
	}
	requested := requestedIn(v)
	if p.missing = v.ask.Missing(); len(p.missing) > 0 {
		return p
	}
	first := &p.steps[0]
	first.actions = slices.Concat(first.actions, provision.LetGoRequests(requested), provision.LetGo(v.Children, which))
	return p
}

// asksForNone are the reasons of runs that wait for no nodes that are being made.
var asksForNone = []string{v1alpha1.ReasonSuspended, v1alpha1.ReasonQueued, v1alpha1.ReasonServiceNotReady}

// walk through the steps.
func (v view) walk() pass {
	p := pass{planned: v.accepted.Planned}
	for _, c := range pipeline {
		a := late(v, c)
		if a.state == nil {
			a = v.decideStep(c)
		}
		p.steps = append(p.steps, decidedStep{step: c, answer: a})
		if p.missing = v.ask.Missing(); len(p.missing) > 0 {
			return p
		}
		switch state := a.state.(type) {
		case decision.Waiting:
			return p.hold(v)
		case decision.Failed:
			return p.end(v, state)
		}
	}
	return p.end(v, decision.Failed{})
}

// take a step, unless the cluster has just refused its actions. The last step says
// itself what follows from that: no other one does.
func (v view) decideStep(c step) answer {
	if failure, refused := v.Refused[c.condition]; refused && c.condition != concluding {
		return answerWith(failure)
	}
	return c.decide(v)
}

// late is the failure of a run that is overdue at a step that was not done before; the
// state is nil for any other, and for one that waits for another manager: this one cannot
// say what was measured.
func late(v view, c step) answer {
	if apimeta.IsStatusConditionTrue(v.Run.Status.Conditions, c.condition) || v.awaitsManager() != nil {
		return answer{}
	}
	if state := outgrown(v.World); state != nil {
		return answerWith(state)
	}
	return answerWith(overdue(v.Run, v.Now))
}

// end of the run, with a failure or as complete. A failure is found again in every pass
// until then: it stands in the objects and in the journal. What cannot be cleaned up does
// not keep the run from ending.
func (p pass) end(v view, failure decision.Failed) pass {
	for _, c := range ending(failure) {
		a := v.decideStep(c)
		p.steps = append(p.steps, decidedStep{step: c, answer: a, ends: true})
		p.missing = v.ask.Missing()
		if c.condition == comparing {
			p.checked, v.Checked = a.checked, a.checked
		}
		if _, waits := a.state.(decision.Waiting); waits || len(p.missing) > 0 {
			return p
		}
	}
	return p
}
