package invariants

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/resources"
)

const namespace = "ns"

// indexRun is the name of the index that the controller lists by.
const indexRun = "assay.dev/run-uid"

// cluster is an API server, and the part of a cluster that is not Assay.
type cluster struct {
	t   *testing.T
	rng *rand.Rand
	api client.WithWatch
	now time.Time
	// toolStarts of each Job, by its name: how often a client started its tool.
	toolStarts map[string]int
	// quiet: nothing is destroyed any more, and nothing fails.
	quiet bool
	// within: a manager is between two calls. Nobody deletes a Job just then: of two managers
	// in the midst of beginning an execution, the slower one would begin it again. Only a lock
	// on two objects at once could prevent that.
	within bool
	// careless: somebody deleted a result.
	careless bool
	uids     int
}

// Now is the clock of all managers.
func (c *cluster) Now() time.Time { return c.now }

// Since is the rest of a clock.
func (c *cluster) Since(t time.Time) time.Duration { return c.now.Sub(t) }

func newCluster(t *testing.T, seed uint64) *cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	onNode := func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }
	c := &cluster{
		t: t, rng: rand.New(rand.NewPCG(seed, 0)), now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), toolStarts: map[string]int{},
		api: fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1alpha1.BenchmarkRun{}, &batchv1.Job{}, &corev1.Pod{}).
			WithIndex(&corev1.Pod{}, "spec.nodeName", onNode).Build(),
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}, Status: corev1.NodeStatus{
		Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("100")},
	}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "login"}, Data: map[string][]byte{"username": []byte("u"), "password": []byte("p")}}
	for _, obj := range []client.Object{node, secret} {
		c.must(c.api.Create(context.Background(), obj))
	}
	return c
}

func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) uid() types.UID {
	c.uids++
	return types.UID(fmt.Sprintf("uid-%d", c.uids))
}

// createRun of two blocks on two external targets, by two clients.
func (c *cluster) createRun(policy v1alpha1.TrialFailurePolicy) *v1alpha1.BenchmarkRun {
	on := func(name string) v1alpha1.Target {
		return v1alpha1.Target{Name: name, External: &v1alpha1.ExternalTarget{Host: name + ".example", Port: 3306, Database: "b", Credentials: corev1.LocalObjectReference{Name: "login"}}}
	}
	shape := v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi")}
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "run", UID: c.uid(), CreationTimestamp: metav1.Time{Time: c.now}, Generation: 1},
		Spec: v1alpha1.BenchmarkRunSpec{
			Targets:  []v1alpha1.Target{on("a"), on("b")},
			Clients:  v1alpha1.Clients{Count: 2, Shape: v1alpha1.ShapeRef{Inline: &shape}},
			Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 1}},
			Design: v1alpha1.Design{
				Blocks: 2, Order: v1alpha1.OrderRandomizedBlocks, DataReset: v1alpha1.ResetPerRun,
				Duration: &metav1.Duration{Duration: 10 * time.Second}, OnTrialFailure: policy, MaxRetries: 1,
			},
			Deadline: metav1.Duration{Duration: 1000 * time.Hour},
		},
	}
	c.must(c.api.Create(context.Background(), run))
	return run
}

func (c *cluster) run() *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{}
	c.must(c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: "run"}, run))
	return run
}

// list of all objects of a type in the namespace.
func list[T client.ObjectList](c *cluster, l T) T {
	c.must(c.api.List(context.Background(), l, client.InNamespace(namespace)))
	return l
}

// configMap of the namespace; nil when there is none.
func (c *cluster) configMap(name string) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{}
	err := c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, cm)
	if client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return cm
}

// chance is true once in n times, and never when the cluster is quiet.
func (c *cluster) chance(n int) bool { return !c.quiet && c.rng.IntN(n) == 0 }

// step lets something happen: time passes, a client goes on, or somebody interferes.
func (c *cluster) step() {
	c.now = c.now.Add(time.Duration(c.rng.IntN(3000)) * time.Millisecond)
	c.collectGarbage()
	jobs := list(c, &batchv1.JobList{}).Items
	if len(jobs) > 0 {
		c.work(&jobs[c.rng.IntN(len(jobs))])
	}
	switch {
	case c.chance(60):
		c.destroy(jobs)
	case c.chance(60):
		run := c.run()
		run.Spec.Suspend = !run.Spec.Suspend
		c.must(c.api.Update(context.Background(), run))
	}
}

