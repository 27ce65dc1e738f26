package placement

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// size of a node or a shape.
func size(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

func sized(cpu, memory string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Allocatable = size(cpu, memory) }
}

func small(kind, cpu, memory string) v1alpha1.InstanceShapeSpec {
	s := shape(kind)
	s.CPU, s.Memory = resource.MustParse(cpu), resource.MustParse(memory)
	return s
}

// find gives a run its nodes in a cluster, none of which is taken (nil: none is).
func find(nodes []corev1.Node, need Need, taken func(node string) bool) Answer {
	c := NewCluster(nodes)
	return c.Find(need, takenOf(c, taken))
}

func takenOf(c *Cluster, taken func(node string) bool) Set {
	set := c.Set()
	for i, name := range c.Names() {
		if taken != nil && taken(name) {
			set.Add(i)
		}
	}
	return set
}

// targets in the order of their names, with one kind each: "a:x b:y".
func targets(text string) []Target {
	var out []Target
	for _, t := range strings.Fields(text) {
		name, kind, _ := strings.Cut(t, ":")
		out = append(out, Target{Name: name, Shape: shape(kind)})
	}
	return out
}

// placed reads "clients | target:node ...".
func placed(text string) v1alpha1.Placement {
	clients, on, _ := strings.Cut(text, "|")
	p := v1alpha1.Placement{ClientNodeNames: strings.Fields(clients)}
	for _, t := range strings.Fields(on) {
		name, node, _ := strings.Cut(t, ":")
		p.Targets = append(p.Targets, v1alpha1.TargetPlacement{Name: name, NodeName: node})
	}
	return p
}

