package podhealth

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestClient(t *testing.T) {
	tests := map[string]struct {
		pod   *corev1.Pod
		after time.Duration
		want  want
	}{
		"an unschedulable pod waits with the scheduler's words": {pod(unschedulable), time.Minute, want{Waiting, v1alpha1.ReasonUnschedulable, "0/3 nodes"}},
		"an unschedulable pod fails in the end":                 {pod(unschedulable), 6 * time.Minute, want{Failed, v1alpha1.ReasonUnschedulable, "0/3 nodes"}},
		"a pull that fails is borne for a while":                {pod(waitingFor("ImagePullBackOff")), time.Minute, want{Waiting, v1alpha1.ReasonImagePullFailed, "img:1"}},
		"a pull that keeps failing fails":                       {pod(waitingFor("ErrImagePull")), 3 * time.Minute, want{Failed, v1alpha1.ReasonImagePullFailed, "img:1"}},
		"an image name that is no name fails at once":           {pod(waitingFor("InvalidImageName")), 0, want{Failed, v1alpha1.ReasonImagePullFailed, "told"}},
		"an image that must not be pulled fails at once":        {pod(waitingFor("ErrImageNeverPull")), 0, want{Failed, v1alpha1.ReasonImagePullFailed, "told"}},
		"a missing key in a Secret is borne for a while":        {pod(waitingFor("CreateContainerConfigError")), time.Second, want{Waiting, v1alpha1.ReasonContainerStartFailed, "told"}},
		"a missing key in a Secret fails in the end":            {pod(waitingFor("CreateContainerConfigError")), 3 * time.Minute, want{Failed, v1alpha1.ReasonContainerStartFailed, "told"}},
		"a pod that is being made waits":                        {pod(waitingFor("ContainerCreating")), time.Minute, want{Waiting, v1alpha1.ReasonProgressing, "starting"}},
		"a pod that never starts fails":                         {pod(waitingFor("ContainerCreating")), 16 * time.Minute, want{Failed, v1alpha1.ReasonContainerStartFailed, "did not start"}},
		"a running container is running":                        {pod(running), time.Hour, want{Running, "", ""}},
		"an evicted pod is told as such": {pod(func(p *corev1.Pod) {
			p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, "Evicted", "low on disk"
		}), 0, want{Failed, v1alpha1.ReasonPodEvicted, "low on disk"}},
		"an agent whose tool's image cannot be pulled waits":   {pod(with(runningState, waitingState("ImagePullBackOff"))), time.Second, want{Waiting, v1alpha1.ReasonImagePullFailed, "tool:1"}},
		"an agent whose tool's image is never there fails":     {pod(with(runningState, waitingState("ErrImageNeverPull"))), 0, want{Failed, v1alpha1.ReasonImagePullFailed, "tool:1"}},
		"an agent whose tool's container is being made starts": {pod(with(runningState, waitingState("ContainerCreating"))), time.Second, want{Waiting, v1alpha1.ReasonProgressing, "starting"}},
		"an agent and its tool run":                            {pod(with(runningState, runningState)), time.Hour, want{Running, "", ""}},
		"a tool that ended before its agent is the agent's":    {pod(with(runningState, endedState(137, "OOMKilled"))), time.Hour, want{Running, "", ""}},
		"a failed agent is heard when its tool has ended":      {pod(with(endedState(1, "Error"), endedState(0, "Completed"))), time.Second, want{Ended, "", ""}},
		"a failed agent is not heard before":                   {pod(with(endedState(1, "Error"), runningState)), 4 * time.Second, want{Running, "", ""}},
		"a failed agent is heard in the end":                   {pod(with(endedState(1, "Error"), runningState)), 5 * time.Second, want{Ended, "", ""}},
		"an agent that succeeded is heard at once":             {pod(with(endedState(0, "Completed"), runningState)), 0, want{Ended, "", ""}},
		"a tool without memory":                                {pod(with(endedState(1, "Error"), endedState(137, "OOMKilled"))), 0, want{Ended, v1alpha1.ReasonClientOOMKilled, "larger shape"}},
		"an agent without memory":                              {pod(with(endedState(137, "OOMKilled"), endedState(0, "Completed"))), 0, want{Ended, v1alpha1.ReasonAgentOOMKilled, "agent.resources"}},
		"a container that ended has ended, however it did": {pod(container(corev1.ContainerStatus{State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 137},
		}})), 0, want{Ended, "", ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.want.check(t, Client(Seen{Pod: tt.pod}, Containers{Agent: "main", Tool: "tool"}, config.Default().Timeouts, start.Add(tt.after)))
		})
	}
}

