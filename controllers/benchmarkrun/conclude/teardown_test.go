package conclude

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/certificate"
	"github.com/assay-bench/assay/internal/config"
	"github.com/assay-bench/assay/internal/resources"
)

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