func TestFindPlaces(t *testing.T) {
	big := sized("4", "8Gi")
	tests := map[string]struct {
		nodes []corev1.Node
		taken string
		need  Need
		want  string
	}{
		"every target has a node of its own, the client another": {
			nodes: []corev1.Node{node("c", "x"), node("a", "x"), node("b", "x")},
			need:  Need{Client: shape("x"), Targets: targets("i:x m:x"), Separate: true}, want: "c | i:a m:b",
		},
		"a taken node is left alone": {
			nodes: []corev1.Node{node("a", "x"), node("b", "x"), node("c", "x")}, taken: "a",
			need: Need{Client: shape("x"), Targets: targets("i:x"), Separate: true}, want: "c | i:b",
		},
		"a node that only clients can use is theirs": {
			nodes: []corev1.Node{node("a", "t"), node("b", "c")},
			need:  Need{Client: shape(""), Targets: targets("i:t"), Separate: true}, want: "b | i:a",
		},
		"the targets leave the clients' only node to them": {
			nodes: []corev1.Node{node("a", "c"), node("b", "t")},
			need:  Need{Client: shape("c"), Targets: targets("i:"), Separate: true}, want: "a | i:b",
		},
		"one node is enough when nobody asks for separation": {
			nodes: []corev1.Node{node("a", "x", big)}, need: Need{Client: shape("x"), Targets: targets("i:x")}, want: "a | i:a",
		},
		"but two are better, the larger one for the clients": {
			nodes: []corev1.Node{node("a", "x", big), node("b", "x")}, need: Need{Client: shape("x"), Targets: targets("i:x")}, want: "a | i:b",
		},
		"external targets need no node": {
			nodes: []corev1.Node{node("a", "c")}, need: Need{Client: shape("c"), Separate: true}, want: "a |",
		},
		"targets share a node when they must and fit": {
			nodes: []corev1.Node{node("a", "x", big), node("b", "c")},
			need:  Need{Client: shape("c"), Targets: targets("i:x m:x"), Separate: true}, want: "b | i:a m:a",
		},
		"targets of one shape share a node when only one of them runs": {
			nodes: []corev1.Node{node("a", "x"), node("b", "x"), node("c", "x")},
			need:  Need{Client: shape("x"), Targets: targets("i:x m:x n:x"), Separate: true, OneAtATime: true}, want: "b | i:a m:a n:a",
		},
		"targets of other shapes do not, as long as there are nodes": {
			nodes: []corev1.Node{node("a", "x"), node("b", "y"), node("c", "c")},
			need:  Need{Client: shape("c"), Targets: targets("i:x m:y n:x"), Separate: true, OneAtATime: true}, want: "c | i:a m:b n:a",
		},
		"one at a time, a node needs room for the largest": {
			nodes: []corev1.Node{node("a", "x"), node("b", "c")},
			need:  Need{Client: shape("c"), Targets: append(targets("i:x"), Target{Name: "m", Shape: small("x", "1", "1Gi")}), OneAtATime: true}, want: "b | i:a m:a",
		},
		"clients are packed on as few nodes as they need": {
			nodes: []corev1.Node{node("a", "c"), node("b", "c", big), node("c", "c", big), node("t", "t")},
			need:  Need{Client: shape("c"), Clients: 4, Targets: targets("i:t"), Separate: true}, want: "b c | i:t",
		},
		"few nodes count more than nodes that no target could use": {
			nodes: []corev1.Node{node("a", "t"), node("b", "t", big), node("c", "c"), node("d", "c")},
			need:  Need{Client: shape(""), Clients: 2, Targets: targets("i:t"), Separate: true}, want: "b | i:a",
		},
		"a target takes the node where clients lose least": {
			nodes: []corev1.Node{node("a", "x", big), node("b", "x")},
			need:  Need{Client: shape("x"), Clients: 2, Targets: targets("i:x"), Separate: true}, want: "a | i:b",
		},
		"targets share so that the clients have room": {
			nodes: []corev1.Node{node("a", "x", big), node("b", "x", big)},
			need:  Need{Client: shape("x"), Clients: 2, Targets: targets("i:x m:x"), Separate: true}, want: "b | i:a m:a",
		},
		"a choosy target gets its node from one that could go elsewhere": {
			nodes: []corev1.Node{node("a", "t"), node("b", "x"), node("c", "x")},
			need:  Need{Client: shape("x"), Targets: targets("i: m:t"), Separate: true}, want: "c | i:b m:a",
		},
		"targets are spread over zones": {
			nodes: []corev1.Node{node("a", "x", zoned("1")), node("b", "x", zoned("1")), node("c", "x", zoned("2")), node("d", "c")},
			need:  Need{Client: shape("c"), Targets: targets("i:x m:x"), Separate: true}, want: "d | i:a m:c",
		},
		"targets share a zone when they must": {
			nodes: []corev1.Node{node("a", "x", zoned("1")), node("b", "x", zoned("1")), node("c", "c", zoned("2"))},
			need:  Need{Client: shape("c"), Targets: targets("i:x m:x"), Separate: true}, want: "c | i:a m:b",
		},
		"memory counts as processors do": {
			nodes: []corev1.Node{node("a", "x", sized("8", "4Gi")), node("b", "x", sized("8", "8Gi"))},
			need:  Need{Client: shape("x"), Clients: 2, Targets: targets("i:x"), Separate: true}, want: "b | i:a",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := find(tt.nodes, tt.need, func(node string) bool { return strings.Contains(tt.taken, node) })
			want := Answer{Placement: placed(tt.want)}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Answer{}, "Message"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("answer (-want +got):\n%s\n%s", diff, got.Message)
			}
		})
	}
}

func TestReplicasAreSpreadOverZones(t *testing.T) {
	nodes := []corev1.Node{
		node("a", "x", zoned("1")), node("b", "x", zoned("1")), node("c", "x", zoned("2")), node("d", "x", zoned("3")), node("e", "c"),
	}
	target := Target{Name: "m", Shape: shape("x"), Replicas: 2}
	got := find(nodes, Need{Client: shape("c"), Targets: []Target{target}}, nil)
	want := []v1alpha1.TargetPlacement{{Name: "m", NodeName: "a", ReplicaNodeNames: []string{"c", "d"}}}
	if diff := cmp.Diff(want, got.Placement.Targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s\n%s", diff, got.Message)
	}
}