// destroy something of the run, as a careless user does.
func (c *cluster) destroy(jobs []batchv1.Job) {
	if len(jobs) == 0 {
		return
	}
	job := &jobs[c.rng.IntN(len(jobs))]
	switch pods := c.podsOf(job); {
	case c.rng.IntN(3) == 0 && !c.within:
		c.delete(job)
	case len(pods) > 0 && c.rng.IntN(2) == 0:
		c.delete(&pods[c.rng.IntN(len(pods))])
	default:
		if cm := c.configMap(contract.ResultName(job.Name, c.rng.IntN(2))); cm != nil && len(cm.BinaryData) == 0 {
			c.careless = true
			c.delete(cm)
		}
	}
}

func (c *cluster) delete(obj client.Object) {
	c.must(client.IgnoreNotFound(c.api.Delete(context.Background(), obj)))
}

// collectGarbage ends the pods whose Job is gone, a while later.
func (c *cluster) collectGarbage() {
	jobs := map[types.UID]bool{}
	for _, job := range list(c, &batchv1.JobList{}).Items {
		jobs[job.UID] = true
	}
	for _, pod := range list(c, &corev1.PodList{}).Items {
		if !jobs[metav1.GetControllerOf(&pod).UID] && c.rng.IntN(3) == 0 {
			c.delete(&pod)
		}
	}
}

func (c *cluster) podsOf(job *batchv1.Job) []corev1.Pod {
	var out []corev1.Pod
	for _, pod := range list(c, &corev1.PodList{}).Items {
		if metav1.IsControlledBy(&pod, job) {
			out = append(out, pod)
		}
	}
	return out
}

// work brings one client of a Job one step further.
func (c *cluster) work(job *batchv1.Job) {
	index := c.rng.IntN(int(*job.Spec.Completions))
	name := fmt.Sprintf("%s-%d", job.Name, index)
	pod := &corev1.Pod{}
	err := c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, pod)
	if client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
	out := c.configMap(contract.ResultName(job.Name, index))
	switch {
	case err != nil && (job.Status.Failed > 0 || job.Status.Active > 0 && c.lost(job, name)):
		c.failJob(job)
	case err != nil:
		c.createPod(job, name, index)
	case !metav1.IsControlledBy(pod, job) || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
	case pod.Status.Phase != corev1.PodRunning:
		pod.Status.Phase = corev1.PodRunning
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: resources.RunnerContainer, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		c.must(c.api.Status().Update(context.Background(), pod))
	case out == nil: // there is no place for its result: it waits for its end
	case out.Annotations[v1alpha1.AnnotationReady] == "":
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, v1alpha1.AnnotationReady, "true")
		c.must(c.api.Update(context.Background(), out))
	default:
		c.tool(job, pod, out, index)
	}
}

// lost says whether a pod of the Job was there and is not any more.
func (c *cluster) lost(job *batchv1.Job, pod string) bool { return job.Annotations["had "+pod] != "" }

func (c *cluster) createPod(job *batchv1.Job, name string, index int) {
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
func (c *cluster) failJob(job *batchv1.Job) {
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
func (c *cluster) tool(job *batchv1.Job, pod *corev1.Pod, out *corev1.ConfigMap, index int) {
	cm := c.configMap(job.Name)
	if cm == nil {
		return
	}
	var trial contract.Trial
	c.must(json.Unmarshal([]byte(cm.Data[contract.KeyTrial]), &trial))
	if trial.Ref.Phase == string(contract.PhaseRun) && cm.Data[contract.KeyStart] == "" {
		return
	}
	if pod.Annotations["started"] == "" {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, "started", "true")
		c.must(c.api.Update(context.Background(), pod))
		if index == 0 {
			c.toolStarts[job.Name]++
		}
		return
	}
	trial.Ref.Client = index
	res := contract.Result{
		Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
		Tool: contract.Tool{Name: "sysbench", Version: "1", ExitCode: new(0)},
	}
	switch {
	case c.chance(15):
		res.State, res.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonToolFailed, Message: "it failed"}
	case trial.Ref.Phase == string(contract.PhasePrepare):
		res.Data = &contract.Data{Tables: []contract.Table{{Name: "t", Rows: 1}}}
	case trial.Ref.Phase == string(contract.PhaseRun):
		res.Measurements = []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: new(100.0)}}
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
	c.end(pod, exit, told.Encode())
	if exit != 0 {
		c.failJob(job)
	}
}

func (c *cluster) end(pod *corev1.Pod, exit int32, message []byte) {
	pod.Status.Phase = corev1.PodSucceeded
	if exit != 0 {
		pod.Status.Phase = corev1.PodFailed
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: resources.RunnerContainer, State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Message: string(message), FinishedAt: metav1.Time{Time: c.now}},
	}}}
	c.must(c.api.Status().Update(context.Background(), pod))
}
