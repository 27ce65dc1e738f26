package queue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/placement"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// pool makes nodes by name and kind: "a:x b:x c:y", each with room for one pod.
func pool(text string) []corev1.Node {
	var out []corev1.Node
	for _, f := range strings.Fields(text) {
		name, kind, _ := strings.Cut(f, ":")
		out = append(out, corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1", Labels: map[string]string{"kind": kind}},
			Status: corev1.NodeStatus{
				Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
				Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("4Gi")},
			},
		})
	}
	return out
}

func shape(kind string) v1alpha1.InstanceShapeSpec {
	s := v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("2"), Memory: resource.MustParse("4Gi")}
	if kind != "" {
		s.NodeSelector = map[string]string{"kind": kind}
	}
	return s
}

// request of an exclusive run at noon: clients of one kind and targets of others,
// each on a node of its own.
func request(uid, clients string, targets ...string) Request {
	r := Request{UID: types.UID(uid), Name: "ns/" + uid, Since: noon, Exclusive: true}
	r.Need = placement.Need{Client: shape(clients), Separate: true}
	for i, kind := range targets {
		r.Need.Targets = append(r.Need.Targets, placement.Target{Name: fmt.Sprintf("t%d", i), Shape: shape(kind)})
	}
	return r
}

// holding of a run that gives nothing back before it is asked to.
func holding(uid string, exclusive bool, nodes ...string) Holding {
	return Holding{UID: types.UID(uid), Name: "ns/" + uid, Since: noon.Add(-time.Hour), Nodes: nodes, Exclusive: exclusive}
}

func (r Request) in(namespace string) Request     { r.Name = namespace + "/" + string(r.UID); return r }
func (r Request) longest(d time.Duration) Request { r.Longest = d; return r }
func (r Request) limits(nodes, runs int) Request {
	r.Limits = Limits{Nodes: nodes, Runs: runs}
	return r
}
func (h Holding) in(namespace string) Holding       { h.Name = namespace + "/" + string(h.UID); return h }
func (h Holding) until(d time.Duration) Holding     { h.Until = noon.Add(d); return h }
func (h Holding) suspended(d time.Duration) Holding { h.Idle = "suspended"; return h.until(d) }

func (r Request) since(d time.Duration) Request { r.Since = noon.Add(d); return r }
func (r Request) priority(p int32) Request      { r.Priority = p; return r }
func (r Request) shared() Request               { r.Exclusive = false; return r }

