package queue

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// growing is a request for nodes that can be made.
func (r Request) growing() Request {
	r.Need.Client.Nodes = v1alpha1.NodesProvisioned
	for i := range r.Need.Targets {
		r.Need.Targets[i].Shape.Nodes = v1alpha1.NodesProvisioned
	}
	return r
}

func (r Request) overdue() Request { r.Overdue = true; return r }

// barred is a request for nodes that have to be made, by a run that cannot ask for them.
func (r Request) barred() Request { r = r.growing(); r.Barred = true; return r }

// onlyClient of a request has nodes that can be made.
func (r Request) onlyClient() Request { r.Need.Client.Nodes = v1alpha1.NodesProvisioned; return r }

// Nodes that come while they are made for a run are its own, whoever asks, and it gets them as soon as it fits on them.
func TestNodesAreMade(t *testing.T) {
	l := NewLedger()
	mine := request("r", "x", "x").growing()
	if got := l.Ask(mine, pool(""), noon); got.Reason != v1alpha1.ReasonProvisioningNodes || !strings.HasPrefix(got.Message, "0 of 2 placeholder pods") {
		t.Fatalf("Ask = %+v", got)
	}
	// Before the run was looked at again, and although it would be in front.
	if got := l.Ask(request("other", "x").priority(9), pool("a:x"), noon); got.Reason != v1alpha1.ReasonQueued || !strings.Contains(got.Message, "node a is held by ns/r") {
		t.Errorf("another run: %+v", got)
	}
	if next := l.Next(pool("a:x"), noon); len(next) > 0 {
		t.Errorf("Next = %v while the node is made for ns/r", next)
	}
	mine.Made = 1
	if got := l.Ask(mine, pool("a:x"), noon); got.Reason != v1alpha1.ReasonProvisioningNodes || !strings.HasPrefix(got.Message, "1 of 2 placeholder pods") {
		t.Fatalf("Ask = %+v", got)
	}
	if got := l.Ask(mine, pool("a:x b:x c:x"), noon); got.Reason != "" {
		t.Fatalf("Ask = %+v", got)
	}
	for node, want := range map[string][]string{"a": {"ns/r"}, "b": {"ns/r"}, "c": nil} {
		if diff := cmp.Diff(want, names(l, node)); diff != "" && node != "c" {
			t.Errorf("holders of %s (-want +got):\n%s", node, diff)
		}
	}
	if got := l.Ask(request("other", "x").priority(9), pool("a:x b:x c:x"), noon); got.Reason != "" {
		t.Errorf("the node that it did not need: %+v", got)
	}
}

