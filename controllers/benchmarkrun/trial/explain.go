package trial

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// evidenceTime is how long after a client lost its server the kubelet is given to say
// what became of the server.
const evidenceTime = 5 * time.Second

// explain looks at the database for the cause of a failure that a client only saw from
// its side, and for a restart that no client noticed. It waits a moment where the cluster
// may not have told yet: the state is nil when the cause is known.
func explain(in Input, e Execution, end End, ask *decision.Asking) (End, decision.State) {
	switch t := in.Run.Target(e.Ref.Target); {
	case t.Service() != nil:
		return explainBehind(in, e, end, ask)
	case t.External != nil:
		return end, nil
	}
	meta := ask.Metadata(e.Name)
	if !meta.Exists {
		return end, nil
	}
	pods := strings.Split(meta.Value.Annotations[v1alpha1.AnnotationTarget], betweenPods)
	reason, message := end.Reason, end.Message
	for i, name := range serverPods(in.Run, in.Run.Target(e.Ref.Target)) {
		text := "" // a release before knew of no further servers
		if i < len(pods) {
			text = pods[i]
		}
		began, err := podhealth.ParseBegan(text)
		if err != nil {
			return end, decision.FailWith(v1alpha1.ReasonResultContradictory, "ConfigMap %s, annotation %s: %v", e.Name, v1alpha1.AnnotationTarget, err)
		}
		if end.failed() {
			if reason == end.Reason { // the first server that was the cause
				reason, message = podhealth.Cause(end.Reason, end.Message, began, ask.See(in.Children.TargetPods[name]), resources.ServerContainer)
			}
			continue
		}
		// The cache may not have heard yet of a restart during the window.
		live := decision.Get[*corev1.Pod](ask, name+"-0")
		if live.Known && podhealth.Restarted(began, live.Value, resources.ServerContainer) {
			return end.with(v1alpha1.ReasonTargetRestarted, "the database restarted while it was measured: see the log of the database pod"), nil
		}
	}
	if end.failed() && reason == end.Reason && awaitsEvidence(in, end) {
		return end, awaitEvidence(in, e)
	}
	return end.with(reason, message), nil
}

// awaitsEvidence says whether a client lost its server so lately that the cluster may not have told yet what became of it.
func awaitsEvidence(in Input, end End) bool {
	lostServer := end.Reason == string(contract.ReasonConnectionLost) || end.Reason == string(contract.ReasonTargetUnreachable)
	return lostServer && in.Now.Sub(end.At) < evidenceTime
}

func awaitEvidence(in Input, e Execution) decision.State {
	return decision.WaitFor(v1alpha1.ReasonProgressing, "%s: a client lost its server; waiting for what became of it", e.Name).At(in.Now.Add(time.Second))
}

const (
	// maxLog bounds the log of a container that is kept, in bytes, and maxToolLog that of a
	// tool's container: what the tool itself prints is in the raw output.
	maxLog     = 16 << 10
	maxToolLog = 2 << 10
	// maxLogs bounds the clients whose log is kept.
	maxLogs = 4
)

// keepLogs puts the last lines of the pods of a failed execution into the result of its
// first client, before anything can delete the pods. They have at most so many bytes together.
func keepLogs(in Input, e Execution, end End, most int64, ask *decision.Asking) []decision.Action {
	var titles, logs []string
	total := 0
	add := func(pod *corev1.Pod, container string, previous bool, limit int) {
		if log := ask.Log(pod.Name, container, previous); log.Exists && log.Value != "" {
			titles = append(titles, fmt.Sprintf("== pod %s, container %s\n", pod.Name, container))
			logs = append(logs, tail(log.Value, limit))
			total += len(logs[len(logs)-1])
			most -= int64(len(titles[len(titles)-1]) + 1)
		}
	}
	for _, pod := range end.Pods[:min(len(end.Pods), maxLogs)] {
		add(pod, resources.AgentContainer, false, maxLog)
		add(pod, resources.RunnerContainer, false, maxToolLog)
	}
	for _, name := range serverPods(in.Run, in.Run.Target(e.Ref.Target)) {
		if pod := in.Children.TargetPods[name]; pod != nil {
			add(pod, resources.ServerContainer, restartedLately(pod), maxLog)
		}
	}
	if len(logs) == 0 {
		return nil
	}
	var text strings.Builder
	for i, log := range logs {
		if int64(total) > most {
			log = tail(log, int(int64(len(log))*most/int64(total)))
		}
		text.WriteString(titles[i] + log + "\n")
	}
	return []decision.Action{decision.AddData{Name: contract.ResultName(e.Name, 0), Key: contract.KeyLog, Value: text.String()}}
}

func tail(log string, limit int) string {
	if over := len(log) - limit; over > 0 {
		return strings.ToValidUTF8(log[over:], "")
	}
	return log
}

// restartedLately says whether the log of the container before this one tells why.
func restartedLately(pod *corev1.Pod) bool {
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == resources.ServerContainer {
			return c.LastTerminationState.Terminated != nil
		}
	}
	return false
}
