package placement

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Servers of tenants may share a node with each other and with other targets, as far as there is room. Of targets that run one at a time
// the servers of one run together.
func TestServersOfTenantsShareNodes(t *testing.T) {
	of := func(cpu string) v1alpha1.InstanceShapeSpec {
		s := shape("t")
		s.CPU, s.Memory = resource.MustParse(cpu), resource.MustParse("1Gi")
		return s
	}
	one, two, client := node("a", "t"), node("b", "t"), node("c", "c") // of 2 CPUs each
	need := func(each string, tenants bool) Need {
		return Need{Client: shape("c"), Separate: true, Targets: []Target{{Name: "shared", Shape: of("1")}, {Name: "own", Shape: of(each), Replicas: 1, Tenants: tenants}}}
	}
	inTurn := need("1", true)
	inTurn.OneAtATime = true
	tooLarge := need("1200m", true)
	tooLarge.OneAtATime = true
	places := func(p v1alpha1.Placement) (out []string) {
		for _, t := range p.Targets {
			out = append(out, t.Name+":"+strings.Join(append([]string{t.NodeName}, t.ReplicaNodeNames...), ","))
		}
		return out
	}
	tests := map[string]struct {
		nodes  []corev1.Node
		need   Need
		want   []string
		reason string
	}{
		"all on one node":                              {[]corev1.Node{one, client}, need("500m", true), []string{"shared:a", "own:a,a"}, ""},
		"replicas do not":                              {[]corev1.Node{one, client}, need("500m", false), nil, v1alpha1.ReasonNoNodeOffersShape},
		"no room for all of them":                      {[]corev1.Node{one, client}, need("1", true), nil, v1alpha1.ReasonNoNodeOffersShape},
		"on two nodes they have it":                    {[]corev1.Node{one, two, client}, need("1", true), []string{"shared:a", "own:a,b"}, ""},
		"one target at a time has room for both":       {[]corev1.Node{one, client}, inTurn, []string{"shared:a", "own:a,a"}, ""},
		"its two servers run together and are too big": {[]corev1.Node{one, client}, tooLarge, nil, v1alpha1.ReasonNoNodeOffersShape},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := find(tt.nodes, tt.need, nil)
			if diff := cmp.Diff(tt.want, places(got.Placement)); diff != "" || got.Reason != tt.reason {
				t.Errorf("%s %s: %s", got.Reason, got.Message, diff)
			}
		})
	}
}
