package conclude

import (
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/journal"

	"github.com/assay-bench/assay/internal/contract"
)

// Keeps says whether a policy keeps the objects of a run that ends so.
func Keeps(policy v1alpha1.RetainPolicy, failing bool) bool {
	return policy == v1alpha1.RetainAlways || policy == v1alpha1.RetainOnFailure && failing
}

// kept are the roles of what stays until the run is deleted: what was measured, what
// with, and what is shown beside it.
var kept = []string{v1alpha1.RoleResult, v1alpha1.RoleJournal, v1alpha1.RoleInputs, v1alpha1.RoleQuoted}

// TearDown deletes everything of a run that has ended but its results, their inputs and
// its journal, unless it is to be retained. The volume of a database goes with its
// StatefulSet. Found are the objects of the run.
func TearDown(run *v1alpha1.BenchmarkRun, found []decision.Object) []decision.Action {
	if Keeps(run.Spec.Retain, run.HasFailed()) {
		return nil
	}
	var out []decision.Action
	for _, obj := range found {
		if metav1.IsControlledBy(obj, run) && !slices.Contains(kept, obj.GetLabels()[v1alpha1.LabelRole]) {
			out = append(out, decision.Delete{Object: obj})
		}
	}
	return out
}

// NamedChildren are the objects of a run that no list finds, with nothing but their names.
func NamedChildren(run *v1alpha1.BenchmarkRun) []decision.Object {
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: run.Namespace, Name: name} }
	clients := contract.ClientName(run.Name)
	out := []decision.Object{
		&rbacv1.RoleBinding{ObjectMeta: meta(clients)}, &rbacv1.Role{ObjectMeta: meta(clients)},
		&corev1.ServiceAccount{ObjectMeta: meta(clients)}, &policyv1.PodDisruptionBudget{ObjectMeta: meta(clients)},
	}
	for _, t := range run.Provided() {
		name := contract.TargetName(run.Name, t.Name)
		out = append(out, &corev1.Service{ObjectMeta: meta(name)}, &corev1.Secret{ObjectMeta: meta(name)},
			&networkingv1.NetworkPolicy{ObjectMeta: meta(name)}, &policyv1.PodDisruptionBudget{ObjectMeta: meta(name)})
		for i := range t.Replicas() {
			name := contract.ReplicaName(run.Name, t.Name, i)
			out = append(out, &corev1.Service{ObjectMeta: meta(name)},
				&networkingv1.NetworkPolicy{ObjectMeta: meta(name)}, &policyv1.PodDisruptionBudget{ObjectMeta: meta(name)})
		}
	}
	return out
}

// Expiry is how long a run that has ended is kept.
type Expiry struct {
	// Bounded: the run is deleted when Left is over.
	Bounded bool
	// Left until then; not positive when it is due.
	Left time.Duration
}

// Expires says when a run that has ended is to be deleted.
func Expires(run *v1alpha1.BenchmarkRun, now time.Time) Expiry {
	ttl := run.Spec.TTLSecondsAfterFinished
	if ttl == nil || run.Status.FinishTime == nil {
		return Expiry{}
	}
	return Expiry{Bounded: true, Left: run.Status.FinishTime.Add(time.Duration(*ttl) * time.Second).Sub(now)}
}

// RemoveEnded deletes the Jobs and the trial ConfigMaps of executions whose outcome stands
// in the journal or the status, unless they are to be retained. At is the attempt that
// comes next.
func RemoveEnded(run *v1alpha1.BenchmarkRun, children decision.Children, at journal.Position, ask *decision.Asking) []decision.Action {
	if run.Spec.Retain == v1alpha1.RetainAlways {
		return nil
	}
	var out []decision.Action
	for _, name := range children.JobNames() {
		job := children.Jobs[name]
		if !OutcomeKnown(run, job, at) || !job.DeletionTimestamp.IsZero() || run.Spec.Retain == v1alpha1.RetainOnFailure && hasFailed(job) {
			continue
		}
		out = append(out, decision.Delete{Object: job})
		if meta := ask.Metadata(name); meta.Exists {
			out = append(out, decision.Delete{Object: meta.Value})
		}
	}
	return out
}

// OutcomeKnown says whether what became of a Job is written down. At is the attempt that
// comes next.
func OutcomeKnown(run *v1alpha1.BenchmarkRun, job *batchv1.Job, at journal.Position) bool {
	if target := job.Labels[v1alpha1.LabelTarget]; job.Name == contract.LoadName(run.Name, target) {
		return run.TargetStatus(target).LoadResult != ""
	}
	index, err1 := strconv.ParseInt(job.Labels[v1alpha1.LabelTrial], 10, 32)
	attempt, err2 := strconv.ParseInt(job.Labels[v1alpha1.LabelAttempt], 10, 32)
	if err1 != nil || err2 != nil {
		return false
	}
	return int32(index) < at.Index || int32(index) == at.Index && int32(attempt) < at.Attempt
}

func hasFailed(job *batchv1.Job) bool {
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return job.Status.Failed > 0
}
