package accept

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// A run that names no shape gets some by the nodes, and says so; one that names a shape keeps it.
func TestShapesAreChosen(t *testing.T) {
	another := func(w *world) {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", len(w.nodes))}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("16Gi")}
		w.nodes = append(w.nodes, n)
	}
	noneOfClients := spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Clients.Shape = nil })
	none := spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Clients.Shape, s.Targets[0].Shape = nil, nil })
	replicated := spec(func(s *v1alpha1.BenchmarkRunSpec) {
		s.Targets[0].MySQL.Replication = &v1alpha1.Replication{Mode: v1alpha1.ReplicationAsync, Replicas: 1}
	})
	shared := spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Clients.Placement.SeparateFromTargets = v1alpha1.SeparationNone })
	tests := map[string]struct {
		changes        []change
		target, client string
		says           string
		apart          v1alpha1.Separation
	}{
		"all are named":           {target: "1", client: "1"},
		"none is named":           {changes: []change{another, none}, target: "2", client: "2150m", says: "no shape is named: target db has cpu 2 and memory 4864Mi, each client has cpu 2150m and memory 4352Mi (60% of the smallest of 1 node"},
		"that of the clients not": {changes: []change{another, noneOfClients}, target: "1", client: "2150m", says: "no shape is named: each client has cpu 2150m"},
		"two nodes": {
			changes: []change{another, another, none}, target: "4", client: "3750m", says: "(60% of the smallest of 2 nodes that any pod may use, with clients apart from targets)", apart: v1alpha1.SeparationRequired,
		},
		"two nodes, and a replica":                 {changes: []change{another, another, none, replicated}, target: "2", client: "2150m", says: "for 2 pods on each"},
		"two nodes, and a target's shape is named": {changes: []change{another, another, noneOfClients}, target: "1", client: "3750m", says: "each client has cpu 3750m"},
		"two nodes, and apart is not asked for":    {changes: []change{another, another, none, shared}, target: "4", client: "3750m", says: "2 nodes"},
		"no node is there":                         {changes: []change{none}, target: "500m", client: "500m", says: "nodes are asked for"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(tt.changes...)
			res := w.decide(t)
			r := res.Status.Resolved
			if r == nil {
				t.Fatalf("it is refused: %s", words(res.State))
			}
			if got := r.Targets[0].Shape.CPU.String(); got != tt.target {
				t.Errorf("the target has cpu %s, want %s", got, tt.target)
			}
			if got := r.ClientShape.CPU.String(); got != tt.client {
				t.Errorf("the clients have cpu %s, want %s", got, tt.client)
			}
			if want := cmp.Or(tt.apart, v1alpha1.SeparationNone); r.SeparateFromTargets != want {
				t.Errorf("clients are apart from targets: %s, want %s", r.SeparateFromTargets, want)
			}
			var says string
			for _, f := range res.Findings {
				if f.Check == "shapes-chosen" {
					says = f.Message
				}
			}
			if !strings.Contains(says, tt.says) || (says == "") != (tt.says == "") || strings.Contains(says, "apart from targets") != (tt.apart != "") {
				t.Errorf("finding %q, want %q", says, tt.says)
			}
		})
	}
	w := newWorld(another, none)
	w.in.Catalogue.Config.Shapes.Inline = config.InlineDeny
	if got := words(w.decide(t).State); !strings.HasPrefix(got, "fail ShapeNotAllowed: spec.clients.shape: a shape has to be named here") {
		t.Errorf("where inline shapes are not allowed: %s", got)
	}
}