var runningState = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}

func waitingState(reason string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "told"}}
}

// endedState is of a container that ended at start.
func endedState(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, FinishedAt: metav1.Time{Time: start}}}
}

// with the containers of a client pod.
func with(agent, tool corev1.ContainerState) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Image: "agent:1", State: agent}, {Name: "tool", Image: "tool:1", State: tool}}
	}
}

// on binds a pod to a node.
func on(p *corev1.Pod) { p.Spec.NodeName = "n" }

func phase(phase corev1.PodPhase, reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Phase, p.Status.Reason, p.Status.Message = phase, reason, "told"
	}
}

// told is the message in the status of the pod.
func told(message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Message = message }
}

// disruptedBy is the condition DisruptionTarget.
func disruptedBy(reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, Message: "told",
		})
	}
}

func exited(t corev1.ContainerStateTerminated) func(*corev1.Pod) {
	return container(corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &t}})
}

// node whose condition Ready changed at start.
func node(ready corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse},
		{Type: corev1.NodeReady, Status: ready, Reason: "NodeStatusUnknown", Message: "no word", LastTransitionTime: metav1.Time{Time: start}},
	}}}
}

// looked makes a Seen whose node was looked up; nil is a node that is gone.
func looked(n *corev1.Node, change ...func(*corev1.Pod)) Seen {
	return Seen{Pod: pod(append(change, on)...), Node: n, NodeKnown: true}
}

// unlooked makes a Seen whose node was not looked up.
func unlooked(change ...func(*corev1.Pod)) Seen {
	return Seen{Pod: pod(append(change, on)...)}
}