func TestFindRefuses(t *testing.T) {
	tests := map[string]struct {
		nodes       []corev1.Node
		taken       string
		need        Need
		want        Answer
		wantMessage string
	}{
		"no node for the clients": {
			nodes: []corev1.Node{node("a", "t")}, need: Need{Client: shape("c"), Targets: targets("db:t"), Separate: true},
			want: Answer{Reason: v1alpha1.ReasonNoNodeOffersShape}, wantMessage: "no ready node offers the shape of the clients with their agents (cpu 2, memory 4Gi, nodeSelector map[kind:c], 0 tolerations): a: not the labels of the nodeSelector: add such a node, or correct the shape",
		},
		"what each node lacks, the nearest first": {
			nodes: []corev1.Node{
				node("a", "t"), node("b", "c", sized("1", "8Gi")), node("c", "c", sized("1999m", "8Gi")), node("d", "c", sized("2", "3Gi")),
				node("e", "c", func(n *corev1.Node) { n.Spec.Unschedulable = true }), node("f", "c", taint(corev1.TaintEffectNoSchedule)),
				node("g", "c", func(n *corev1.Node) { n.Status.Conditions = nil }),
			},
			need: Need{Client: shape("c")}, want: Answer{Reason: v1alpha1.ReasonNoNodeOffersShape},
			wantMessage: "0 tolerations): d: too little memory; b, c: too little cpu; f: a taint that is not tolerated; g: not ready; " +
				"e: cordoned; a: not the labels of the nodeSelector: add such a node",
		},
		"no node for a target": {
			nodes: []corev1.Node{node("a", "c")}, need: Need{Client: shape("c"), Targets: targets("db:t"), Separate: true},
			want: Answer{Reason: v1alpha1.ReasonNoNodeOffersShape}, wantMessage: "target db",
		},
		"one node cannot separate, however large": {
			nodes: []corev1.Node{node("a", "x", sized("64", "64Gi"))}, need: Need{Client: shape("x"), Targets: targets("db:x"), Separate: true},
			want: Answer{Reason: v1alpha1.ReasonCannotSeparate}, wantMessage: "offered by a only, and the targets leave too little of it: add a node, change a shape's nodeSelector, or set spec.clients.placement.separateFromTargets: None",
		},
		"one node that is too small for both": {
			nodes: []corev1.Node{node("a", "x")}, need: Need{Client: shape("x"), Targets: targets("db:x")},
			want: Answer{Reason: v1alpha1.ReasonNoNodeOffersShape}, wantMessage: "no room for 1 target and 1 client pod at once: add nodes that offer the shapes, or use smaller shapes",
		},
		"more clients than there is room": {
			nodes: []corev1.Node{node("a", "c", sized("8", "8Gi")), node("b", "t")}, need: Need{Client: shape("c"), Clients: 3, Targets: targets("db:t")},
			want: Answer{Reason: v1alpha1.ReasonNoNodeOffersShape}, wantMessage: "the nodes that offer the clients' shape (a) have no room for 3 client pods at once: add such nodes, use fewer (spec.clients.count",
		},
		"targets that could take turns": {
			nodes: []corev1.Node{node("a", "c"), node("b", "t")}, need: Need{Client: shape("c"), Targets: targets("i:t m:t"), Separate: true},
			want: Answer{Reason: v1alpha1.ReasonNoNodeOffersShape}, wantMessage: "spec.design.idleTargets: Stopped",
		},
		"a cluster without nodes": {
			need: Need{Client: shape("c")}, want: Answer{Reason: v1alpha1.ReasonNoNodeOffersShape}, wantMessage: "0 tolerations): there are no nodes: add such a node",
		},
		"other runs are in the way": {
			nodes: []corev1.Node{node("a", "x"), node("b", "x"), node("c", "x"), node("z", "other")}, taken: "bz",
			need: Need{Client: shape("x"), Targets: targets("i:x m:x"), Separate: true},
			want: Answer{Reason: v1alpha1.ReasonQueued}, wantMessage: "queued: other runs are on b",
		},
		"many nodes in the way": {
			nodes: []corev1.Node{node("a", "x"), node("b", "x"), node("c", "x"), node("d", "x"), node("e", "x"), node("f", "x"), node("g", "x")}, taken: "abcdefg",
			need: Need{Client: shape("x")},
			want: Answer{Reason: v1alpha1.ReasonQueued}, wantMessage: "queued: other runs are on a, b, c, d, e and 2 more",
		},
		"what cannot be is not queued, however busy the cluster": {
			nodes: []corev1.Node{node("a", "x")}, taken: "a", need: Need{Client: shape("x"), Targets: targets("db:x"), Separate: true},
			want: Answer{Reason: v1alpha1.ReasonNoNodeOffersShape}, wantMessage: "no room",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := find(tt.nodes, tt.need, func(node string) bool { return strings.Contains(tt.taken, node) })
			if !strings.Contains(got.Message, tt.wantMessage) {
				t.Errorf("message %q, want one with %q", got.Message, tt.wantMessage)
			}
			got.Message = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNodesAndDescribe(t *testing.T) {
	tests := map[string]struct {
		placement v1alpha1.Placement
		wantNodes []string
		wantText  string
	}{
		"clients only": {v1alpha1.Placement{ClientNodeNames: []string{"a", "b"}}, []string{"a", "b"}, "clients on a, b"},
		"a node of several is there once": {
			v1alpha1.Placement{ClientNodeNames: []string{"b"}, Targets: []v1alpha1.TargetPlacement{
				{Name: "i", NodeName: "b"}, {Name: "m", NodeName: "d", ReplicaNodeNames: []string{"c", "a"}},
			}},
			[]string{"a", "b", "c", "d"}, "clients on b; i on b; m on d (further servers on c, a)",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.wantNodes, Nodes(tt.placement)); diff != "" {
				t.Errorf("Nodes (-want +got):\n%s", diff)
			}
			if got := Describe(tt.placement); got != tt.wantText {
				t.Errorf("Describe = %q, want %q", got, tt.wantText)
			}
		})
	}
}

// Nodes of one machine have one boot ID.
func TestMachinesThatTargetsShareWithClients(t *testing.T) {
	on := func(boot string) func(*corev1.Node) { return func(n *corev1.Node) { n.Status.NodeInfo.BootID = boot } }
	tests := map[string]struct {
		nodes []corev1.Node
		want  map[string][]string
	}{
		"all nodes are one machine": {
			[]corev1.Node{node("a", "i", on("1")), node("b", "m", on("1")), node("c", "c", on("1"))}, map[string][]string{"i": {"1"}, "m": {"1"}}},
		"one target is elsewhere": {
			[]corev1.Node{node("a", "i", on("1")), node("b", "m", on("2")), node("c", "c", on("2"))}, map[string][]string{"i": nil, "m": {"2"}}},
		"nodes that do not tell": {
			[]corev1.Node{node("a", "i"), node("b", "m"), node("c", "c")}, map[string][]string{"i": nil, "m": nil}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			for _, target := range find(tc.nodes, Need{Client: shape("c"), Targets: targets("i:i m:m"), Separate: true}, nil).Placement.Targets {
				got[target.Name] = target.SharedMachines
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("machines (-want +got):\n%s", diff)
			}
		})
	}
	replicated := Need{Client: shape("c"), Targets: []Target{{Name: "i", Shape: shape("i"), Replicas: 1}}, Separate: true}
	p := find([]corev1.Node{node("a", "i", on("1")), node("b", "i", on("2")), node("c", "c", on("2"))}, replicated, nil).Placement
	if diff := cmp.Diff([]string{"2"}, p.Targets[0].SharedMachines); diff != "" {
		t.Errorf("a replica counts as its primary does (-want +got):\n%s", diff)
	}
}
