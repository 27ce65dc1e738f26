package trial

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// cluster is what a table test shows to the room: all that it may ask, answered.
type cluster struct {
	in Input
	e  Execution
	// results, by client: absent ones were deleted.
	results map[int]*corev1.ConfigMap
	// trial is nil while there is none.
	trial *corev1.ConfigMap
	// database is the pod of the target, as the API server has it.
	database *corev1.Pod
	// found: an action came upon the results.
	found bool
}

// began is when the world of a test begins.
var began = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// newCluster has a run with one trial of two clients that has not begun.
func newCluster() *cluster {
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "u"},
		Spec: v1alpha1.BenchmarkRunSpec{
			Targets: []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{}}},
			Clients: v1alpha1.Clients{Count: 2},
			Design:  v1alpha1.Design{Warmup: &metav1.Duration{}, Duration: &metav1.Duration{Duration: time.Minute}},
		},
		Status: v1alpha1.BenchmarkRunStatus{
			Resolved: &v1alpha1.Resolved{
				RunnerImage: "tool:1", AgentImage: "agent:1",
				Targets: []v1alpha1.ResolvedTarget{{Name: "db", Shape: &v1alpha1.InstanceShapeSpec{}}},
			},
			Placement: &v1alpha1.Placement{ClientNodeNames: []string{"node"}, Targets: []v1alpha1.TargetPlacement{{Name: "db", NodeName: "node"}}},
			Targets:   []v1alpha1.TargetStatus{{Name: "db", LoadResult: "run-db-load-result-0"}},
		},
	}
	database := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "run-db-db-0", UID: "database"},
		Status:     corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: resources.ServerContainer, Ready: true}}},
	}
	c := &cluster{
		in: Input{
			Run: run, Now: began, Config: config.Config{Timeouts: config.Default().Timeouts},
			Work: experiment.Work{Tool: runner.Runner{Name: "tool"}},
			Plan: &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{}}},
			Children: decision.Children{
				Jobs: map[string]*batchv1.Job{}, ClientPods: map[string][]*corev1.Pod{},
				TargetPods: map[string]*corev1.Pod{contract.TargetName("run", "db"): database},
			},
		},
		results: map[int]*corev1.ConfigMap{}, database: database,
	}
	c.e = Measurement(c.in, journal.Position{}, nil, nil, runner.Length{})
	return c
}

// begin makes the objects of the trial.
func (c *cluster) begin() {
	for i := range c.e.Clients {
		c.results[i] = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: contract.ResultName(c.e.Name, i), Annotations: map[string]string{}}}
	}
	c.trial = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: c.e.Name, Annotations: map[string]string{v1alpha1.AnnotationTarget: "database/0"}}}
	c.in.Children.Jobs[c.e.Name] = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Name: c.e.Name, CreationTimestamp: metav1.Time{Time: began},
		Labels: map[string]string{v1alpha1.LabelTrial: "0", v1alpha1.LabelAttempt: "0"},
	}}
}

// pods of the clients, which are starting.
func (c *cluster) pods() {
	c.begin()
	for i := range c.e.Clients {
		c.in.Children.ClientPods[c.e.Name] = append(c.in.Children.ClientPods[c.e.Name], &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("%s-%d", c.e.Name, i), CreationTimestamp: metav1.Time{Time: began},
				Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: fmt.Sprint(i)},
			},
			Spec: corev1.PodSpec{NodeName: "node"},
			Status: corev1.PodStatus{
				Phase:      corev1.PodPending,
				Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: began}}},
				ContainerStatuses: []corev1.ContainerStatus{{Name: resources.AgentContainer,
					State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}},
			},
		})
	}
}

func (c *cluster) client(i int) *corev1.PodStatus {
	return &c.in.Children.ClientPods[c.e.Name][i].Status
}

// ready: a client says that it can start.
func (c *cluster) ready(i int) {
	c.client(i).Phase = corev1.PodRunning
	c.client(i).ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	c.results[i].Annotations[v1alpha1.AnnotationReady] = "true"
}

func (c *cluster) start() { c.trial.Annotations[v1alpha1.AnnotationStart] = "now" }

// deliver a result that succeeded, or one with a reason.
func (c *cluster) deliver(i int, reason contract.Reason) {
	ref := c.e.Ref
	ref.Client = i
	res := contract.Result{Version: contract.ResultVersion, Trial: ref, State: contract.Succeeded, RawSHA256: contract.Digest(nil)}
	exit := int32(0)
	if reason != "" {
		res.State, res.Failure, exit = contract.Failed, &contract.Failure{Reason: reason, Message: "it failed"}, 1
	}
	data, err := contract.Encode(res)
	if err != nil {
		panic(err)
	}
	if cm := c.results[i]; cm != nil {
		cm.BinaryData = map[string][]byte{contract.KeyResult: data}
	}
	told := contract.Termination{Version: contract.TerminationVersion, SHA256: contract.Digest(data), State: res.State, Reason: reason}
	c.client(i).ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: exit, Message: string(told.Encode()), FinishedAt: metav1.Time{Time: c.in.Now},
	}}
}

// known is the answer to everything that the room may ask.
func (c *cluster) known() decision.Known {
	k := decision.Known{}.
		With(decision.GetNode{Name: "node"}, &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}).
		With(decision.Named[*rbacv1.Role](contract.ClientName("run")), decision.Absent{}).
		With(decision.Named[*rbacv1.RoleBinding](contract.ClientName("run")), decision.Absent{}).
		With(decision.Named[*batchv1.Job](c.e.Name), decision.Absent{}).
		With(decision.ReadLog{Pod: "run-db-db-0", Container: resources.ServerContainer}, "the log")
	with := func(name string, cm *corev1.ConfigMap) {
		object, meta, res := decision.Named[*corev1.ConfigMap](name), decision.GetMetadata{Name: name}, decision.GetResult{Name: name}
		if cm == nil {
			k = k.With(object, decision.Absent{}).With(meta, decision.Absent{}).With(res, decision.Absent{})
			return
		}
		k = k.With(object, cm).With(meta, &metav1.PartialObjectMetadata{ObjectMeta: cm.ObjectMeta}).With(res, decision.DeliveredIn(cm, contract.DefaultBounds()))
	}
	for i := range c.e.Clients {
		if c.found || c.in.Children.Jobs[c.e.Name] != nil || len(c.in.Children.WorkingJobs()) > 0 {
			with(contract.ResultName(c.e.Name, i), c.results[i])
		} else {
			k = k.With(decision.GetMetadata{Name: contract.ResultName(c.e.Name, i)}, decision.Absent{})
		}
		k = k.With(decision.ReadLog{Pod: fmt.Sprintf("%s-%d", c.e.Name, i), Container: resources.AgentContainer}, "the log")
		k = k.With(decision.ReadLog{Pod: fmt.Sprintf("%s-%d", c.e.Name, i), Container: resources.RunnerContainer}, "")
	}
	with(c.e.Name, c.trial)
	if c.database == nil {
		return k.With(decision.Named[*corev1.Pod]("run-db-db-0"), decision.Absent{})
	}
	return k.With(decision.Named[*corev1.Pod]("run-db-db-0"), c.database)
}
