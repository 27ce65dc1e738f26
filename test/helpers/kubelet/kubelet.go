// Package kubelet plays, against an API server without nodes (envtest), the parts
// that such a server lacks: the Job and StatefulSet controllers, the scheduler,
// and the kubelet with a client or a database in its pods.
//
// It is for tests of the controllers only. The end-to-end tests use the real ones.
package kubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/resources"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/changes"
)

const (
	// tick is the time between two passes while no object changes: for pods that take a while to
	// end, and for what a test changes without the API server.
	tick = 100 * time.Millisecond
	// gather is how long a pass waits for further changes after the first one.
	gather = 5 * time.Millisecond
)

// Client is what one client pod of a Job does, once its barrier is open. It returns
// the result that it delivers, or nil for none; trial.Ref.Client tells which client
// it is.
type Client func(trial contract.Trial) *contract.Result

// Kubelet plays the missing parts for one namespace.
type Kubelet struct {
	// API reads and writes without a cache.
	API client.WithWatch
	// Namespace that is served.
	Namespace string
	// Client plays the client pods.
	Client Client
	// TargetStatus, if set, is the status of the database container in place of
	// one that is ready.
	TargetStatus func(pod *corev1.Pod) *corev1.ContainerStatus
	// ClientStatus, if set, is the status of the client's container in place of
	// one that runs; nil from it means: go on as usual.
	ClientStatus func(job *batchv1.Job) *corev1.ContainerStatus
	// ToolImageID, if set, is the digest of the tool's image in the pods of a Job.
	ToolImageID func(job *batchv1.Job) string
	// Encode, if set, writes a result in place of contract.Encode: as an agent of another release
	// would, or somebody who has its token.
	Encode func(contract.Result) ([]byte, error)
	// Linger is how long a pod that was deleted takes to end; meanwhile it is
	// Terminating.
	Linger time.Duration
	// Store uploads what the clients have for an object store; nil if they know of none.
	Store *http.Client

	mu   sync.Mutex
	jobs map[string]int
	tool map[string]int
	// busy are the client pods in which the tool was started, by the trial.
	busy map[types.UID]string
	// dying is when a deletion was seen first.
	dying map[types.UID]time.Time
	// clients are at work beside the passes: one that takes its time keeps no other.
	clients sync.WaitGroup
}

// Run plays until the context ends, and waits for the clients. One that waits for
// something must stop at the end of its test's context.
func (k *Kubelet) Run(ctx context.Context, t *testing.T) {
	k.jobs, k.tool = map[string]int{}, map[string]int{}
	k.busy, k.dying = map[types.UID]string{}, map[types.UID]time.Time{}
	defer k.clients.Wait()
	changed := changes.Of(ctx, k.API, k.Namespace, appsv1.SchemeGroupVersion.WithKind("StatefulSet"), batchv1.SchemeGroupVersion.WithKind("Job"),
		corev1.SchemeGroupVersion.WithKind("Pod"), corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	for ctx.Err() == nil {
		if err := k.pass(ctx, t); isReal(ctx, err) {
			t.Errorf("the played kubelet: %v", err)
			return
		}
		select {
		case <-changed:
			changes.Pause(ctx, gather)
		case <-time.After(tick):
		case <-ctx.Done():
		}
	}
}

// isReal says whether an error is one of the test. That somebody else was faster is
// none.
func isReal(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err)
}

// ToolStarts is how often the tool was started for each trial, by its first client.
func (k *Kubelet) ToolStarts() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.tool)
}

// Jobs is how many Jobs (UIDs) were seen for each name.
func (k *Kubelet) Jobs() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := map[string]int{}
	for key := range k.jobs {
		var name, uid string
		if _, err := fmt.Sscanf(key, "%s %s", &name, &uid); err == nil {
			out[name]++
		}
	}
	return out
}

func (k *Kubelet) pass(ctx context.Context, t *testing.T) error {
	var sets appsv1.StatefulSetList
	if err := k.API.List(ctx, &sets, client.InNamespace(k.Namespace)); err != nil {
		return err
	}
	for i := range sets.Items {
		if err := k.serve(ctx, &sets.Items[i]); err != nil {
			return err
		}
	}
	var jobs batchv1.JobList
	if err := k.API.List(ctx, &jobs, client.InNamespace(k.Namespace)); err != nil {
		return err
	}
	for i := range jobs.Items {
		if err := k.work(ctx, t, &jobs.Items[i]); err != nil {
			return err
		}
	}
	return k.sweep(ctx)
}

