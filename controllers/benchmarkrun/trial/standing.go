package trial

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// Clients that stand carry out one trial after the other, of all targets, and before them the looks at data that exists (standsFrom).
// Their Job and a ConfigMap have one name. The ConfigMap says which trial they carry out, and is written last, in the place of the Job
// that other clients are created with: it is the Job of that trial from then on. The clients claim, measure and deliver each trial as
// others do. What these leave as their termination message is an annotation of the result.

// JobOf is the Job whose clients carry an execution out; nil where none was told to.
func JobOf(children decision.Children, e Execution, ask *decision.Asking) *batchv1.Job {
	if !e.Standing {
		return children.Jobs[e.Name]
	}
	for _, job := range children.Standing() {
		if next(ask.Metadata(job.Name)) == e.Name {
			return job
		}
	}
	return nil
}

// Begun says whether clients were told to carry an execution of that name out, as far as the cache knows.
func Begun(run *v1alpha1.BenchmarkRun, children decision.Children, name string, ask *decision.Asking) bool {
	return children.Jobs[name] != nil || stands(run) && JobOf(children, Execution{Name: name, Standing: true}, ask) != nil
}

// stands says whether the clients of a run stand.
func stands(run *v1alpha1.BenchmarkRun) bool {
	return run.Spec.Design.ClientPods == v1alpha1.ClientPodsStanding
}

// next is the trial that clients that stand were told; empty for none.
func next[T metav1.Object](told decision.Fact[T]) string {
	if !told.Exists {
		return ""
	}
	return told.Value.GetAnnotations()[contract.AnnotationNext]
}

// jobsOf are the names of the Jobs that carry an execution out, or may, as the API server knows: the cache may not.
func jobsOf(in Input, e Execution, ask *decision.Asking) []string {
	names := []string{e.Name}
	if e.Standing {
		names = []string{standingName(in, e)}
		if trial := ask.ConfigMap(e.Name); trial.Exists && trial.Value.Annotations[contract.AnnotationClients] != "" {
			names = append(names, trial.Value.Annotations[contract.AnnotationClients])
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		if e.Standing {
			cm := ask.ConfigMap(name)
			if cm.Known && (!cm.Exists || !metav1.IsControlledBy(cm.Value, in.Run) || next(cm) != e.Name) {
				return true
			}
		}
		job := decision.Get[*batchv1.Job](ask, name)
		return job.Known && (!job.Exists || !metav1.IsControlledBy(job.Value, in.Run))
	})
}

// standingName is that of clients that begin with an execution.
func standingName(in Input, e Execution) string {
	if e.Ref.Index == nil {
		return contract.StandingLookName(in.Run.Name, e.Ref.Target, in.Run.Status.Releases)
	}
	return contract.StandingName(in.Run.Name, int32(*e.Ref.Index), e.Attempt)
}

// doneBefore are the executions after which clients that stand have nothing to do, because their success is written down: the last trial
// that was recorded, and the looks at data. After any other one they are stopped: nobody knows what they do.
func doneBefore(in Input) []string {
	out := looked(in)
	if n := len(in.Recorded); n > 0 && in.Recorded[n-1].State == contract.Succeeded {
		out = append(out, contract.TrialName(in.Run.Name, in.Recorded[n-1].Index, in.Recorded[n-1].Attempt))
	}
	return out
}

// looked are the looks at data that clients that stand are done with, and that stand in the status.
func looked(in Input) (names []string) {
	for _, t := range in.Run.Spec.Targets {
		name := contract.ReloadName(in.Run.Name, t.Name, in.Run.Status.Releases)
		if stands(in.Run) && in.Children.Jobs[name] == nil && in.Run.TargetStatus(t.Name).LoadResult == contract.ResultName(name, 0) {
			names = append(names, name)
		}
	}
	return names
}

// free is the Job of clients that stand and have nothing to do; empty where there is none.
func free(in Input, e Execution, ask *decision.Asking) string {
	if !e.Standing {
		return ""
	}
	before := doneBefore(in)
	for _, job := range in.Children.Standing() {
		_, failed := podhealth.JobFailure(job)
		pods := in.Children.ClientPods[job.Name]
		if slices.Contains(before, next(ask.Metadata(job.Name))) && job.DeletionTimestamp.IsZero() && !failed &&
			len(pods) == e.Clients && !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !stillWhole(p) }) {
			return job.Name
		}
	}
	return ""
}

// stillWhole says whether both containers of a client run.
func stillWhole(pod *corev1.Pod) bool {
	return decision.Works(pod) && pod.DeletionTimestamp == nil && !slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.State.Terminated != nil
	})
}

