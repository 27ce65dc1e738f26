package invariants

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// kubelet is what works on the nodes of a cluster, and who interferes with it.
type kubelet struct{ *cluster }

// step lets something happen: time passes, a client goes on, or somebody interferes.
func (c kubelet) step() {
	c.now = c.now.Add(time.Duration(c.rng.IntN(3000)) * time.Millisecond)
	c.collectGarbage()
	c.serve()
	jobs := list(c.cluster, &batchv1.JobList{}).Items
	if len(jobs) > 0 {
		job := &jobs[c.rng.IntN(len(jobs))]
		c.work(job, c.rng.IntN(int(*job.Spec.Completions)))
	}
	if c.chance(60) {
		c.destroy(jobs)
	}
	if c.chance(60) {
		run := c.run()
		run.Spec.Suspend = !run.Spec.Suspend
		c.must(c.api.Update(context.Background(), run))
	}
}

// destroy something of the run, as a careless user does.
func (c kubelet) destroy(jobs []batchv1.Job) {
	if len(jobs) == 0 {
		return
	}
	job := &jobs[c.rng.IntN(len(jobs))]
	switch pods := c.podsOf(job); {
	case c.rng.IntN(3) == 0:
		c.delete(job)
	case len(pods) > 0 && c.rng.IntN(2) == 0:
		c.delete(&pods[c.rng.IntN(len(pods))])
	default:
		if cm := c.configMap(contract.ResultName(c.trialOf(job), c.rng.IntN(2))); cm != nil && len(cm.BinaryData) == 0 {
			c.careless = true
			c.delete(cm)
		}
	}
}

// collectGarbage ends the pods whose owner is gone, a while later.
func (c kubelet) collectGarbage() {
	owners := map[types.UID]bool{}
	for _, job := range list(c.cluster, &batchv1.JobList{}).Items {
		owners[job.UID] = true
	}
	for _, set := range list(c.cluster, &appsv1.StatefulSetList{}).Items {
		owners[set.UID] = true
	}
	for _, pod := range list(c.cluster, &corev1.PodList{}).Items {
		if !owners[metav1.GetControllerOf(&pod).UID] && c.rng.IntN(3) == 0 {
			c.delete(&pod)
		}
	}
}

func (c kubelet) podsOf(job *batchv1.Job) []corev1.Pod {
	var out []corev1.Pod
	for _, pod := range list(c.cluster, &corev1.PodList{}).Items {
		if metav1.IsControlledBy(&pod, job) {
			out = append(out, pod)
		}
	}
	return out
}

// everybody does a step: all servers, and each client of every Job.
func (c kubelet) everybody() {
	c.now = c.now.Add(time.Second)
	c.collectGarbage()
	c.serve()
	c.provision()
	for _, job := range list(c.cluster, &batchv1.JobList{}).Items {
		if isPlaceholder(&job) {
			c.keepPlace(&job)
			continue
		}
		for index := range int(*job.Spec.Completions) {
			have := &batchv1.Job{}
			c.must(c.api.Get(context.Background(), client.ObjectKeyFromObject(&job), have))
			c.work(have, index)
		}
	}
}

// work brings one client of a Job one step further.
func (c kubelet) work(job *batchv1.Job, index int) {
	name := fmt.Sprintf("%s-%d", job.Name, index)
	pod := &corev1.Pod{}
	err := c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, pod)
	if client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
	trial := c.trialOf(job)
	out := c.configMap(contract.ResultName(trial, index))
	switch {
	case err != nil && (job.Status.Failed > 0 || job.Status.Active > 0 && c.lost(job, name)):
		c.failJob(job)
	case err != nil:
		c.createPod(job, name, index)
	case !metav1.IsControlledBy(pod, job) || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
	case pod.Status.Phase != corev1.PodRunning:
		pod.Status.Phase = corev1.PodRunning
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: resources.AgentContainer, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		c.must(c.api.Status().Update(context.Background(), pod))
	case trial == contract.NoTrial:
		c.end(pod, 0, nil)
	case pod.Annotations["done"] == trial: // it waits for the next one
	case out == nil: // there is no place for its result: it waits for its end
	case out.Annotations[v1alpha1.AnnotationClaimedBy] == "":
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, v1alpha1.AnnotationClaimedBy, string(pod.UID))
		c.must(c.api.Update(context.Background(), out))
	case out.Annotations[v1alpha1.AnnotationClaimedBy] != string(pod.UID):
		c.refused++
		told := contract.Termination{Version: contract.TerminationVersion, State: contract.Failed, Reason: contract.ReasonAlreadyBegun, Message: "it is claimed"}
		c.end(pod, 1, told.Encode())
		c.failJob(job)
	case out.Annotations[v1alpha1.AnnotationReady] == "":
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, v1alpha1.AnnotationReady, "true")
		c.must(c.api.Update(context.Background(), out))
	default:
		c.tool(job, pod, out, trial, index)
	}
}