// serve brings the pod of a StatefulSet up; sweep takes it away from one without
// replicas.
func (k *Kubelet) serve(ctx context.Context, set *appsv1.StatefulSet) error {
	if stopped(set) {
		return nil
	}
	pod, err := k.pod(ctx, set, set.Name+"-0", set.Spec.Template)
	if err != nil || pod == nil {
		return err
	}
	status := &corev1.ContainerStatus{
		Name: resources.ServerContainer, Ready: true, ImageID: "registry.example/mariadb@sha256:feed",
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
	}
	if k.TargetStatus != nil {
		status = k.TargetStatus(pod)
	}
	if len(pod.Status.ContainerStatuses) == 1 && equality.Semantic.DeepEqual(pod.Status.ContainerStatuses[0], *status) {
		return nil
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{*status}
	return k.API.Status().Update(ctx, pod)
}

// work brings the pods of a Job one step further. A Job with a pod that failed has
// failed, and ends the others.
func (k *Kubelet) work(ctx context.Context, t *testing.T, job *batchv1.Job) error {
	if !job.DeletionTimestamp.IsZero() || job.Status.Failed > 0 {
		return nil
	}
	if job.Labels[v1alpha1.LabelRole] == v1alpha1.RolePlaceholder {
		_, err := k.pod(ctx, job, clientPodName(job, 0), job.Spec.Template)
		return err
	}
	k.mu.Lock()
	k.jobs[job.Name+" "+string(job.UID)]++
	k.mu.Unlock()
	for i := range clientsOf(job) {
		pod, err := k.workAs(ctx, t, job, i)
		if err != nil {
			return err
		}
		if pod != nil && pod.Status.Phase == corev1.PodFailed && clientsOf(job) > 1 {
			return k.fail(ctx, job)
		}
	}
	return nil
}

func clientsOf(job *batchv1.Job) int {
	if job.Spec.Completions == nil {
		return 1
	}
	return int(*job.Spec.Completions)
}

// fail marks a Job as failed, and ends its pods.
func (k *Kubelet) fail(ctx context.Context, job *batchv1.Job) error {
	job.Status.StartTime, job.Status.Failed = &job.CreationTimestamp, 1
	for _, c := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: c, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded, LastTransitionTime: metav1.Now(),
		})
	}
	if err := k.API.Status().Update(ctx, job); err != nil {
		return err
	}
	for i := range clientsOf(job) {
		pod := &corev1.Pod{}
		err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: clientPodName(job, i)}, pod)
		if err == nil && pod.Status.Phase == corev1.PodRunning {
			err = k.terminate(ctx, pod)
		}
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// workAs brings one client of a Job one step further. It returns its pod, or nil
// right after creating it.
func (k *Kubelet) workAs(ctx context.Context, t *testing.T, job *batchv1.Job, index int) (*corev1.Pod, error) {
	template := *job.Spec.Template.DeepCopy()
	metav1.SetMetaDataAnnotation(&template.ObjectMeta, batchv1.JobCompletionIndexAnnotation, fmt.Sprint(index))
	pod, err := k.pod(ctx, job, clientPodName(job, index), template)
	if err != nil || pod == nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return pod, err
	}
	if k.ClientStatus != nil {
		if s := k.ClientStatus(job); s != nil {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{*s}
			return pod, k.API.Status().Update(ctx, pod)
		}
	}
	if pod.Status.Phase != corev1.PodRunning {
		pod.Status.Phase = corev1.PodRunning
		running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		pod.Status.ContainerStatuses = nil
		images := imagesOf(k, job)
		for _, c := range pod.Spec.Containers { // the last release has no container of the agent
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, ImageID: images[c.Name], State: running})
		}
		if err := k.API.Status().Update(ctx, pod); err != nil {
			return pod, err
		}
	}
	// An agent whose result was deleted does not get any further.
	return pod, client.IgnoreNotFound(k.runTool(ctx, t, job, pod, index))
}