func TestNodesAreMadeWithin(t *testing.T) {
	hold := func(nodes ...string) func(*Ledger) {
		return func(l *Ledger) { l.Hold(holding("h", true, nodes...)) }
	}
	grows := func(r Request, nodes string) func(*Ledger) {
		return func(l *Ledger) { l.Ask(r, pool(nodes), noon) }
	}
	mine := request("r", "x", "x").growing()
	tests := map[string]struct {
		nodes  string
		before func(*Ledger)
		ask    Request
		reason string
		says   string
	}{
		"no node is there":                        {ask: mine, reason: v1alpha1.ReasonProvisioningNodes},
		"too few are there":                       {nodes: "a:x", ask: mine, reason: v1alpha1.ReasonProvisioningNodes},
		"overdue":                                 {nodes: "a:x", ask: mine.overdue(), reason: v1alpha1.ReasonNoNodeOffersShape, says: "have no room for 1 target and 1 client pod at once"},
		"overdue, and now they are there":         {nodes: "a:x b:x", ask: mine.overdue()},
		"another run holds all that it needs":     {nodes: "a:x b:x", before: hold("a"), ask: mine, reason: v1alpha1.ReasonQueued, says: "node a is held by ns/h"},
		"another run holds one that it could use": {nodes: "a:x", before: hold("a"), ask: mine, reason: v1alpha1.ReasonQueued, says: "node a is held by ns/h"},
		"a node that exists has to be there, and is held": {
			nodes: "a:y", before: hold("a"), ask: request("r", "x", "y").onlyClient(), reason: v1alpha1.ReasonQueued, says: "node a is held by ns/h",
		},
		"nodes that exist are too few for the rest": {nodes: "a:y", ask: request("r", "x", "y", "y").onlyClient(), reason: v1alpha1.ReasonNoNodeOffersShape},
		"a shape that nobody makes nodes for":       {nodes: "a:x", ask: request("r", "x", "y").onlyClient(), reason: v1alpha1.ReasonNoNodeOffersShape, says: "no ready node offers the shape of target t0"},
		"more nodes than the namespace may hold":    {ask: request("r", "x", "x", "x").growing().limits(2, 0), reason: v1alpha1.ReasonNamespaceLimitExceeded, says: "the run needs 3 nodes"},
		"others of the namespace hold them": {
			nodes: "z:z", before: hold("z"), ask: mine.limits(2, 0), reason: v1alpha1.ReasonQueued, says: "may hold 2 nodes at a time",
		},
		"they are made for another run": {
			before: grows(request("h", "y", "y").growing(), ""), ask: mine.since(time.Minute), reason: v1alpha1.ReasonQueued, says: "nodes are made for one run at a time, and now for ns/h",
		},
		"one in front cannot have any now": {
			nodes: "z:z", before: func(l *Ledger) { hold("z")(l); l.Wait(request("h", "z", "z").growing()) }, ask: mine.since(time.Minute), reason: v1alpha1.ReasonProvisioningNodes,
		},
		"a run in front needs some too": {
			nodes: "z:z", before: func(l *Ledger) { l.Wait(request("h", "y", "y").growing()) }, ask: mine.since(time.Minute), reason: v1alpha1.ReasonQueued, says: "now for ns/h",
		},
		"the one in front may not, by its limit": {
			nodes: "z:z", before: func(l *Ledger) { hold("z")(l); l.Wait(request("w", "y", "y").growing().limits(2, 0)) }, ask: mine.in("other").since(time.Minute),
			reason: v1alpha1.ReasonProvisioningNodes,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := NewLedger()
			if tt.before != nil {
				tt.before(l)
			}
			got := l.Ask(tt.ask, pool(tt.nodes), noon)
			if got.Reason != tt.reason || !strings.Contains(got.Message, tt.says) {
				t.Errorf("Ask = %+v, want %s: %s", got, tt.reason, tt.says)
			}
		})
	}
}

// A run that needs nodes made is not overtaken for ever by those that need less: what it could use is kept for it.
func TestARunThatNeedsMoreNodesIsNotStarved(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x")
	l.Hold(holding("h", true, "a").until(time.Hour))
	if got := l.Ask(request("r", "x", "x").growing(), nodes, noon); got.Reason != v1alpha1.ReasonQueued {
		t.Fatalf("Ask = %+v", got)
	}
	l.Release("h")
	if got := l.Ask(request("small", "x").since(time.Minute), nodes, noon); got.Reason != v1alpha1.ReasonQueued || !strings.Contains(got.Message, "node a is reserved for ns/r") {
		t.Errorf("a run behind it: %+v", got)
	}
	if next := l.Next(nodes, noon); len(next) != 1 || next[0] != "r" {
		t.Errorf("Next = %v, want the run that nodes can be made for", next)
	}
	if got := l.Ask(request("r", "x", "x").growing(), nodes, noon); got.Reason != v1alpha1.ReasonProvisioningNodes {
		t.Errorf("Ask = %+v", got)
	}
	// One that comes in front of it does not take that away.
	l.Wait(request("first", "y", "y").growing().priority(9))
	if got := l.Ask(request("r", "x", "x").growing(), nodes, noon); got.Reason != v1alpha1.ReasonProvisioningNodes {
		t.Errorf("Ask = %+v", got)
	}
	if got := l.Ask(request("r", "x", "x").growing(), nodes, noon.Add(v1alpha1.DefaultProvisionWithin+time.Second)); got.Reason != v1alpha1.ReasonNoNodeOffersShape {
		t.Errorf("after its time: %+v", got)
	}
}

