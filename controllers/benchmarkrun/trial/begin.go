package trial

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/podhealth"
	"github.com/assay-bench/assay/runners/runner"
)

// begin makes the objects of an execution that has no Job. The results come first, the
// Job last: a result that bears a mark without a Job says that the execution did begin
// and that its Job was taken away.
func begin(in Input, e Execution, ask *decision.Asking) Result {
	if in.Run.Spec.Suspend {
		return Result{State: decision.WaitFor(v1alpha1.ReasonSuspended, "spec.suspend holds the run back before %s", e.Name)}
	}
	// Before any other client is stopped: it may be of what follows the end of this execution.
	for i := range e.Clients {
		if begun(in, contract.ResultName(e.Name, i), ask) {
			r := takenAway(in, e, ask)
			if decision.IsDone(r.State) {
				return finish(in, e, r.End, ask)
			}
			return r
		}
	}
	if failure, ending := hasFailedBefore(in, e); ending {
		return Result{State: failure}
	}
	ready := free(in, e, ask)
	working := slices.DeleteFunc(in.Children.WorkingJobs(), func(name string) bool { return name == ready })
	switch {
	case e.Standing && ready == "" && len(jobsOf(in, e, ask)) > 0:
		return Result{State: running(e)} // the cache does not know yet, or a pass before this one made no more than what tells the clients
	case len(working) > 0:
		return stop(in, e, working[0], ask)
	}
	if files := in.Run.Status.Resolved.Inputs; files != nil {
		if lost, is := accept.CheckFiles(*files, ask.ConfigMap(files.ConfigMap)).(decision.Failed); is {
			return Result{State: lost}
		}
	}
	image, pods, err := in.Work.Image(*in.Run.Status.Resolved, e.Workload)
	if err != nil {
		return Result{State: decision.FailWith(v1alpha1.ReasonInvalidSpec, "%v", err)}
	}
	c := clients(in, e, ready, image, pods)
	c.Behind = beganBehind(in, e, ask)
	if e.Reset != "" {
		if state := resets(in, e, &c.Trial, ask); state != nil {
			return Result{State: state}
		}
	}
	if in.named(e) {
		c.Trial.DataSet = in.Run.Spec.Data.Name
	}
	var actions []decision.Action
	for _, cm := range c.ResultConfigMaps() {
		actions = append(actions, decision.Create{Object: cm, Existing: decision.KeepUnmarked})
	}
	actions = append(actions, decision.Create{Object: c.TrialConfigMap()})
	actions = append(actions, grant(in.Run, c, ask)...)
	switch {
	case ready != "":
		return tell(in, e, ready, actions, ask)
	case e.Standing:
		actions = append(actions, decision.Create{Object: c.StandingConfigMap()})
	}
	return Result{State: running(e), Actions: append(actions, decision.Create{Object: c.Job()})}
}

// begun says whether a client has touched a result: one that an action came upon, or one of
// this run that the cache knows of.
func begun(in Input, result string, ask *decision.Asking) bool {
	if cm := decision.Found(ask, result); cm.Exists && decision.Begun(cm.Value) {
		return true
	}
	meta := ask.Metadata(result)
	return meta.Exists && decision.Claimed(meta.Value) && metav1.IsControlledBy(meta.Value, in.Run)
}

// hasFailedBefore is the failure of a run whose tables are being dropped already. A clean-up
// has a Job only when nothing else will begin; the condition says why. Without it the
// execution that failed would stop the clean-up to begin again, fail again, and so on.
func hasFailedBefore(in Input, e Execution) (decision.Failed, bool) {
	condition := map[contract.Phase]string{
		contract.PhasePrepare: v1alpha1.ConditionDataLoaded, contract.PhaseRun: v1alpha1.ConditionMeasured,
	}[e.phase()]
	cleans := slices.ContainsFunc(in.Run.Spec.Targets, func(t v1alpha1.Target) bool {
		return t.External != nil && in.Children.Jobs[contract.CleanupName(in.Run.Name, t.Name)] != nil
	})
	c := apimeta.FindStatusCondition(in.Run.Status.Conditions, condition)
	if !cleans || c == nil || c.Status != metav1.ConditionFalse || slices.Contains(passing, c.Reason) {
		return decision.Failed{}, false
	}
	return decision.Failed{Reason: c.Reason, Message: c.Message}, true
}

// passing are the reasons of a step that had not failed when the status was written.
var passing = []string{v1alpha1.ReasonProgressing, v1alpha1.ReasonRetrying, v1alpha1.ReasonSuspended}

// stop makes sure that no client of an earlier execution is at work when the next one
// begins: two would be measured as one.
func stop(in Input, e Execution, name string, ask *decision.Asking) Result {
	r := Result{State: decision.WaitFor(v1alpha1.ReasonProgressing, "waiting for the clients of %s to stop", name)}
	job := in.Children.Jobs[name]
	if job == nil || !job.DeletionTimestamp.IsZero() {
		return r
	}
	if job.Labels[v1alpha1.LabelStanding] != "" && next(ask.ConfigMap(name)) == e.Name {
		return Result{State: running(e)} // another manager has just told them
	}
	r.Actions = retire(job, ask)
	return r
}

// timeout of an execution, from the creation of its objects on; an upload comes after it.
func timeout(in Input, e Execution) time.Duration {
	return in.Timeouts.Scheduling.Duration + in.Timeouts.PodStart.Duration + e.Busy + in.Timeouts.TrialGrace.Duration
}

