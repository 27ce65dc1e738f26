package accept

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// One request asks for the nodes of a run, and has one class; shapes without one do not matter.
func TestOneClass(t *testing.T) {
	const advice = ": one ProvisioningRequest asks for all nodes of a run, so give its shapes the same class, or leave it out"
	tests := map[string]struct {
		clients string
		targets []string
		want    string
	}{
		"none":                 {targets: []string{"", ""}},
		"of the clients":       {clients: "a", targets: []string{"", ""}},
		"of one target":        {targets: []string{"", "a"}},
		"the same in all":      {clients: "a", targets: []string{"a", "", "a"}},
		"clients and a target": {clients: "a", targets: []string{"", "b"}, want: "spec.targets[1].shape: the shape has provisioningClass b, and spec.clients.shape has a" + advice},
		"two targets":          {targets: []string{"a", "", "b"}, want: "spec.targets[2].shape: the shape has provisioningClass b, and spec.targets[0].shape has a" + advice},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := v1alpha1.Resolved{ClientShape: v1alpha1.InstanceShapeSpec{ProvisioningClass: tt.clients}}
			for _, class := range tt.targets {
				r.Targets = append(r.Targets, v1alpha1.ResolvedTarget{Shape: &v1alpha1.InstanceShapeSpec{ProvisioningClass: class}})
			}
			r.Targets = append(r.Targets, v1alpha1.ResolvedTarget{Name: "external"})
			refusalIs(t, oneClass(r), tt.want)
		})
	}
}

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