// stand makes the clients those that stand already, or new ones that will.
func stand(in Input, e Execution, job string, c *resources.Client) {
	if c.Standing = job; job == "" {
		c.Standing = standingName(in, e)
	}
	c.Credentials = nil
	for _, t := range in.Run.Spec.Targets {
		if t.Published == nil {
			c.Credentials = append(c.Credentials, resources.CredentialsOf(in.Run, t))
		}
	}
	// Each trial has a deadline of its own. No run is longer than its own, which does not count how long it was suspended.
	c.Timeout += in.Run.Spec.Deadline.Duration + in.Queue.Hold.Suspended.Duration
}

// tell clients that stand which trial comes next, after the actions.
func tell(in Input, e Execution, job string, actions []decision.Action, ask *decision.Asking) Result {
	cm := ask.ConfigMap(job)
	switch {
	case !cm.Known:
		return Result{}
	case cm.Exists && next(cm) == e.Name:
	case !cm.Exists || !slices.Contains(doneBefore(in), next(cm)):
		return stop(in, e, job, ask) // somebody told them something else, or nobody can tell them anything
	default:
		actions = append(actions, telling(cm.Value, e.Name))
	}
	return Result{State: running(e), Actions: actions}
}

// telling writes which trial comes next, under the lock of the version that was read.
func telling(cm *corev1.ConfigMap, name string) decision.Action {
	told := cm.DeepCopy()
	metav1.SetMetaDataAnnotation(&told.ObjectMeta, contract.AnnotationNext, name)
	return decision.Replace{Object: told}
}

// toldOf is the end of a client's trial by its own word, as the kubelet would write it of a client that ends with it; nil where it
// gave none, as far as the cache knows.
func toldOf(e Execution, client int, ask *decision.Asking) *corev1.ContainerStateTerminated {
	if meta := ask.Metadata(contract.ResultName(e.Name, client)); meta.Exists {
		return wordOf(meta.Value)
	}
	return nil
}

// wordOf a client, in its result.
func wordOf(result metav1.Object) *corev1.ContainerStateTerminated {
	text := result.GetAnnotations()[contract.AnnotationTold]
	if text == "" {
		return nil
	}
	out := &corev1.ContainerStateTerminated{Message: text}
	told, err := contract.ParseTermination([]byte(text))
	if err == nil && told.At != nil {
		out.FinishedAt = metav1.Time{Time: *told.At}
	}
	if err != nil || told.State != contract.Succeeded {
		out.ExitCode = 1
	}
	return out
}

// allTold are the clients of a trial when all have said that they succeeded: what became of their pods since does not matter. Live asks the
// API server, where the cache may not know yet.
func allTold(in Input, e Execution, live bool, ask *decision.Asking) []endedClient {
	if !e.Standing {
		return nil
	}
	pods := map[int]*corev1.Pod{}
	if job := JobOf(in.Children, e, ask); job != nil {
		for _, pod := range in.Children.ClientPods[job.Name] {
			pods[decision.ClientIndex(pod)] = pod
		}
	}
	var out []endedClient
	for i := range e.Clients {
		told := toldOf(e, i, ask)
		if told == nil && live {
			if cm := ask.ConfigMap(contract.ResultName(e.Name, i)); cm.Exists {
				told = wordOf(cm.Value)
			}
		}
		if told == nil || told.ExitCode != 0 {
			return nil
		}
		out = append(out, endedClient{i, pods[i], podhealth.Verdict{State: podhealth.Ended, Terminated: told}})
	}
	return out
}

// evidenceOfPod is how long after a client told its failure the kubelet is given to say what became of its pod, which ends then.
const evidenceOfPod = 5 * time.Second

// standingVerdict is the verdict on a client that stands, with what it told. The kubelet knows more of the cause of a failure, and the cache may not
// know yet of the word of a client that has ended.
func standingVerdict(in Input, e Execution, pod *corev1.Pod, v podhealth.Verdict, ask *decision.Asking) podhealth.Verdict {
	told := toldOf(e, decision.ClientIndex(pod), ask)
	if told == nil && (v.State == podhealth.Ended || v.State == podhealth.Failed) {
		if cm := ask.ConfigMap(contract.ResultName(e.Name, decision.ClientIndex(pod))); cm.Exists {
			told = wordOf(cm.Value)
		}
	}
	until := in.Now
	if told != nil {
		until = told.FinishedAt.Add(evidenceOfPod)
	}
	switch {
	case told == nil && v.State == podhealth.Running:
		return withoutTool(in, e, pod, v, ask)
	case told == nil:
		return v
	case told.ExitCode == 0:
		return podhealth.Verdict{State: podhealth.Ended, Terminated: told}
	case v.State == podhealth.Ended:
		v.Terminated = told
		return v
	case v.State == podhealth.Running && in.Now.Before(until):
		return podhealth.Verdict{State: podhealth.Running, Until: until}
	}
	return podhealth.Verdict{State: podhealth.Ended, Terminated: told, Reason: v.Reason, Message: v.Message}
}

