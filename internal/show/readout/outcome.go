package readout

import (
	"cmp"
	"fmt"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Kind of an outcome.
type Kind string

// Kinds of outcomes.
const (
	// Going: the run has not ended.
	Going Kind = "Going"
	// Sound: the run is complete and valid, and has no gate.
	Sound Kind = "Sound"
	// Passed: so is it, and its gate passed.
	Passed Kind = "Passed"
	// Failed: the run could not be carried out.
	Failed Kind = v1alpha1.OutcomeFailed
	// Invalid: its results contradict themselves, or nobody decided that they do not.
	Invalid Kind = v1alpha1.OutcomeInvalid
	// GateFailed and GateNotJudged: the gate did not pass, or could not be judged.
	GateFailed    Kind = v1alpha1.OutcomeGateFailed
	GateNotJudged Kind = v1alpha1.OutcomeGateNotJudged
)

// exitCodes of commands that followed a run to its end, by its outcome; 0 for the others.
var exitCodes = map[Kind]int{Failed: 2, Invalid: 3, GateFailed: 4, GateNotJudged: 5}

// ExitCode of a command that followed a run of this kind.
func (k Kind) ExitCode() int { return exitCodes[k] }

// Outcome is what became of a run.
type Outcome struct {
	Kind Kind
	// Word for a column: Pending, Queued, Suspended or Running, of a run that goes on; Failed, Invalid, GateFailed, GateNotJudged,
	// GatePassed; without a gate the verdicts of its comparisons, such as Faster or "2 Slower + 3 more kinds"; Measured for a run that
	// compares nothing, and Loaded for one that only loads.
	Word string
	// Message says why.
	Message string
}

// OutcomeOf a run. What is worse comes first: a run that failed has no valid results, and a gate says nothing of
// results that are not valid.
func OutcomeOf(run *v1alpha1.BenchmarkRun) Outcome {
	because := func(kind Kind, word string, c metav1.Condition) Outcome {
		return Outcome{kind, word, strings.TrimSuffix(c.Reason+": "+c.Message, ": ")}
	}
	valid, passed := condition(run, v1alpha1.ConditionValid), condition(run, v1alpha1.ConditionPassed)
	switch {
	case run.HasFailed():
		return because(Failed, string(Failed), condition(run, v1alpha1.ConditionFailed))
	case !run.Finished():
		return Outcome{Going, goingWord(run), doing(run)}
	case valid.Status != metav1.ConditionTrue:
		return because(Invalid, string(Invalid), valid)
	case run.Spec.OnlyLoads():
		return because(Sound, loaded, condition(run, v1alpha1.ConditionComplete))
	case run.Spec.Gate == nil:
		return because(Sound, verdictWord(run.Status.Comparisons), condition(run, v1alpha1.ConditionComplete))
	case passed.Status == metav1.ConditionTrue:
		return because(Passed, gatePassed, passed)
	case passed.Status == metav1.ConditionFalse:
		return because(GateFailed, string(GateFailed), passed)
	}
	return because(GateNotJudged, string(GateNotJudged), passed)
}

// condition of a run; Unknown before it has it.
func condition(run *v1alpha1.BenchmarkRun, name string) metav1.Condition {
	if c := apimeta.FindStatusCondition(run.Status.Conditions, name); c != nil {
		return *c
	}
	return metav1.Condition{Type: name, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonNotReached}
}

// Words of outcomes that are neither a kind nor a phase.
const running, gatePassed, measured, loaded = "Running", "GatePassed", "Measured", "Loaded"

// goingWord of a run that has not ended.
func goingWord(run *v1alpha1.BenchmarkRun) string {
	switch phase := run.Status.Phase; phase {
	case v1alpha1.PhasePending, v1alpha1.PhaseQueued, v1alpha1.PhaseSuspended:
		return string(phase)
	case "":
		return string(v1alpha1.PhasePending)
	}
	return running
}

// verdictWord of the comparisons that were declared: the verdict of one, and of more, how many have that which matters most: what became
// slower, or else what was shown. A column has no room for all kinds: the verdict of the status has them.
func verdictWord(all []v1alpha1.ComparisonEntry) string {
	var words []string
	for _, e := range all {
		if e.Family == v1alpha1.FamilyPrimary {
			words = append(words, string(e.Verdict))
		}
	}
	if len(words) == 0 {
		return measured
	}
	kinds := kindsOf(words, func(v v1alpha1.ComparisonVerdict) string { return string(v) })
	if len(kinds) == 1 {
		return kinds[0]
	}
	lead := kinds[0]
	for _, kind := range kinds {
		if strings.HasSuffix(kind, " "+string(v1alpha1.VerdictSlower)) {
			lead = kind
		}
	}
	return lead + " + " + figure.Counted(len(kinds)-1, "more kind")
}

// Steps are the conditions that a run reaches one after the other.
var Steps = []string{
	v1alpha1.ConditionAccepted, v1alpha1.ConditionPlaced, v1alpha1.ConditionTargetsReady, v1alpha1.ConditionDataLoaded, v1alpha1.ConditionMeasured,
}

// StepOf a run is the first condition that is not True; ok is false when all are.
func StepOf(run *v1alpha1.BenchmarkRun) (step metav1.Condition, ok bool) {
	for _, name := range Steps {
		if c := condition(run, name); c.Status != metav1.ConditionTrue {
			return c, true
		}
	}
	return metav1.Condition{}, false
}

// Deciding are the conditions that decide the outcome of a run, the one that decides first before the others; none for a
// run that succeeded, and for one that nobody has seen.
func Deciding(run *v1alpha1.BenchmarkRun) (out []metav1.Condition) {
	var names []string
	switch {
	case run.HasFailed():
		names = []string{v1alpha1.ConditionFailed}
	case run.Finished():
		for _, name := range []string{v1alpha1.ConditionValid, v1alpha1.ConditionPassed} {
			if !apimeta.IsStatusConditionTrue(run.Status.Conditions, name) {
				names = append(names, name)
			}
		}
	case apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionSuspended):
		names = []string{v1alpha1.ConditionSuspended}
	}
	for _, name := range names {
		if c := apimeta.FindStatusCondition(run.Status.Conditions, name); c != nil {
			out = append(out, *c)
		}
	}
	if step, waits := StepOf(run); !run.Finished() && waits && len(run.Status.Conditions) > 0 {
		out = append(out, step)
	}
	return out
}

