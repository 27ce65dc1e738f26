package target

import (
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// together is the state of the targets of a run of which none has failed.
func (in Input) together(targets []Target) decision.State {
	var pending []string
	reason := v1alpha1.ReasonProgressing
	for _, t := range targets {
		w, waits := t.State.(decision.Waiting)
		if !waits || in.Measuring || in.takesTurns(t.Name, w) {
			continue
		}
		pending = append(pending, t.Name+": "+w.Message)
		reason = w.Reason
	}
	if len(pending) > 0 {
		return decision.WaitFor(reason, "%s", strings.Join(pending, "; "))
	}
	return in.known()
}

// startReasons are those of a server that is on its way, and was not lost.
var startReasons = []string{
	v1alpha1.ReasonProgressing, v1alpha1.ReasonUnschedulable, v1alpha1.ReasonImagePullFailed, v1alpha1.ReasonContainerStartFailed,
}

// takesTurns says whether a target waits because targets run in turn, and for no other
// reason: it is stopped, or it is on its way after another one was loaded or measured.
// The first one of the run, a server that restarted, and one whose pod or node was lost
// are waits of their own.
func (in Input) takesTurns(target string, w decision.Waiting) bool {
	if in.Active == "" || !slices.Contains(startReasons, w.Reason) {
		return false
	}
	restarts := Restarts(in.pod(target))
	loaded := slices.ContainsFunc(in.Run.Status.Targets, func(st v1alpha1.TargetStatus) bool { return st.LoadResult != "" })
	return w == awaitsTurn() || loaded && (in.isIdle(target) || restarts == nil || *restarts == 0)
}

// known says what is known of the targets: nobody logs in to an external one before its
// data is loaded.
func (in Input) known() decision.Done {
	var untried []string
	for _, t := range in.Run.Spec.Targets {
		if t.External != nil && in.Run.TargetStatus(t.Name).LoadResult == "" {
			untried = append(untried, t.Name)
		}
	}
	what := "every target accepts logins"
	if in.Active != "" {
		what = "one target at a time accepts logins, in its turn"
	}
	if len(untried) == 0 {
		return decision.Done{Message: what}
	}
	out := decision.DoneWith("not yet logged in to the servers that Assay did not start: %s; loading the data does", strings.Join(untried, ", "))
	if len(in.Run.Provided()) > 0 {
		out.Message = strings.Replace(what, "target", "target that Assay started", 1) + "; " + out.Message
	}
	out.Reason = v1alpha1.ReasonNotContacted
	return out
}