// runTool does what the agent does: mark, wait for the barrier, run, deliver, end.
func (k *Kubelet) runTool(ctx context.Context, t *testing.T, job *batchv1.Job, pod *corev1.Pod, index int) error {
	var cm, out corev1.ConfigMap
	name := job.Name
	if stands(job) {
		if err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: job.Name}, &cm); err != nil {
			return err
		}
		name = cm.Annotations[contract.AnnotationNext]
	}
	k.mu.Lock()
	busy := k.busy[pod.UID]
	k.mu.Unlock()
	switch {
	case busy == name:
		return nil
	case name == contract.NoTrial:
		return k.end(ctx, pod, &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: metav1.Now()})
	}
	if err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: name}, &cm); err != nil {
		return err
	}
	if err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: contract.ResultName(name, index)}, &out); err != nil {
		return err
	}
	if holder := out.Annotations[v1alpha1.AnnotationClaimedBy]; holder != "" && holder != string(pod.UID) {
		return k.refuse(ctx, pod, holder)
	}
	if out.Annotations[v1alpha1.AnnotationReady] == "" {
		before := out.DeepCopy()
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, v1alpha1.AnnotationClaimedBy, string(pod.UID))
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, v1alpha1.AnnotationReady, time.Now().Format(time.RFC3339Nano))
		return k.API.Patch(ctx, &out, client.MergeFrom(before))
	}
	var trial contract.Trial
	if err := json.Unmarshal([]byte(cm.Data[contract.KeyTrial]), &trial); err != nil {
		return err
	}
	start := cm.Data[contract.KeyStart]
	if trial.Ref.Phase == string(contract.PhaseRun) && start == "" {
		return nil
	}
	trial.Ref.Client = index
	k.mu.Lock()
	k.busy[pod.UID] = name
	if index == 0 {
		k.tool[name]++
	}
	k.mu.Unlock()
	k.clients.Go(func() {
		res := k.Client(trial)
		err := keepTime(res, trial, start)
		if err == nil {
			if trial.Store != nil && k.Store != nil && res != nil {
				err = k.deliverStored(ctx, storing{pod: pod, out: &out, res: *res, trial: trial})
			} else {
				err = k.deliver(ctx, pod, &out, res)
			}
		}
		if isReal(ctx, err) {
			t.Errorf("the played client %d of %s: %v", index, name, err)
		}
	})
	return nil
}

// bootID of the machine.
const bootID = "5a1b0b0e-0000-4000-8000-000000000001"

// keepTime fills in the times of the barrier: the published start, and the measured
// window, unless the client gave one. Each client begins a millisecond after the one
// before it.
func keepTime(res *contract.Result, trial contract.Trial, start string) error {
	if res == nil || trial.Ref.Phase != string(contract.PhaseRun) {
		return nil
	}
	if res.Client.Machine.BootID == "" {
		res.Client.Machine.BootID = bootID // all of its pods run on one machine
	}
	at, err := time.Parse(time.RFC3339Nano, start)
	if err != nil {
		return fmt.Errorf("the published start: %w", err)
	}
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	planned := at.Add(seconds(float64(trial.WarmupSeconds) + trial.SettleSeconds))
	res.Times.Start, res.Times.Planned = &at, &planned
	if res.Times.MeasureStarted == nil {
		began := planned.Add(time.Duration(trial.Ref.Client) * time.Millisecond)
		res.Times.MeasureStarted, res.Times.MeasureEnded = &began, new(began.Add(seconds(float64(trial.DurationSeconds))))
	}
	return nil
}

func (k *Kubelet) deliver(ctx context.Context, pod *corev1.Pod, out *corev1.ConfigMap, res *contract.Result) error {
	terminated := &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: metav1.Now()}
	if res != nil {
		encode := contract.Encode
		if k.Encode != nil {
			encode = k.Encode
		}
		gz, err := encode(*res)
		if err != nil {
			return err
		}
		before := out.DeepCopy()
		out.BinaryData = map[string][]byte{contract.KeyResult: gz, contract.KeyRaw: []byte("raw")}
		if err := k.API.Patch(ctx, out, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return err
		}
		end := contract.Termination{Version: contract.TerminationVersion, SHA256: contract.Digest(gz), State: res.State}
		if res.Failure != nil {
			end.Reason, end.Message = res.Failure.Reason, res.Failure.Message
		}
		terminated.Message = string(end.Encode())
		if res.State == contract.Succeeded {
			terminated.ExitCode, terminated.Reason = 0, "Completed"
		}
	}
	return k.conclude(ctx, pod, out, terminated)
}

// end the containers of a client, and its pod.
func (k *Kubelet) end(ctx context.Context, pod *corev1.Pod, terminated *corev1.ContainerStateTerminated) error {
	before := pod.DeepCopy()
	pod.Status.Phase = corev1.PodFailed
	if terminated.ExitCode == 0 {
		pod.Status.Phase = corev1.PodSucceeded
	}
	for i := range pod.Status.ContainerStatuses {
		pod.Status.ContainerStatuses[i].State = corev1.ContainerState{Terminated: terminated}
		terminated = &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: terminated.FinishedAt} // the tool's container ends with the agent
	}
	// A pod that was deleted meanwhile ends as any other.
	return k.API.Status().Patch(ctx, pod, client.MergeFrom(before))
}
