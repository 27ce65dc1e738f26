package trial

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	servers "github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// podsBehind the Service of the target of an execution, as they are now. It is not known for a target without a Service.
func podsBehind(in Input, e Execution, ask *decision.Asking) (pods []v1alpha1.ServicePod, known bool) {
	t := in.Run.Target(e.Ref.Target)
	if t.External == nil || t.External.ServiceRef == nil {
		return nil, false
	}
	behind := ask.Behind(t.External.ServiceRef.Name)
	if !behind.Known {
		return nil, false
	}
	if !behind.Exists {
		return nil, true // the Service is gone, and nothing is behind it
	}
	found, _ := servers.Found(t.External.Port, behind.Value)
	return found.Pods, !behind.Value.Forbidden
}

// beganBehind is what stands on a trial's ConfigMap of the pods behind a Service; empty where there is none.
func beganBehind(in Input, e Execution, ask *decision.Asking) string {
	if e.phase() != contract.PhaseRun {
		return ""
	}
	pods, known := podsBehind(in, e, ask)
	if !known {
		return ""
	}
	text, err := json.Marshal(pods)
	if err != nil {
		panic(fmt.Sprintf("encode pods: %v", err)) // texts and numbers always marshal
	}
	return string(text)
}

// changedBehind says how the pods behind the Service of a trial changed since it began, in words, one for each change.
func changedBehind(in Input, e Execution, ask *decision.Asking) ([]string, error) {
	now, known := podsBehind(in, e, ask)
	if !known {
		return nil, nil
	}
	cm := ask.ConfigMap(e.Name)
	text := ""
	if cm.Exists {
		text = cm.Value.Annotations[v1alpha1.AnnotationServicePods]
	}
	if text == "" {
		return nil, nil
	}
	var began []v1alpha1.ServicePod
	if err := json.Unmarshal([]byte(text), &began); err != nil {
		return nil, fmt.Errorf("ConfigMap %s, annotation %s: %w", e.Name, v1alpha1.AnnotationServicePods, err)
	}
	return servers.PodsChanged(began, now), nil
}

// explainBehind adds to a failure what changed behind the Service meanwhile. It waits a moment where a client lost its server and the
// cluster may not have told yet.
func explainBehind(in Input, e Execution, end End, ask *decision.Asking) (End, decision.State) {
	if !end.failed() {
		return end, nil // the record says it
	}
	changed, err := changedBehind(in, e, ask)
	switch {
	case err != nil:
		return end, decision.FailWith(v1alpha1.ReasonResultContradictory, "%v", err)
	case len(changed) > 0:
		return end.with(end.Reason, fmt.Sprintf("%s; since the trial began, behind Service %s: %s", end.Message, serviceOf(in, e), abridged(changed))), nil
	case awaitsEvidence(in, end):
		return end, awaitEvidence(in, e)
	}
	return end, nil
}

func serviceOf(in Input, e Execution) string {
	return in.Run.Target(e.Ref.Target).External.ServiceRef.Name
}

// checkBehind says whether the pods behind the Service are those with which the trial began, and where they are.
func checkBehind(in Input, e Execution, rec contract.Record, ask *decision.Asking) []contract.RecordedFinding {
	now, known := podsBehind(in, e, ask)
	if !known {
		return nil
	}
	var out []contract.RecordedFinding
	add := func(check string, severity validity.Severity, format string, args ...any) {
		out = append(out, contract.RecordedFinding{Check: check, Severity: string(severity), Message: fmt.Sprintf(format, args...)})
	}
	changed, err := changedBehind(in, e, ask)
	switch {
	case err != nil:
		add("service-pods-changed", validity.Disturbed, "what was behind Service %s when the trial began cannot be read: %v", serviceOf(in, e), err)
	case len(changed) > 0:
		add("service-pods-changed", validity.Disturbed, "behind Service %s while the trial was measured: %s", serviceOf(in, e), abridged(changed))
	}
	var apart, beside []string
	for _, p := range now {
		switch {
		case p.NodeName == "" || slices.Contains(in.Run.Status.Placement.ServiceNodeNames, p.NodeName):
		case in.Run.Separates() && slices.Contains(rec.ClientNodeNames, p.NodeName):
			beside = append(beside, fmt.Sprintf("%s on %s", p.Name, p.NodeName))
		default:
			apart = append(apart, fmt.Sprintf("%s on %s", p.Name, p.NodeName))
		}
	}
	if len(beside) > 0 {
		add("service-pods-moved", validity.Disturbed, "a pod behind Service %s came to a node of a client of this trial: %s", serviceOf(in, e), strings.Join(beside, ", "))
	}
	if len(apart) > 0 {
		add("service-pods-moved", validity.Warning, "pods behind Service %s are on nodes that the run does not hold, so that other runs may be there: %s", serviceOf(in, e), abridged(apart))
	}
	return out
}

// nodeBehind is the one node of all pods behind the Service of a trial; empty for several, and for none.
func nodeBehind(in Input, e Execution, ask *decision.Asking) string {
	pods, known := podsBehind(in, e, ask)
	if !known {
		return ""
	}
	return servers.Common(e.Ref.Target, v1alpha1.ResolvedService{Pods: pods}).NodeName
}

// withoutServers are the names of pods but those behind the Services of targets: they are measured.
func withoutServers(in Input, pods []string) []string {
	if in.Run.Status.Resolved == nil {
		return pods
	}
	return slices.DeleteFunc(pods, func(name string) bool {
		return slices.ContainsFunc(in.Run.Status.Resolved.Targets, func(t v1alpha1.ResolvedTarget) bool {
			return t.Service != nil && slices.ContainsFunc(t.Service.Pods, func(p v1alpha1.ServicePod) bool { return name == in.Run.Namespace+"/"+p.Name })
		})
	})
}
