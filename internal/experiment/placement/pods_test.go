package placement

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestPods(t *testing.T) {
	replicated := targets("a:x")
	replicated[0].Replicas = 2
	tests := map[string]struct {
		need  Need
		want  []string // the targets, empty for a client
		least int
	}{
		"client and target apart":           {need: Need{Client: shape("y"), Targets: targets("a:x"), Separate: true}, want: []string{"a", ""}, least: 2},
		"client beside the target":          {need: Need{Client: shape("y"), Targets: targets("a:x")}, want: []string{"a", ""}, least: 1},
		"clients of an external server":     {need: Need{Client: shape("y"), Clients: 3}, want: []string{"", "", ""}, least: 1},
		"two targets":                       {need: Need{Client: shape("y"), Targets: targets("a:x b:x"), Separate: true}, want: []string{"a", "b", ""}, least: 3},
		"targets of one shape, in turn":     {need: Need{Client: shape("y"), Targets: targets("a:x b:x c:z"), OneAtATime: true, Separate: true}, want: []string{"a", "c", ""}, least: 3},
		"a replica is on a node of its own": {need: Need{Client: shape("y"), Targets: replicated, Separate: true}, want: []string{"a", "a", "a", ""}, least: 4},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range tt.need.Pods() {
				got = append(got, p.Target)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Pods (-want +got):\n%s", diff)
			}
			if got := tt.need.Least(); got != tt.least {
				t.Errorf("Least = %d, want %d", got, tt.least)
			}
		})
	}
}

func provisioned(s v1alpha1.InstanceShapeSpec, within time.Duration) v1alpha1.InstanceShapeSpec {
	s.Nodes = v1alpha1.NodesProvisioned
	if within > 0 {
		s.ProvisionWithin = &metav1.Duration{Duration: within}
	}
	return s
}

func TestCanGrow(t *testing.T) {
	needs := []func() Need{
		func() Need { return Need{Client: shape("x"), Targets: targets("a:y")} },
		func() Need { return Need{Client: provisioned(shape("x"), 0), Targets: targets("a:y")} },
		func() Need {
			return Need{Client: shape("x"), Targets: []Target{{Name: "a", Shape: provisioned(shape("y"), time.Hour)}}}
		},
		func() Need {
			return Need{Client: provisioned(shape("x"), time.Minute), Targets: []Target{{Name: "a", Shape: provisioned(shape("y"), time.Hour)}}}
		},
		func() Need { return Need{Client: provisioned(shape(""), time.Minute), Targets: targets("a:y b:y")} },
	}
	tests := map[string]struct {
		need   int
		nodes  []corev1.Node
		grows  bool
		within time.Duration
	}{
		"nothing is provisioned":             {need: 0},
		"a shape that is not has no node":    {need: 1, within: v1alpha1.DefaultProvisionWithin},
		"every shape that is not has a node": {need: 2, nodes: []corev1.Node{node("n", "x")}, grows: true, within: time.Hour},
		"all are provisioned":                {need: 3, grows: true, within: time.Hour},
		"too few for those that are not":     {need: 4, nodes: []corev1.Node{node("n", "y")}, within: time.Minute},
		"enough for those that are not":      {need: 4, nodes: []corev1.Node{node("n", "y", sized("4", "8Gi"))}, grows: true, within: time.Minute},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			need := needs[tt.need]()
			if got := NewCluster(tt.nodes).CanGrow(need); got != tt.grows {
				t.Errorf("CanGrow = %t, want %t", got, tt.grows)
			}
			if got := need.Patience(); got != tt.within {
				t.Errorf("Patience = %s, want %s", got, tt.within)
			}
		})
	}
}