// TestAsk: every story ends with one request; want is the nodes that it gets, or
// its message.
func TestAsk(t *testing.T) {
	ask := func(r Request) func(*Ledger, []corev1.Node) {
		return func(l *Ledger, nodes []corev1.Node) { l.Ask(r, nodes, noon) }
	}
	hold := func(uid string, exclusive bool, nodes ...string) func(*Ledger, []corev1.Node) {
		return func(l *Ledger, _ []corev1.Node) { l.Hold(holding(uid, exclusive, nodes...)) }
	}
	type story []func(*Ledger, []corev1.Node)
	tests := map[string]struct {
		nodes  string
		before story
		ask    Request
		at     time.Duration // after noon
		want   string
	}{
		"an empty cluster": {nodes: "a:x b:x", ask: request("r", "x", "x"), want: "b | t0:a"},
		"a node is held": {
			nodes: "a:x b:x", before: story{hold("h", true, "a")}, ask: request("r", "x", "x"),
			want: "queued: position 1; node a is held by ns/h",
		},
		"a node that is held by a run that shares, for one that does not": {
			nodes: "a:x b:x", before: story{hold("h", false, "a")}, ask: request("r", "x", "x"),
			want: "queued: position 1; node a is held by ns/h",
		},
		"a node that is held by runs that share, for one that shares": {
			nodes: "a:x b:x", before: story{hold("h", false, "a"), hold("i", false, "a", "b")}, ask: request("r", "x", "x").shared(), want: "b | t0:a",
		},
		"a node that is held exclusively, for one that shares": {
			nodes: "a:x b:x", before: story{hold("h", true, "b")}, ask: request("r", "x", "x").shared(),
			want: "queued: position 1; node b is held by ns/h",
		},
		"many nodes are held": {
			nodes: "a:x b:x c:x d:x e:x", before: story{hold("h", true, "a", "b"), hold("i", true, "c", "d", "e")}, ask: request("r", "x"),
			want: "queued: position 1; node a is held by ns/h; node b is held by ns/h; node c is held by ns/i; 2 more nodes are held",
		},
		"a large run in front keeps the free node": {
			nodes: "a:x b:x", before: story{hold("h", true, "a"), ask(request("big", "x", "x"))}, ask: request("r", "x").since(time.Minute),
			want: "queued: position 2, after ns/big; node a is held by ns/h; node b is reserved for ns/big",
		},
		"others that wait behind do not": {
			nodes: "a:x b:x", before: story{hold("h", true, "a"), ask(request("big", "x", "x").since(time.Minute))}, ask: request("r", "x"), want: "b |",
		},
		"one that was forgotten does not": {
			nodes: "a:x b:x", before: story{hold("h", true, "a"), ask(request("big", "x", "x")), func(l *Ledger, _ []corev1.Node) { l.Forget("big") }},
			ask: request("r", "x").since(time.Minute), want: "b |",
		},
		"other nodes are another queue": {
			nodes: "a:x b:x c:y", before: story{hold("h", true, "a"), ask(request("big", "x", "x"))}, ask: request("r", "y").since(time.Minute), want: "c |",
		},
		"one that could use any node is behind all": {
			nodes: "a:x b:x c:y", before: story{hold("h", true, "a"), ask(request("big", "x", "x"))}, ask: request("r", "").since(time.Minute), want: "c |",
		},
		"priority goes first": {
			nodes: "a:x b:x", before: story{hold("h", true, "a"), ask(request("big", "x", "x"))}, ask: request("r", "x").since(time.Minute).priority(1), want: "b |",
		},
		"an hour of waiting is worth one of priority": {
			nodes: "a:x b:x", before: story{hold("h", true, "a"), ask(request("big", "x", "x"))}, at: 2 * time.Hour,
			ask:  request("r", "x").since(61 * time.Minute).priority(1),
			want: "queued: position 2, after ns/big; node a is held by ns/h; node b is reserved for ns/big",
		},
		"priority is worth the same at any time": {
			nodes: "a:x b:x", before: story{hold("h", true, "a"), ask(request("big", "x", "x"))}, at: 20 * time.Hour,
			ask: request("r", "x").since(59 * time.Minute).priority(1), want: "b |",
		},
		"of the same age the UID decides": {
			nodes: "a:x b:x", before: story{hold("h", true, "a"), ask(request("s", "x", "x"))}, ask: request("r", "x"), want: "b |",
		},
		"the one directly in front is named": {
			nodes:  "a:x b:x",
			before: story{hold("h", true, "a"), ask(request("p", "x", "x")), ask(request("q", "x", "x")), ask(request("o", "x", "x"))},
			ask:    request("r", "x"), want: "queued: position 4, after ns/q; node a is held by ns/h; node b is reserved for ns/o",
		},
		"runs that share do not wait for each other": {
			nodes: "a:x b:x", before: story{hold("h", true, "a"), ask(request("big", "x", "x").shared())}, ask: request("r", "x").since(time.Minute).shared(), want: "b |",
		},
		"but one that shares waits for one that does not": {
			nodes: "a:x b:x", before: story{hold("h", false, "a"), ask(request("big", "x", "x"))}, ask: request("r", "x").since(time.Minute).shared(),
			want: "queued: position 2, after ns/big; node a is reserved for ns/big; node b is reserved for ns/big",
		},
		"who has nodes and asks again gets them again": {
			nodes: "a:x b:x c:x d:x", before: story{hold("h", true, "a", "b"), ask(request("r", "x", "x")), func(l *Ledger, _ []corev1.Node) { l.Release("h") }},
			ask: request("r", "x", "x"), want: "d | t0:c",
		},
		"who has a node that is gone gets others": {
			nodes: "a:x b:x", before: story{hold("r", true, "a", "z")}, ask: request("r", "x", "x"), want: "b | t0:a",
		},
		"what cannot be is refused, not queued": {
			nodes: "a:x", before: story{hold("h", true, "a")}, ask: request("r", "y"), want: "no ready node offers the shape",
		},
		"what cannot be blocks nobody": {
			nodes: "a:x b:x", before: story{ask(request("never", "x", "y"))}, ask: request("r", "x").since(time.Minute), want: "a |",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l, nodes := NewLedger(), pool(tt.nodes)
			for _, step := range tt.before {
				step(l, nodes)
			}
			answer := l.Ask(tt.ask, nodes, noon.Add(tt.at))
			got := answer.Message
			if answer.Reason == "" {
				got = strings.Join(answer.Placement.ClientNodeNames, " ") + " |"
				for _, p := range answer.Placement.Targets {
					got += " " + p.Name + ":" + p.NodeName
				}
			}
			agrees := got == tt.want
			if answer.Reason == v1alpha1.ReasonNoNodeOffersShape {
				agrees = strings.Contains(got, tt.want) // the rest is placement's
			}
			if !agrees {
				t.Errorf("Ask = %q (%s), want %q", got, answer.Reason, tt.want)
			}
			if queued := answer.Reason == v1alpha1.ReasonQueued; queued != strings.HasPrefix(got, "queued: ") {
				t.Errorf("reason %q and message %q do not agree", answer.Reason, got)
			}
		})
	}
}

