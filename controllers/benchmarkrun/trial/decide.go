package trial

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// Result is what Decide answers. It has no meaning while questions are open.
type Result struct {
	// State is Done when the execution has ended, whether or not it succeeded: End says
	// how. Failed ends the run.
	State decision.State
	// Actions in their order.
	Actions []decision.Action
	// End of an execution that is Done.
	End End
}

// End is how an execution ended.
type End struct {
	// Reason and Message of the failure; an empty reason means that it succeeded.
	Reason, Message string
	// Results of the clients, in their order; fewer than there are clients when the
	// execution failed.
	Results []contract.Result
	// Delivered are the digests of what was read of the clients, in their order.
	Delivered []contract.RecordedDelivery
	// Pods of the clients that are still there, in their order.
	Pods []*corev1.Pod
	// At is when the first client ended that failed; zero when that is not known.
	At time.Time
	// Bytes that the results of the clients hold; for one that was not read, its budget.
	Bytes int64

	// Lost are findings about what did not reach the object store.
	Lost []contract.RecordedFinding

	// uploads are what the clients announced for the object store, and last is when the last of
	// them ended.
	uploads []upload
	last    time.Time
	// read is the number of results that Bytes counts already.
	read int
}

// failed says whether the execution failed.
func (e End) failed() bool { return e.Reason != "" }

// with is the end with another failure.
func (e End) with(reason, message string) End {
	e.Reason, e.Message = reason, message
	return e
}

func lost(v podhealth.Verdict, pods []*corev1.Pod) End {
	return End{Reason: v.Reason, Message: v.Message, Pods: pods}
}

func running(e Execution) decision.Waiting {
	return decision.WaitFor(v1alpha1.ReasonProgressing, "%s: running", e.Name)
}

// Decide brings an execution one step further, from whatever state the cluster shows it
// in.
func Decide(in Input, e Execution, ask *decision.Asking) Result {
	if done := allTold(in, e, false, ask); len(done) > 0 {
		return finish(in, e, collect(e, done, ask), ask)
	}
	job := JobOf(in.Children, e, ask)
	switch {
	case !ask.Complete():
		return Result{}
	case job == nil:
		return begin(in, e, ask)
	}
	// The clients' own word comes before the kubelet's, which is up to a second late.
	atBarrier := barrier(in, e, job, ask)
	if atBarrier.State != nil {
		return finish(in, e, atBarrier.End, ask)
	}
	r := watch(in, e, job, ask)
	if decision.IsDone(r.State) {
		// Nobody is told to start a trial that has failed.
		return finish(in, e, r.End, ask)
	}
	r.Actions = append(append(atBarrier.Actions, offer(in, e, job, ask)...), r.Actions...)
	actions, state := offerDataSet(in, e, job, ask)
	r.Actions = append(r.Actions, actions...)
	if state != nil {
		r.State = state // what the store says of the data set, which the client waits for
	}
	return r
}

// finish looks for the cause of a failure, and keeps what the pods of it wrote.
func finish(in Input, e Execution, end End, ask *decision.Asking) Result {
	if !ask.Complete() {
		return Result{}
	}
	var wait decision.State
	if e.phase() == contract.PhaseRun {
		end, wait = explain(in, e, end, ask)
	}
	if wait == nil {
		end, wait = inStore(in, e, end, ask)
	}
	switch {
	case !ask.Complete():
		return Result{}
	case wait != nil:
		return Result{State: wait}
	}
	end.Bytes += int64(e.Clients-end.read) * budget.OfResult(clientBudget(in.Run))
	r := Result{State: decision.Done{}, End: end}
	if end.failed() && e.phase() != contract.PhaseCleanup {
		// What the results leave of their part is for the log, or what every attempt has for one.
		left := int64(e.Clients)*budget.OfResult(clientBudget(in.Run)) - end.Bytes
		r.Actions = keepLogs(in, e, end, max(left, budget.PerLog), ask)
		for _, a := range r.Actions {
			r.End.Bytes += int64(len(a.(decision.AddData).Value))
		}
	}
	return r
}

// containers of a client pod.
var containers = podhealth.Containers{Agent: resources.AgentContainer, Tool: resources.RunnerContainer}

// clientBudget is how many bytes the result of one client may take in its ConfigMap.
func clientBudget(run *v1alpha1.BenchmarkRun) int64 {
	if r := run.Status.Results; r != nil && r.ClientBudgetBytes > 0 {
		return r.ClientBudgetBytes
	}
	return budget.MostData // accepted by a release without budgets
}