// trialOf is what the clients of a Job carry out.
func (c *cluster) trialOf(job *batchv1.Job) string {
	if job.Labels[v1alpha1.LabelStanding] == "" {
		return job.Name
	}
	if cm := c.configMap(job.Name); cm != nil {
		return cm.Annotations[contract.AnnotationNext]
	}
	return ""
}

// lost says whether a pod of the Job was there and is not any more.
func (c kubelet) lost(job *batchv1.Job, pod string) bool { return job.Annotations["had "+pod] != "" }

func (c kubelet) createPod(job *batchv1.Job, name string, index int) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: c.uid(), Labels: job.Spec.Template.Labels, CreationTimestamp: metav1.Time{Time: c.now},
			Annotations:     map[string]string{batchv1.JobCompletionIndexAnnotation: fmt.Sprint(index)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: corev1.PodSpec{NodeName: "node"},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: c.now},
		}}},
	}
	c.must(c.api.Create(context.Background(), pod))
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, "had "+name, "true")
	c.must(c.api.Update(context.Background(), job))
	job.Status.Active = 1
	c.must(c.api.Status().Update(context.Background(), job))
}

// failJob ends a Job one of whose clients failed or is gone.
func (c kubelet) failJob(job *batchv1.Job) {
	if len(job.Status.Conditions) > 0 {
		return
	}
	job.Status.Failed = 1
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded"}}
	c.must(c.api.Status().Update(context.Background(), job))
	for _, pod := range c.podsOf(job) {
		if pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodPending {
			c.end(&pod, 1, nil)
		}
	}
}

// tool of a client that is ready: it starts when the barrier is open, delivers and ends.
func (c kubelet) tool(job *batchv1.Job, pod *corev1.Pod, out *corev1.ConfigMap, name string, index int) {
	cm := c.configMap(name)
	if cm == nil {
		return
	}
	var trial contract.Trial
	c.must(json.Unmarshal([]byte(cm.Data[contract.KeyTrial]), &trial))
	if trial.Ref.Phase == string(contract.PhaseRun) && cm.Data[contract.KeyStart] == "" {
		return
	}
	fails := c.bad != nil && c.bad(name)
	if other := c.configMap(contract.ResultName(name, 1)); fails && index == 0 && other != nil && len(other.BinaryData) == 0 {
		return // the other client delivers first, or it would be ended by this failure sometimes
	}
	if pod.Annotations["started"] != name {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, "started", name)
		c.must(c.api.Update(context.Background(), pod))
		if index == 0 {
			c.toolStarts[name]++
		}
		return
	}
	trial.Ref.Client = index
	res := contract.Result{
		Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
		Tool: contract.Tool{Name: "sysbench", Version: "1", ExitCode: new(0)},
	}
	switch {
	case c.chance(15) || fails && index == 0:
		res.State, res.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonToolFailed, Message: "it failed"}
	case trial.Ref.Phase == string(contract.PhasePrepare):
		res.Data = &contract.Data{Tables: []contract.Table{{Name: "t", Rows: 1}}}
	case trial.Ref.Phase == string(contract.PhaseRun):
		res.Measurements = []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: new(100.0)}}
		if c.capacity > 0 {
			res.Measurements = c.openLoop(trial)
		}
	}
	data, err := contract.Encode(res)
	c.must(err)
	out.BinaryData = map[string][]byte{contract.KeyResult: data, contract.KeyRaw: []byte("raw")}
	c.must(c.api.Update(context.Background(), out))
	told := contract.Termination{Version: contract.TerminationVersion, SHA256: contract.Digest(data), State: res.State}
	exit := int32(0)
	if res.Failure != nil {
		told.Reason, told.Message, exit = res.Failure.Reason, res.Failure.Message, 1
	}
	if job.Labels[v1alpha1.LabelStanding] != "" {
		if c.chance(3) {
			return // it delivers again, and says so then
		}
		told.At = &c.now
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, contract.AnnotationTold, string(told.Encode()))
		c.must(c.api.Update(context.Background(), out))
		if exit == 0 {
			metav1.SetMetaDataAnnotation(&pod.ObjectMeta, "done", name)
			c.must(c.api.Update(context.Background(), pod))
			return
		}
	}
	c.end(pod, exit, told.Encode())
	if exit != 0 {
		c.failJob(job)
	}
}

func (c kubelet) end(pod *corev1.Pod, exit int32, message []byte) {
	pod.Status.Phase = corev1.PodSucceeded
	if exit != 0 {
		pod.Status.Phase = corev1.PodFailed
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: resources.AgentContainer, State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Message: string(message), FinishedAt: metav1.Time{Time: c.now}},
	}}}
	c.must(c.api.Status().Update(context.Background(), pod))
}