// withoutTool is the verdict on a client whose tool's container has ended before the agent called for it: between two trials. Later the agent
// notices by itself, and a look at data needs no tool.
func withoutTool(in Input, e Execution, pod *corev1.Pod, v podhealth.Verdict, ask *decision.Asking) podhealth.Verdict {
	meta := ask.Metadata(contract.ResultName(e.Name, decision.ClientIndex(pod)))
	if e.Ref.Index == nil || !meta.Exists || meta.Value.Annotations[v1alpha1.AnnotationReady] != "" {
		return v
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name != resources.RunnerContainer || c.State.Terminated == nil {
			continue
		}
		if until := c.State.Terminated.FinishedAt.Add(evidenceOfPod); in.Now.Before(until) {
			return podhealth.Verdict{State: podhealth.Running, Until: until}
		}
		return podhealth.Verdict{State: podhealth.Failed, Reason: string(contract.ReasonToolLost), Message: fmt.Sprintf(
			"the tool's container of pod %s ended with code %d (%s) between two trials", pod.Name, c.State.Terminated.ExitCode, c.State.Terminated.Reason)}
	}
	return v
}

// late says whether clients that stand should be done with an execution, and have had the time to deliver: the deadline of their Job is
// that of the run.
func late(in Input, e Execution, ask *decision.Asking) bool {
	most := timeout(in, e) + in.Timeouts.TrialGrace.Duration
	if storeOf(in) != nil {
		most += in.Timeouts.Upload.Duration
	}
	// That of the trial may have been deleted.
	for _, name := range []string{e.Name, contract.ResultName(e.Name, 0)} {
		if meta := ask.Metadata(name); meta.Exists {
			return in.Now.After(meta.Value.CreationTimestamp.Add(most))
		}
	}
	return false
}

// Dismiss tells clients that stand that there are no more trials. They end by themselves.
func Dismiss(in Input, ask *decision.Asking) []decision.Action {
	var out []decision.Action
	for _, job := range in.Children.Standing() {
		if !slices.ContainsFunc(in.Children.ClientPods[job.Name], decision.Works) || !job.DeletionTimestamp.IsZero() {
			continue
		}
		// One that somebody else made in its place is left alone: the run has what it measured.
		if cm := ask.ConfigMap(job.Name); cm.Exists && metav1.IsControlledBy(cm.Value, in.Run) && next(cm) != contract.NoTrial {
			out = append(out, telling(cm.Value, contract.NoTrial))
		}
	}
	return out
}

// retire deletes the Job of clients that have nothing to do. Those that stand are told before that there are no more trials: where
// another manager tells them of one meanwhile, the lock decides.
func retire(job *batchv1.Job, ask *decision.Asking) []decision.Action {
	var out []decision.Action
	if job.Labels[v1alpha1.LabelStanding] != "" {
		if cm := ask.ConfigMap(job.Name); cm.Exists && next(cm) != contract.NoTrial {
			out = append(out, telling(cm.Value, contract.NoTrial))
		}
	}
	return append(out, decision.Delete{Object: job})
}

// removeStanding deletes the ConfigMaps of the last trial and of the looks at data, and the clients that stood and have ended. At is the
// attempt that comes next.
func removeStanding(in Input, at journal.Position, ask *decision.Asking) []decision.Action {
	var out []decision.Action
	remove := func(name string) {
		if meta := ask.Metadata(name); meta.Exists {
			out = append(out, decision.Delete{Object: meta.Value})
		}
	}
	if stands(in.Run) && len(in.Recorded) > 0 {
		last := in.Recorded[len(in.Recorded)-1]
		if last.State == contract.Succeeded || in.Run.Spec.Retain != v1alpha1.RetainOnFailure {
			remove(contract.TrialName(in.Run.Name, last.Index, last.Attempt))
		}
	}
	for _, name := range looked(in) {
		remove(name)
	}
	for _, job := range in.Children.Standing() {
		pods := in.Children.ClientPods[job.Name]
		_, failed := podhealth.JobFailure(job)
		if slices.ContainsFunc(pods, decision.Works) || len(pods) == 0 && !failed || !job.DeletionTimestamp.IsZero() ||
			in.Run.Spec.Retain == v1alpha1.RetainOnFailure && hasFailed(job) {
			continue
		}
		// The cache may not know yet what they were told last.
		if cm := ask.ConfigMap(job.Name); cm.Exists && next(cm) == contract.TrialName(in.Run.Name, at.Index, at.Attempt) {
			continue
		}
		out = append(out, retire(job, ask)...)
		remove(job.Name)
	}
	return out
}