// watch judges the clients of a Job that exists.
func watch(in Input, e Execution, job *batchv1.Job, ask *decision.Asking) Result {
	pods := in.Children.ClientPods[job.Name]
	if len(pods) == 0 {
		if done := allTold(in, e, true, ask); len(done) > 0 {
			return Result{State: decision.Done{}, End: collect(e, done, ask)}
		}
		return withoutPods(in, e, job)
	}
	wait := running(e)
	var ended []endedClient
	failed := false
	for _, pod := range pods {
		v := podhealth.Client(ask.See(pod), containers, in.Timeouts, in.Now)
		if e.Standing {
			v = standingVerdict(in, e, pod, v, ask)
		}
		switch v.State {
		case podhealth.Ended:
			ended = append(ended, endedClient{decision.ClientIndex(pod), pod, v})
			failed = failed || v.Terminated.ExitCode != 0
		case podhealth.Failed:
			if jv, ok := podhealth.JobFailure(job); ok && v.Reason == v1alpha1.ReasonClientLost {
				v = jv
			}
			return Result{State: decision.Done{}, End: lost(v, pods)}
		case podhealth.Running:
			if !v.Until.IsZero() {
				wait = decision.WaitFor(v1alpha1.ReasonProgressing, "%s: waiting for what became of the tool's container", e.Name).At(v.Until)
			}
		default:
			wait = decision.WaitFor(v.Reason, "%s: %s", e.Name, v.Message)
		}
	}
	switch v, jobFailed := podhealth.JobFailure(job); {
	case !ask.Complete(): // a node decides what became of its pod
		return Result{}
	case failed || len(ended) == e.Clients:
		// After a failure the Job ends the other clients: nothing is gained by waiting.
		return Result{State: decision.Done{}, End: collect(e, ended, ask)}
	case jobFailed && len(ended) == len(pods):
		return Result{State: decision.Done{}, End: lost(v, pods)}
	case e.Standing && late(in, e, ask):
		return Result{State: decision.Done{}, End: End{Reason: v1alpha1.ReasonDeadlineExceeded, Pods: pods, Message: fmt.Sprintf(
			"the clients of %s were not done within %s", e.Name, timeout(in, e))}}
	}
	return Result{State: wait}
}

// withoutPods judges a Job that has no pod: not yet, or not any more.
func withoutPods(in Input, e Execution, job *batchv1.Job) Result {
	if v, failed := podhealth.JobFailure(job); failed {
		return Result{State: decision.Done{}, End: lost(v, nil)}
	}
	if job.Status.Active > 0 || job.Status.Failed > 0 || job.Status.Succeeded > 0 {
		return Result{State: running(e)}
	}
	v := podhealth.Missing(job.CreationTimestamp.Time, in.Timeouts, in.Now)
	if v.State == podhealth.Failed {
		return Result{State: decision.Done{}, End: lost(v, nil)}
	}
	return Result{State: decision.WaitFor(v.Reason, "%s: %s", e.Name, v.Message)}
}

// barrier publishes the start time once every client can start. Phases other than Run
// have no barrier. A result that was deleted ends the execution at once, for its client
// would try to deliver it in vain until the deadline. The state is nil while the
// execution goes on.
func barrier(in Input, e Execution, job *batchv1.Job, ask *decision.Asking) Result {
	ready := true
	for i := range e.Clients {
		name := contract.ResultName(e.Name, i)
		meta := ask.Metadata(name)
		switch {
		case !meta.Known:
			ready = false
		case !meta.Exists:
			ready = false
			// The cache may not know yet of an object that exists.
			if cm := ask.ConfigMap(name); cm.Known && (!cm.Exists || !metav1.IsControlledBy(cm.Value, in.Run)) {
				return Result{State: decision.Done{}, End: End{
					Reason: v1alpha1.ReasonResultMissing, Pods: in.Children.ClientPods[job.Name],
					Message: "ConfigMap " + name + " was deleted while the client ran: there is no place for its result",
				}}
			}
		default:
			ready = ready && meta.Value.Annotations[v1alpha1.AnnotationReady] != ""
		}
	}
	if !ready || e.phase() != contract.PhaseRun {
		return Result{}
	}
	meta := ask.Metadata(e.Name)
	if !meta.Exists || meta.Value.Annotations[v1alpha1.AnnotationStart] != "" {
		return Result{}
	}
	return Result{Actions: publishStart(in, e, ask)}
}

// publishStart tells the clients when to begin. The lock of the object's version keeps a
// second manager from publishing another time.
func publishStart(in Input, e Execution, ask *decision.Asking) []decision.Action {
	trial := ask.ConfigMap(e.Name)
	if !trial.Exists || trial.Value.Data[contract.KeyStart] != "" {
		return nil
	}
	start := in.Now
	if e.Clients > 1 {
		start = start.Add(startLead)
	}
	cm := trial.Value.DeepCopy()
	if cm.Data == nil {
		cm.Data = map[string]string{}
	}
	cm.Data[contract.KeyStart] = start.UTC().Format(time.RFC3339Nano)
	if cm.Annotations == nil {
		cm.Annotations = map[string]string{}
	}
	cm.Annotations[v1alpha1.AnnotationStart] = cm.Data[contract.KeyStart]
	return []decision.Action{decision.Replace{Object: cm}}
}

// takenAway ends an execution that did begin, but whose Job is gone.
func takenAway(in Input, e Execution, ask *decision.Asking) Result {
	// The cache may not know yet of a Job that exists, or of what clients that stand were told.
	if len(jobsOf(in, e, ask)) > 0 {
		return Result{State: running(e)}
	}
	if done := allTold(in, e, true, ask); len(done) > 0 {
		return Result{State: decision.Done{}, End: collect(e, done, ask)}
	}
	message := fmt.Sprintf("Job %s was deleted while it ran; its outcome is not known", e.Name)
	if e.Standing {
		message = fmt.Sprintf("the Job of the clients of %s, or the ConfigMap that tells them of it, was deleted while it ran; its outcome is not known", e.Name)
	}
	return Result{State: decision.Done{}, End: End{Reason: v1alpha1.ReasonClientLost, Message: message}}
}