// names of the holders of a node.
func names(l *Ledger, node string) (out []string) {
	for _, h := range holdersOf(l, node) {
		out = append(out, h.Name)
	}
	return out
}

func TestLedgerKnowsWhoHoldsWhat(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x b:x")
	l.Hold(holding("one", false, "a", "b", "a"))
	l.Hold(holding("one", false, "b", "a")) // after a start of the manager, again
	l.Hold(holding("two", false, "a"))
	if diff := cmp.Diff([]string{"ns/one", "ns/two"}, names(l, "a")); diff != "" {
		t.Errorf("holders of a (-want +got):\n%s", diff)
	}
	if !l.Release("one") || l.Release("one") {
		t.Error("Release does not say whether nodes became free")
	}
	if diff := cmp.Diff([]string(nil), names(l, "b")); diff != "" {
		t.Errorf("holders of b (-want +got):\n%s", diff)
	}
	l.Ask(request("three", "x"), nodes, noon)
	if got := names(l, "b"); len(got) != 1 || got[0] != "ns/three" {
		t.Errorf("holder of b after Ask = %v, want ns/three", got)
	}
	l.Forget("three")
	if got := names(l, "b"); len(got) != 1 {
		t.Errorf("holder of b after Forget = %v, want ns/three: only Release frees nodes", got)
	}
}

func TestHoldTakesARunOutOfTheQueue(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x b:x")
	l.Hold(holding("h", true, "a"))
	l.Ask(request("r", "x", "x"), nodes, noon)
	l.Hold(holding("r", true, "b"))
	l.Release("h")
	l.Release("r")
	if got := l.Next(nodes, noon); len(got) != 0 {
		t.Errorf("Next = %v, want nobody: r is not waiting any more", got)
	}
}

func TestWaitAsksForNothing(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x b:x")
	l.Hold(holding("h", true, "a"))
	l.Wait(request("h", "x")) // has its nodes
	l.Wait(request("r", "x"))
	if got := names(l, "b"); got != nil {
		t.Errorf("holder of b = %v, want none: r has not asked", got)
	}
	if diff := cmp.Diff([]types.UID{"r"}, l.Next(nodes, noon)); diff != "" {
		t.Errorf("Next (-want +got):\n%s", diff)
	}
}

func TestNext(t *testing.T) {
	nodes := pool("a:x b:x c:x d:y")
	l := NewLedger()
	l.Hold(holding("h", true, "a", "b", "c", "d"))
	for _, r := range []Request{
		request("small", "x").since(3 * time.Minute),
		request("big", "x", "x").since(time.Minute),
		request("other", "y").since(2 * time.Minute),
		request("urgent", "y").since(4 * time.Minute).priority(5),
		request("late", "x").since(5 * time.Minute),
	} {
		l.Ask(r, nodes, noon.Add(10*time.Minute))
	}
	if got := l.Next(nodes, noon.Add(10*time.Minute)); got != nil {
		t.Errorf("Next = %v while nothing is free", got)
	}
	l.Release("h")
	want := []types.UID{"urgent", "big", "small"}
	if diff := cmp.Diff(want, l.Next(nodes, noon.Add(10*time.Minute))); diff != "" {
		t.Errorf("Next (-want +got):\n%s", diff)
	}
}

// A node that changes is looked at again, also by those who wait already.
func TestNodesThatChangeAreSeen(t *testing.T) {
	version := func(nodes []corev1.Node, v string) []corev1.Node {
		for i := range nodes {
			nodes[i].ResourceVersion = v
		}
		return nodes
	}
	l, before := NewLedger(), pool("a:x b:x")
	l.Hold(holding("h", true, "a"))
	l.Ask(request("big", "x", "x"), before, noon)
	r := request("r", "x").since(time.Minute)
	if answer := l.Ask(r, before, noon); answer.Reason != v1alpha1.ReasonQueued {
		t.Fatalf("Ask = %+v, want to wait behind big", answer)
	}
	after := pool("a:x b:x c:x")
	version(after[2:], "2")
	if diff := cmp.Diff([]types.UID{"big"}, l.Next(after, noon)); diff != "" {
		t.Errorf("Next with a node more (-want +got):\n%s", diff)
	}
	if answer := l.Ask(r, after, noon); answer.Reason != v1alpha1.ReasonQueued {
		t.Errorf("Ask = %+v, want to wait: big could use the new node too", answer)
	}
	relabeled := version(pool("a:x b:y c:x"), "3")
	l.Forget("big")
	if answer := l.Ask(r, relabeled, noon); len(answer.Placement.ClientNodeNames) != 1 || answer.Placement.ClientNodeNames[0] != "c" {
		t.Errorf("Ask = %+v, want node c: b has another label now", answer)
	}
}
