package placement

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// A run holds the nodes of servers that others run, and keeps its pods off them where clients and targets are apart.
func TestServersOfOthersKeepTheirNodes(t *testing.T) {
	three := []corev1.Node{node("a", "x"), node("b", "x"), node("c", "x")}
	apart := func(beside ...string) Need { return Need{Client: shape("x"), Separate: true, Beside: beside} }
	held := func(text string, nodes ...string) v1alpha1.Placement {
		p := placed(text)
		p.ServiceNodeNames = nodes
		return p
	}
	withTarget := apart("a")
	withTarget.Targets = targets("db:x")
	together := apart("a")
	together.Separate = false
	tests := map[string]struct {
		nodes []corev1.Node
		taken string
		need  Need
		want  Answer
	}{
		"clients are elsewhere":                     {three, "", apart("a"), Answer{Placement: held("b", "a")}},
		"so are the targets of the run":             {three, "", withTarget, Answer{Placement: held("c | db:b", "a")}},
		"several nodes":                             {three, "", apart("b", "a"), Answer{Placement: held("c", "a", "b")}},
		"a node that is gone counts for nothing":    {three, "", apart("z"), Answer{Placement: placed("a")}},
		"another run is there: the run waits":       {three, "a", apart("a"), Answer{Reason: v1alpha1.ReasonQueued, Message: "queued: other runs are on a"}},
		"another run is elsewhere":                  {three, "b", apart("a"), Answer{Placement: held("c", "a")}},
		"together: a client may share such a node":  {three[:1], "", together, Answer{Placement: held("a", "a")}},
		"together: and waits for it like any other": {three, "a", together, Answer{Reason: v1alpha1.ReasonQueued, Message: "queued: other runs are on a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := find(tt.nodes, tt.need, func(n string) bool { return n == tt.taken })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
	if got := find(three[:1], apart("a"), nil); got.Reason != v1alpha1.ReasonCannotSeparate {
		t.Errorf("no other node: %+v, want %s", got, v1alpha1.ReasonCannotSeparate)
	}
	if got := Nodes(held("b", "a")); !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("the run holds %v", got)
	}
	if a, b := apart("a").Key(), apart("b").Key(); a == b {
		t.Error("needs beside different nodes have one key")
	}
}