func TestClientTellsCausesFromOutsideApart(t *testing.T) {
	up, down := node(corev1.ConditionTrue), node(corev1.ConditionUnknown)
	failed := phase(corev1.PodFailed, "")
	killed := exited(corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error"})
	unknown := exited(corev1.ContainerStateTerminated{ExitCode: 137, Reason: "ContainerStatusUnknown", Message: "not located"})
	tests := map[string]struct {
		seen  Seen
		after time.Duration
		want  want
	}{
		"preempted":                          {unlooked(failed, disruptedBy("PreemptionByScheduler")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "higher priority"}},
		"drained":                            {unlooked(failed, disruptedBy("EvictionByEvictionAPI")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "kubectl drain"}},
		"collected after its node went":      {unlooked(failed, disruptedBy("DeletionByPodGC")), 0, want{Failed, v1alpha1.ReasonNodeLost, "node n of pod p is gone"}},
		"tainted off a node that is up":      {looked(up, failed, disruptedBy("DeletionByTaintManager")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "taint"}},
		"tainted off a node that is down":    {looked(down, failed, disruptedBy("DeletionByTaintManager")), 0, want{Failed, v1alpha1.ReasonNodeLost, "not ready"}},
		"tainted off a node nobody asked":    {unlooked(failed, disruptedBy("DeletionByTaintManager")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "taint"}},
		"evicted by pressure on the node":    {unlooked(phase(corev1.PodFailed, "Evicted"), disruptedBy("TerminationByKubelet")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "evicted by its node"}},
		"a volume over its limit":            {unlooked(phase(corev1.PodFailed, "Evicted"), told("Usage of EmptyDir volume \"work\" exceeds the limit \"10Gi\". "), disruptedBy("TerminationByKubelet")), 0, want{Failed, v1alpha1.ReasonDiskLimitExceeded, "limit"}},
		"a pod over its limit":               {unlooked(phase(corev1.PodFailed, "Evicted"), told("Pod ephemeral local storage usage exceeds the total limit of containers 10Gi. "), disruptedBy("TerminationByKubelet")), 0, want{Failed, v1alpha1.ReasonDiskLimitExceeded, "limit"}},
		"a container over its limit":         {unlooked(phase(corev1.PodFailed, "Evicted"), told("Container runner exceeded its local ephemeral storage limit \"10Gi\". "), disruptedBy("TerminationByKubelet")), 0, want{Failed, v1alpha1.ReasonDiskLimitExceeded, "limit"}},
		"a node that is low on disk space":   {unlooked(phase(corev1.PodFailed, "Evicted"), told("The node was low on resource: ephemeral-storage. Threshold quantity: 1, available: 0. "), disruptedBy("TerminationByKubelet")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "low on"}},
		"put out for a critical pod":         {unlooked(phase(corev1.PodFailed, "Preempting"), disruptedBy("TerminationByKubelet")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "critical pod"}},
		"ended by a shutdown of the node":    {unlooked(phase(corev1.PodFailed, "Terminated"), disruptedBy("TerminationByKubelet")), 0, want{Failed, v1alpha1.ReasonNodeLost, "was shut down"}},
		"ended by the kubelet without words": {unlooked(failed, disruptedBy("TerminationByKubelet")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "evicted from node"}},
		"a cause that is new":                {unlooked(failed, disruptedBy("Tomorrow")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "Tomorrow"}},
		"evicted, as old kubelets say":       {unlooked(phase(corev1.PodFailed, "Evicted")), 0, want{Failed, v1alpha1.ReasonPodEvicted, "told"}},
		"refused during a shutdown":          {unlooked(phase(corev1.PodFailed, "NodeShutdown")), 0, want{Failed, v1alpha1.ReasonNodeLost, "was shut down"}},
		"refused for want of CPU":            {unlooked(phase(corev1.PodFailed, "OutOfcpu")), 0, want{Failed, v1alpha1.ReasonPodRejected, "OutOfcpu"}},
		"refused for want of memory":         {unlooked(phase(corev1.PodFailed, "OutOfmemory")), 0, want{Failed, v1alpha1.ReasonPodRejected, "refused pod p"}},
		"refused by a device plugin":         {unlooked(phase(corev1.PodFailed, "UnexpectedAdmissionError")), 0, want{Failed, v1alpha1.ReasonPodRejected, "told"}},
		"over its own deadline":              {unlooked(phase(corev1.PodFailed, "DeadlineExceeded")), 0, want{Failed, v1alpha1.ReasonDeadlineExceeded, "in time"}},
		"failed without any cause":           {unlooked(failed), 0, want{Failed, v1alpha1.ReasonClientLost, "without its container"}},
		"a state that is not known":          {unlooked(phase(corev1.PodUnknown, ""), running), 0, want{Failed, v1alpha1.ReasonNodeLost, "not known"}},
		"a node that is gone":                {looked(nil, running), 0, want{Failed, v1alpha1.ReasonNodeLost, "is gone"}},
		"a node that is silent for a while":  {looked(down, running), time.Minute, want{Running, "", ""}},
		"a node that stays silent":           {looked(down, running), 3 * time.Minute, want{Failed, v1alpha1.ReasonNodeLost, "no word"}},
		"a node that is silent at a start":   {looked(down, waitingFor("ContainerCreating")), 3 * time.Minute, want{Failed, v1alpha1.ReasonNodeLost, "no word"}},
		"a node that is up":                  {looked(up, running), time.Hour, want{Running, "", ""}},
		"a condition that is false":          {unlooked(failed, disruptedBy("EvictionByEvictionAPI"), func(p *corev1.Pod) { p.Status.Conditions[1].Status = corev1.ConditionFalse }), 0, want{Failed, v1alpha1.ReasonClientLost, ""}},
		"a pod without a node":               {Seen{Pod: pod(unschedulable), NodeKnown: true}, 0, want{Waiting, v1alpha1.ReasonUnschedulable, "0/3"}},
		"told to go, and still running":      {unlooked(phase(corev1.PodRunning, ""), running, disruptedBy("EvictionByEvictionAPI")), 0, want{Running, "", ""}},
		"killed, and nobody knows why":       {unlooked(killed), 0, want{Ended, "", ""}},
		"killed while it was evicted":        {unlooked(killed, disruptedBy("EvictionByEvictionAPI")), 0, want{Ended, v1alpha1.ReasonPodEvicted, "drain"}},
		"out of memory":                      {unlooked(exited(corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})), 0, want{Ended, v1alpha1.ReasonAgentOOMKilled, "agent.resources"}},
		"vanished from its node":             {looked(up, unknown), 0, want{Ended, v1alpha1.ReasonClientLost, "not located"}},
		"vanished with its node":             {looked(nil, unknown), 0, want{Ended, v1alpha1.ReasonNodeLost, "is gone"}},
		"vanished from a node that is down":  {looked(down, unknown), 0, want{Ended, v1alpha1.ReasonNodeLost, "no word"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.want.check(t, Client(tt.seen, Containers{Agent: "main", Tool: "tool"}, config.Default().Timeouts, start.Add(tt.after)))
		})
	}
}

