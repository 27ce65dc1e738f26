package conclude

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/certificate"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// What was measured and what is said of it stays, and everything else of a run that has ended goes.
func TestWhatStays(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns", UID: "0123456789abcdef"}}
	var found []decision.Object
	for _, role := range []string{
		v1alpha1.RoleResult, v1alpha1.RoleJournal, v1alpha1.RoleInputs, v1alpha1.RoleQuoted, v1alpha1.RoleReport, v1alpha1.RoleTrial, v1alpha1.RoleTarget,
	} {
		found = append(found, &corev1.ConfigMap{ObjectMeta: resources.Meta(run, role, resources.Labels(run, role))})
	}
	var gone []string
	for _, action := range TearDown(run, found) {
		gone = append(gone, action.(decision.Delete).Object.GetName())
	}
	if want := []string{v1alpha1.RoleTrial, v1alpha1.RoleTarget}; !slices.Equal(gone, want) {
		t.Errorf("%v go, want %v", gone, want)
	}
}

// What a run creates under a name of its own is found again by that name: nothing else tears it
// down.
func TestWhatIsCreatedIsNamed(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns", UID: "0123456789abcdef"}}
	replicated := v1alpha1.Target{Name: "db", MySQL: &v1alpha1.MySQLTarget{
		Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi")}, Replication: &v1alpha1.Replication{Replicas: 2},
	}}
	run.Spec.Targets = []v1alpha1.Target{replicated, {Name: "outside", External: &v1alpha1.ExternalTarget{Host: "db.example", Port: 3306}}}

	network := config.Default().Pods.Network
	created := []decision.Object{
		resources.ServiceAccount(run), resources.RoleBinding(run), resources.Client{Run: run}.Role(),
		resources.ClientDisruptionBudget(run), resources.ClientNetworkPolicy(run, network),
	}
	primary := resources.Target{Run: run, Spec: replicated}
	created = append(created, primary.Secret("p", "k", certificate.Bundle{}), primary.Service(), primary.NetworkPolicy(), primary.PodDisruptionBudget())
	for i := range 2 {
		replica := primary
		replica.Replica = &i
		created = append(created, replica.Service(), replica.NetworkPolicy(), replica.PodDisruptionBudget())
	}

	var named []string
	for _, obj := range NamedChildren(run) {
		named = append(named, fmt.Sprintf("%T %s/%s", obj, obj.GetNamespace(), obj.GetName()))
	}
	for _, obj := range created {
		if name := fmt.Sprintf("%T %s/%s", obj, obj.GetNamespace(), obj.GetName()); !slices.Contains(named, name) {
			t.Errorf("%s stays when the run is torn down; named are %v", name, named)
		}
	}
}

// The volume that a run retains stays where it has data, until the run is deleted.
func TestARetainedVolumeStays(t *testing.T) {
	target := v1alpha1.Target{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi"), Retain: true}}}
	tests := map[string]struct {
		loaded, deleted, stays bool
	}{
		"loaded":                  {loaded: true, stays: true},
		"not loaded":              {},
		"loaded, and deleted":     {loaded: true, deleted: true},
		"not loaded, and deleted": {deleted: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns", UID: "0123456789abcdef"}}
			run.Spec.Targets = []v1alpha1.Target{target}
			if tt.loaded {
				run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", LoadResult: "loaded"}}
			}
			if tt.deleted {
				run.DeletionTimestamp = &metav1.Time{}
				run.DeletionTimestamp.Time = run.DeletionTimestamp.AddDate(2026, 0, 0)
			}
			claim := resources.Volume{Of: resources.Target{Run: run, Spec: target}}.Claim()
			if stays := len(TearDown(run, []decision.Object{claim})) == 0; stays != tt.stays {
				t.Errorf("it stays: %v, want %v", stays, tt.stays)
			}
			if !slices.ContainsFunc(NamedChildren(run), func(o decision.Object) bool {
				_, is := o.(*corev1.PersistentVolumeClaim)
				return is && o.GetName() == claim.Name
			}) {
				t.Errorf("%s is not found again by its name", claim.Name)
			}
		})
	}
}