// clients are what the objects of an execution are built from. Ready is the Job of clients that stand already; empty for none.
func clients(in Input, e Execution, ready, image string, pods runner.Pods) resources.Client {
	t := in.Run.Target(e.Ref.Target)
	timeout := timeout(in, e)
	c := resources.Client{
		Run: in.Run, Name: e.Name, Attempt: e.Attempt,
		Image: image, PullPolicy: corev1.PullIfNotPresent, Shape: in.Run.Status.Resolved.ClientShape,
		Nodes: in.Run.Status.Placement.ClientNodeNames, Timeout: timeout,
		Pods:  in.Pods,
		Agent: resources.Agent{Image: in.Run.Status.Resolved.AgentImage, Shape: resources.AgentShape(in.Run)},
		Trial: message(in, e),
	}
	c.Trial.Deadline = in.Now.Add(timeout).UTC()
	if c.Trial.Store != nil {
		c.Timeout += in.Timeouts.Upload.Duration // after the deadline of the work
	}
	if files := in.Run.Status.Resolved.Inputs; files != nil {
		c.Inputs = files.ConfigMap
	}
	if pods.Image != "" {
		c.UseImage(corev1.PullPolicy(pods.PullPolicy), pods.PullSecrets)
	}
	c.Credentials = []resources.Credentials{resources.CredentialsOf(in.Run, t)}
	if e.Standing {
		stand(in, e, ready, &c)
	}
	if pod := in.TargetPod(t.Name); pod != nil && t.External == nil {
		c.Began = beganOn(in, t)
	}
	return c
}

// beganOn is what the database pods were when a trial began, in the order of the tenants: one, unless tenants have servers of their own.
func beganOn(in Input, t v1alpha1.Target) string {
	var all []string
	for _, name := range serverPods(in.Run, t) {
		all = append(all, podhealth.BeganAs(in.Children.TargetPods[name], resources.ServerContainer).String())
	}
	return strings.Join(all, betweenPods)
}

// betweenPods stands between the pods of beganOn.
const betweenPods = ","

// TargetPod is the database pod of a target; nil when there is none.
func (in Input) TargetPod(target string) *corev1.Pod {
	return in.Children.TargetPods[contract.TargetName(in.Run.Name, target)]
}

// resets tells the clients of a trial what its reset has to leave in each server. The state is nil when that is known.
func resets(in Input, e Execution, trial *contract.Trial, ask *decision.Asking) decision.State {
	tables, state := loadedTables(in, e.Ref.Target, 0, ask)
	if state != nil {
		return state
	}
	trial.Reset = &contract.Reset{Method: e.Reset, Tables: tables}
	for i, g := range trial.Groups {
		if g.Host == "" {
			continue
		}
		if trial.Groups[i].Tables, state = loadedTables(in, e.Ref.Target, g.Tenant-1, ask); state != nil {
			return state
		}
	}
	return nil
}

// loadedTables are what the tables of one of the servers of a target, from 0, held after loading. The state is nil when
// that is known.
func loadedTables(in Input, target string, server int, ask *decision.Asking) ([]contract.Table, decision.State) {
	loaded, name := loadResultOn(in, target, server, ask), loadName(in, target, server)
	switch {
	case !loaded.Known:
		return nil, nil
	case !loaded.Exists:
		return nil, decision.FailWith(v1alpha1.ReasonJournalLost,
			"ConfigMap %s was deleted: it said what data target %s held after loading, and without it no trial can be shown to start from the same data",
			name, target)
	case loaded.Value.Err != nil:
		return nil, decision.FailWith(v1alpha1.ReasonJournalLost, "ConfigMap %s cannot be used: %v", name, loaded.Value.Err)
	case loaded.Value.Result.Data == nil:
		return nil, decision.FailWith(v1alpha1.ReasonJournalLost, "ConfigMap %s cannot be used: it does not say what the tables held", name)
	}
	return loaded.Value.Result.Data.Tables, nil
}

// loadResult is the result of loading a target: that of its first client.
func loadResult(in Input, target string, ask *decision.Asking) decision.Fact[decision.Delivered] {
	return ask.Result(in.Run.TargetStatus(target).LoadResult)
}

// grant gives the clients of one execution, and of no other, access to its trial and its
// results. The RoleBinding comes after the Role. (The API server refuses it before its
// Role anyway, unless the manager may bind any Role.) What somebody else has made under these
// names is not used: to create it fails, and ends the run.
func grant(run *v1alpha1.BenchmarkRun, c resources.Client, ask *decision.Asking) []decision.Action {
	binding, want := resources.RoleBinding(run), c.Role()
	bind, have := decision.Get[*rbacv1.RoleBinding](ask, binding.Name), decision.Get[*rbacv1.Role](ask, want.Name)
	bound := bind.Exists && metav1.IsControlledBy(bind.Value, run)
	have.Exists = have.Exists && metav1.IsControlledBy(have.Value, run)
	var actions []decision.Action
	if !bound {
		actions = append(actions, decision.Create{Object: resources.ServiceAccount(run)}, decision.Create{Object: resources.ClientDisruptionBudget(run)},
			decision.Create{Object: resources.ClientNetworkPolicy(run, c.Pods.Network)})
	}
	if !bound || !have.Exists {
		actions = append(actions, decision.Create{Object: want})
	}
	if have.Exists && !equality.Semantic.DeepEqual(have.Value.Rules, want.Rules) {
		role := have.Value.DeepCopy()
		role.Rules = want.Rules
		actions = append(actions, decision.Replace{Object: role})
	}
	if !bound {
		actions = append(actions, decision.Create{Object: binding})
	}
	return actions
}