// More nodes may come than the namespace of the run may hold.
func TestNodesThatAreMadeAreLimited(t *testing.T) {
	l := NewLedger()
	r := request("r", "x", "x").growing().limits(3, 0)
	r.Need.Clients = 3
	if got := l.Ask(r, pool(""), noon); got.Reason != v1alpha1.ReasonProvisioningNodes {
		t.Fatalf("Ask = %+v", got)
	}
	if got := l.Ask(r, pool("a:x b:x c:x d:x"), noon); got.Reason != v1alpha1.ReasonNamespaceLimitExceeded {
		t.Errorf("Ask = %+v, want a refusal: it needs 4 nodes", got)
	}
}

// A run that cannot ask for nodes is in nobody's way.
func TestARunThatCannotAskHoldsNothing(t *testing.T) {
	barred := request("r", "x", "x").barred()
	tests := map[string]struct {
		nodes  string
		barred Request
		other  Request
		reason string
	}{
		"nodes are made for one behind it":             {barred: barred, other: request("o", "y", "y").growing(), reason: v1alpha1.ReasonProvisioningNodes},
		"also those that it could use":                 {barred: barred, other: request("o", "x", "x").growing(), reason: v1alpha1.ReasonProvisioningNodes},
		"one behind it takes a node that it could use": {nodes: "a:x", barred: barred, other: request("o", "x")},
		"its namespace has room for one behind it":     {nodes: "a:y b:y", barred: barred.limits(2, 1), other: request("o", "y", "y").limits(2, 1)},
		"one that cannot ask either":                   {barred: barred, other: request("o", "y", "y").barred(), reason: v1alpha1.ReasonProvisioningNodes},
		"one that can ask is in the way of others": {
			barred: request("r", "x", "x").growing(), other: request("o", "y", "y").growing(), reason: v1alpha1.ReasonQueued,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l, nodes := NewLedger(), pool(tt.nodes)
			if got := l.Ask(tt.barred, nodes, noon); got.Reason != v1alpha1.ReasonProvisioningNodes {
				t.Fatalf("Ask = %+v", got)
			}
			tt.other = tt.other.since(time.Minute)
			l.Wait(tt.other)
			next := slices.Contains(l.Next(nodes, noon), "o")
			if got := l.Ask(tt.other, nodes, noon); got.Reason != tt.reason {
				t.Errorf("the other one: Ask = %+v, want %q", got, tt.reason)
			}
			if want := tt.reason != v1alpha1.ReasonQueued && !tt.other.Barred; next != want {
				t.Errorf("the other one is next: %t, want %t", next, want)
			}
		})
	}
}

// It is refused when its turn has come and it could not ask for as long as it may wait, and not before; what it could ask for in between counts anew.
func TestARunThatCannotAskIsRefusedInTheEnd(t *testing.T) {
	const within = v1alpha1.DefaultProvisionWithin
	can, cannot := request("r", "x", "x").growing(), request("r", "x", "x").barred()
	other := request("h", "y", "y").growing().priority(9)
	type ask struct {
		of     Request
		at     time.Duration
		reason string
	}
	const made, queued, refused = v1alpha1.ReasonProvisioningNodes, v1alpha1.ReasonQueued, v1alpha1.ReasonNodesNotProvisioned
	tests := map[string]struct {
		nodes string
		asks  []ask
	}{
		"as long as it may":          {asks: []ask{{cannot, 0, made}, {cannot, within, made}, {cannot, within + time.Second, refused}}},
		"it can ask in between":      {asks: []ask{{cannot, 0, made}, {can, within, made}, {cannot, within + time.Second, made}, {cannot, 2*within + 2*time.Second, refused}}},
		"before its turn":            {asks: []ask{{other, 0, made}, {cannot, time.Second, queued}, {cannot, within, queued}}},
		"others have their turn too": {asks: []ask{{cannot, 0, made}, {other, time.Second, made}, {cannot, within, queued}}},
		"it fits on what is there":   {nodes: "a:x b:x", asks: []ask{{cannot, 0, ""}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := NewLedger()
			for i, one := range tt.asks {
				if got := l.Ask(one.of, pool(tt.nodes), noon.Add(one.at)); got.Reason != one.reason {
					t.Fatalf("Ask %d = %+v, want %q", i, got, one.reason)
				}
			}
		})
	}
}