func TestExplain(t *testing.T) {
	evicted := Verdict{State: Ended, Reason: v1alpha1.ReasonPodEvicted, Message: "drained"}
	tests := map[string]struct {
		verdict         Verdict
		reason, message string
		want            [2]string
	}{
		"a client that was told to stop is explained":   {evicted, string(contract.ReasonInterrupted), "SIGTERM", [2]string{v1alpha1.ReasonPodEvicted, "drained; the client reported: SIGTERM"}},
		"a client without a result is explained":        {evicted, v1alpha1.ReasonResultMissing, "", [2]string{v1alpha1.ReasonPodEvicted, "drained"}},
		"a failure of its own stays":                    {evicted, string(contract.ReasonCredentialsRejected), "no", [2]string{string(contract.ReasonCredentialsRejected), "no"}},
		"without a cause from outside everything stays": {Verdict{State: Ended}, string(contract.ReasonInterrupted), "SIGTERM", [2]string{string(contract.ReasonInterrupted), "SIGTERM"}},
		"a success before the eviction stays a success": {evicted, "", "", [2]string{"", ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			reason, message := tt.verdict.Explain(tt.reason, tt.message)
			if diff := cmp.Diff(tt.want, [2]string{reason, message}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestJobFailure(t *testing.T) {
	job := func(reason, message string) *batchv1.Job {
		return &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Name: "j"}, Spec: batchv1.JobSpec{ActiveDeadlineSeconds: new(int64(7))},
			Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
				{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue},
				{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: reason, Message: message},
			}},
		}
	}
	if v, ok := JobFailure(&batchv1.Job{}); ok {
		t.Errorf("a Job without conditions has failed: %+v", v)
	}
	tests := map[string]struct {
		job  *batchv1.Job
		want want
	}{
		"a deadline":           {job(batchv1.JobReasonDeadlineExceeded, ""), want{Failed, v1alpha1.ReasonDeadlineExceeded, "7 s"}},
		"a pod that is gone":   {job(batchv1.JobReasonBackoffLimitExceeded, ""), want{Failed, v1alpha1.ReasonClientLost, "is gone"}},
		"a rule for evictions": {job(batchv1.JobReasonPodFailurePolicy, "Pod ns/p has condition DisruptionTarget matching FailJob rule at index 0"), want{Failed, v1alpha1.ReasonPodEvicted, "matching FailJob"}},
		"another rule":         {job(batchv1.JobReasonPodFailurePolicy, "Container c for pod ns/p failed with exit code 42"), want{Failed, v1alpha1.ReasonClientLost, "is gone"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v, ok := JobFailure(tt.job)
			if !ok {
				t.Fatal("the Job has not failed")
			}
			tt.want.check(t, v)
		})
	}
}