// doing says what a run that has not ended does.
func doing(run *v1alpha1.BenchmarkRun) string {
	if run.Status.ObservedGeneration < 0 || len(run.Status.Conditions) == 0 {
		return "waiting for the manager to take it up"
	}
	step, waits := StepOf(run)
	switch {
	case !waits:
		return "all trials have ended; the results are summarised"
	case step.Type == v1alpha1.ConditionMeasured && run.Status.Progress.Current != "":
		return run.Status.Progress.Current + knownSoFar(run)
	}
	return cmp.Or(step.Reason, v1alpha1.ReasonNotReached) + ": " + step.Message
}

// Caveats of a run: why its numbers may not be relied on, a line each; none for a run that has ended, has not failed and is
// valid. What is doubtful of one median, such as a rate that was not achieved, is a caveat of that median and none of the run.
func Caveats(run *v1alpha1.BenchmarkRun) (out []string) {
	if !run.Finished() {
		out = append(out, "the run has not ended")
	}
	if c := condition(run, v1alpha1.ConditionFailed); c.Status == metav1.ConditionTrue {
		out = append(out, contract.Line(fmt.Sprintf("the run has failed (%s): %s", c.Reason, c.Message)))
	}
	switch c := condition(run, v1alpha1.ConditionValid); {
	case c.Status == metav1.ConditionFalse:
		out = append(out, contract.Line(fmt.Sprintf("the run is not valid (%s): %s", c.Reason, c.Message)))
	case c.Status != metav1.ConditionTrue && run.Finished() && !run.HasFailed():
		out = append(out, contract.Line(strings.TrimSuffix(fmt.Sprintf("whether the run is valid is not known (%s): %s", c.Reason, c.Message), ": ")))
	}
	return out
}
