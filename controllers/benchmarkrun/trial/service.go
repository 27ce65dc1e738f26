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
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// seen is what is behind the Service of a target now.
type seen struct {
	servers.Look
	// problem is why it is not known which pods are there, in words; empty where it is known.
	problem string
}

// seeBehind the Service of the target of an execution. There is none for a target without a Service, and while questions are open.
func seeBehind(in Input, e Execution, ask *decision.Asking) (out seen, is bool) {
	t := in.Run.Target(e.Ref.Target)
	if t.Service() == nil {
		return out, false
	}
	behind := ask.Behind(t.Service().Name)
	switch {
	case !behind.Known:
		return out, false
	case !behind.Exists: // the Service is gone, and nothing is behind it
		return out, true
	}
	out.Look = servers.Found(t.External.Port, behind.Value)
	switch {
	case out.Problem != "" && !out.Passes:
		out.problem = out.Problem
	case behind.Value.Forbidden || behind.Value.Cut:
		out.problem = out.Service.Unseen
	}
	return out, true
}

// beganBehind is what stands on a trial's ConfigMap of the pods behind a Service; empty where there is none, or they are not known.
func beganBehind(in Input, e Execution, ask *decision.Asking) string {
	if e.phase() != contract.PhaseRun {
		return ""
	}
	now, is := seeBehind(in, e, ask)
	if !is || now.problem != "" {
		return ""
	}
	text, err := json.Marshal(now.Service.Pods)
	if err != nil {
		panic(fmt.Sprintf("encode pods: %v", err)) // texts and numbers always marshal
	}
	return string(text)
}

// pastBehind are the pods behind the Service of a trial when it began; it is not known for those of which nothing was seen.
func pastBehind(e Execution, ask *decision.Asking) (began []v1alpha1.ServicePod, known bool, err error) {
	cm := ask.ConfigMap(e.Name)
	text := ""
	if cm.Exists {
		text = cm.Value.Annotations[v1alpha1.AnnotationServicePods]
	}
	if text == "" {
		return nil, false, nil
	}
	if err := json.Unmarshal([]byte(text), &began); err != nil {
		return nil, false, fmt.Errorf("ConfigMap %s, annotation %s: %w", e.Name, v1alpha1.AnnotationServicePods, err)
	}
	return began, true, nil
}

// explainBehind adds to a failure what changed behind the Service meanwhile. It waits a moment where a client lost its server and the
// cluster may not have told yet.
func explainBehind(in Input, e Execution, end End, ask *decision.Asking) (End, decision.State) {
	if !end.failed() {
		return end, nil // the record says it
	}
	now, is := seeBehind(in, e, ask)
	began, known, err := pastBehind(e, ask)
	var changed []string
	if is && known && now.problem == "" {
		changed = servers.PodsChanged(began, now.Service.Pods)
	}
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
	return in.Run.Target(e.Ref.Target).Service().Name
}

// checkBehind says whether the pods behind the Service are those with which the trial began, and those with which the run got its nodes, and
// where they are.
func checkBehind(in Input, e Execution, rec contract.Record, ask *decision.Asking) []contract.RecordedFinding {
	now, is := seeBehind(in, e, ask)
	if !is {
		return nil
	}
	began, known, err := pastBehind(e, ask)
	c := comparing{service: serviceOf(in, e)}
	resolved := in.Run.ResolvedTarget(e.Ref.Target).Service
	switch {
	case err != nil:
		c.addFinding("service-pods-changed", validity.Disturbed, "what was behind Service %s when the trial began cannot be read: %v", c.service, err)
	case now.problem != "":
		c.unseen(resolved, "when the trial ended: "+now.problem)
	case !known:
		c.unseen(resolved, "when the trial began")
	default:
		if changed := servers.PodsChanged(began, now.Service.Pods); len(changed) > 0 {
			c.addFinding("service-pods-changed", validity.Disturbed, "behind Service %s between the beginning of the trial and its record: %s", c.service, abridged(changed))
		}
	}
	if known && resolved != nil {
		if others := servers.PodsChanged(withoutRestarts(resolved.Pods), withoutRestarts(began)); len(others) > 0 {
			c.addFinding("service-pods-others", validity.Warning, "behind Service %s, since the run got its nodes and before the trial began: %s", c.service, abridged(others))
		}
	}
	c.places(in, rec, now.Service.Pods)
	return c.found
}

// comparing finds what became other behind a Service.
type comparing struct {
	service string
	found   []contract.RecordedFinding
}

func (c *comparing) addFinding(check string, severity validity.Severity, format string, args ...any) {
	c.found = append(c.found, contract.RecordedFinding{Check: check, Severity: string(severity), Message: fmt.Sprintf(format, args...)})
}

// unseen: the pods of a Service are not known, which were when the run got its nodes. Where they were not, the run says it.
func (c *comparing) unseen(resolved *v1alpha1.ResolvedService, why string) {
	if resolved == nil || resolved.Unseen == "" {
		c.addFinding("service-unseen", validity.Warning, "which pods are behind Service %s was not known %s: a change of them during the trial is not seen", c.service, why)
	}
}

// places of the pods, compared with the nodes of the run and of the clients.
func (c *comparing) places(in Input, rec contract.Record, now []v1alpha1.ServicePod) {
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
		c.addFinding("service-pods-moved", validity.Disturbed, "a pod behind Service %s came to a node of a client of this trial: %s", c.service, strings.Join(beside, ", "))
	}
	if len(apart) > 0 {
		c.addFinding("service-pods-moved", validity.Warning, "pods behind Service %s are on nodes that the run does not hold, so that other runs may be there: %s", c.service, abridged(apart))
	}
}

// withoutRestarts of containers: between two trials they disturb neither.
func withoutRestarts(pods []v1alpha1.ServicePod) []v1alpha1.ServicePod {
	out := slices.Clone(pods)
	for i := range out {
		out[i].RestartCount = nil
	}
	return out
}

// commonBehind is what is the same for all pods behind the Service of a trial; nothing where they are not all known.
func commonBehind(in Input, e Execution, ask *decision.Asking) servers.Shared {
	now, is := seeBehind(in, e, ask)
	if !is || now.problem != "" {
		return servers.Shared{}
	}
	return servers.SharedBy(now.Service)
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

// anotherServer: at the address of an external target another server answers than in its last trial, as far as that is in the last part of the records.
// Nothing within a trial shows it.
func anotherServer(in Input, rec contract.Record) []contract.RecordedFinding {
	now := likeness.Instance(rec.Facts)
	if now == "" {
		return nil
	}
	for _, last := range slices.Backward(in.Recorded) {
		if last.Target != rec.Target || last.State != contract.Succeeded { // a failed attempt tells nobody of another server
			continue
		}
		before := likeness.Instance(last.Facts)
		if before == "" {
			continue
		}
		if before == now {
			return nil
		}
		return []contract.RecordedFinding{{Check: "server-changed", Severity: string(validity.Warning), Message: fmt.Sprintf(
			"another server answers at the address of the target than in trial %d: now %s, and then %s; trials before and after this are of different machines", last.Index, now, before)}}
	}
	return nil
}
