package conclude

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// Keeps says whether a policy keeps the objects of a run that ends so.
func Keeps(policy v1alpha1.RetainPolicy, failing bool) bool {
	return policy == v1alpha1.RetainAlways || policy == v1alpha1.RetainOnFailure && failing
}

// kept are the roles of what stays until the run is deleted: what was measured, what
// with, what is shown beside it, and the report of all that.
var kept = []string{v1alpha1.RoleResult, v1alpha1.RoleJournal, v1alpha1.RoleInputs, v1alpha1.RoleQuoted, v1alpha1.RoleReport}

// TearDown deletes everything of a run that has ended but its results, their inputs,
// its journal, its report, and the volumes that it retains. The caller asks Keeps before. Any other volume of a database goes with its
// StatefulSet, or is found. Found are the objects of the run.
func TearDown(run *v1alpha1.BenchmarkRun, found []decision.Object) []decision.Action {
	var out []decision.Action
	for _, obj := range found {
		if metav1.IsControlledBy(obj, run) && !slices.Contains(kept, obj.GetLabels()[v1alpha1.LabelRole]) && !retains(run, obj) {
			out = append(out, decision.Delete{Object: obj})
		}
	}
	return out
}

// retains says whether an object is the volume of a target that was loaded, and that is to be retained. It goes with its run.
func retains(run *v1alpha1.BenchmarkRun, obj decision.Object) bool {
	target := obj.GetLabels()[v1alpha1.LabelTarget]
	_, is := obj.(*corev1.PersistentVolumeClaim)
	return is && run.DeletionTimestamp.IsZero() && run.Target(target).Retains() && run.TargetStatus(target).LoadResult != ""
}

// NamedChildren are the objects of a run that no list finds, with nothing but their names.
func NamedChildren(run *v1alpha1.BenchmarkRun) []decision.Object {
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: run.Namespace, Name: name} }
	clients := contract.ClientName(run.Name)
	out := []decision.Object{
		&rbacv1.RoleBinding{ObjectMeta: meta(clients)}, &rbacv1.Role{ObjectMeta: meta(clients)},
		&corev1.ServiceAccount{ObjectMeta: meta(clients)}, &policyv1.PodDisruptionBudget{ObjectMeta: meta(clients)},
		&networkingv1.NetworkPolicy{ObjectMeta: meta(clients)},
	}
	server := func(name string) {
		out = append(out, &corev1.Service{ObjectMeta: meta(name)},
			&networkingv1.NetworkPolicy{ObjectMeta: meta(name)}, &policyv1.PodDisruptionBudget{ObjectMeta: meta(name)})
	}
	for _, t := range run.Provided() {
		name := contract.TargetName(run.Name, t.Name)
		server(name)
		out = append(out, &corev1.Secret{ObjectMeta: meta(name)})
		if t.OwnsClaim() {
			out = append(out, &corev1.PersistentVolumeClaim{ObjectMeta: meta(resources.Volume{Of: resources.Target{Run: run, Spec: t}}.ClaimName())})
		}
		for i := range run.Spec.FurtherServers(t) {
			server(resources.FurtherName(run.Name, t, i))
		}
	}
	return out
}

// Expires is when a run that has ended is to be deleted; zero for never.
func Expires(run *v1alpha1.BenchmarkRun) time.Time {
	ttl := run.Spec.TTLSecondsAfterFinished
	if ttl == nil || run.Status.CompletionTime == nil {
		return time.Time{}
	}
	return run.Status.CompletionTime.Add(time.Duration(*ttl) * time.Second)
}
