package accept

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Where the nodes come from decides nothing of the result.
func TestTheHashHasNoSourceOfNodes(t *testing.T) {
	plain := newWorld()
	spec := plain.in.Run.Spec
	shape := *spec.Clients.Shape.Inline
	asked := shape
	asked.Nodes, asked.ProvisioningClass = v1alpha1.NodesProvisioned, "a"
	hash := func(s v1alpha1.InstanceShapeSpec) string {
		t.Helper()
		got, err := specHash(spec, 1, v1alpha1.Resolved{ClientShape: s, Targets: []v1alpha1.ResolvedTarget{{Name: "db", Shape: &s}}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if a, b := hash(shape), hash(asked); a != b {
		t.Errorf("hashes %s and %s", a, b)
	}
}
