package queue

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// growing is a request for nodes that can be made.
func (r Request) growing(made ...string) Request {
	r.Need.Client.Nodes, r.Made = v1alpha1.NodesProvisioned, made
	for i := range r.Need.Targets {
		r.Need.Targets[i].Shape.Nodes = v1alpha1.NodesProvisioned
	}
	return r
}

func (r Request) overdue() Request { r.Overdue = true; return r }

// Nodes that are made for a run are its own from the first one on, and it gets them when all are there.
func TestNodesAreMade(t *testing.T) {
	l := NewLedger()
	if got := l.Ask(request("r", "x", "x").growing(), pool(""), noon); got.Reason != v1alpha1.ReasonProvisioningNodes || !strings.HasPrefix(got.Message, "0 of 2 placeholder pods") {
		t.Fatalf("Ask = %+v", got)
	}
	if got := l.Ask(request("r", "x", "x").growing("a"), pool("a:x"), noon); got.Reason != v1alpha1.ReasonProvisioningNodes || !strings.HasPrefix(got.Message, "1 of 2 placeholder pods") {
		t.Fatalf("Ask = %+v", got)
	}
	if got := l.Ask(request("other", "x"), pool("a:x"), noon); got.Reason != v1alpha1.ReasonQueued || !strings.Contains(got.Message, "node a is held by ns/r") {
		t.Errorf("another run: %+v", got)
	}
	got := l.Ask(request("r", "x", "x").growing("a", "b"), pool("a:x b:x"), noon)
	if got.Reason != "" {
		t.Fatalf("Ask = %+v", got)
	}
	if diff := cmp.Diff([]string{"ns/r"}, names(l, "b")); diff != "" {
		t.Errorf("holders of b (-want +got):\n%s", diff)
	}
}

func TestNodesAreMadeWithin(t *testing.T) {
	tests := map[string]struct {
		nodes  string
		before func(*Ledger)
		ask    Request
		reason string
		says   string
	}{
		"overdue, and nothing would do":          {nodes: "a:x", ask: request("r", "x", "x").growing("a").overdue(), reason: v1alpha1.ReasonNoNodeOffersShape, says: "have no room for 1 target and 1 client pod at once"},
		"overdue, behind another run":            {nodes: "a:x b:x", before: func(l *Ledger) { l.Hold(holding("h", true, "a")) }, ask: request("r", "x", "x").growing("b").overdue(), reason: v1alpha1.ReasonQueued, says: "node a is held by ns/h"},
		"not overdue, behind another run":        {nodes: "a:x b:x", before: func(l *Ledger) { l.Hold(holding("h", true, "a")) }, ask: request("r", "x", "x").growing("b"), reason: v1alpha1.ReasonProvisioningNodes},
		"nodes that exist are held":              {nodes: "a:x b:x", before: func(l *Ledger) { l.Hold(holding("h", true, "a")) }, ask: request("r", "x", "x").growing(), reason: v1alpha1.ReasonQueued, says: "node a is held by ns/h"},
		"more nodes than the namespace may hold": {ask: request("r", "x", "x", "x").growing().limits(2, 0), reason: v1alpha1.ReasonNamespaceLimitExceeded, says: "the run needs 3 nodes"},
		"others of the namespace hold them": {
			nodes: "z:z", before: func(l *Ledger) { l.Hold(holding("h", true, "z")) }, ask: request("r", "x", "x").growing().limits(2, 0),
			reason: v1alpha1.ReasonQueued, says: "may hold 2 nodes at a time",
		},
		"others of the namespace have them made": {
			before: func(l *Ledger) { l.Ask(request("h", "x", "x").growing().limits(3, 0), nil, noon) }, ask: request("r", "x", "x").since(time.Minute).growing().limits(3, 0),
			reason: v1alpha1.ReasonQueued, says: "may hold 3 nodes at a time",
		},
		"a shape that nobody makes nodes for": {nodes: "a:x", ask: func() Request {
			r := request("r", "x", "y")
			r.Need.Client.Nodes = v1alpha1.NodesProvisioned
			return r
		}(), reason: v1alpha1.ReasonNoNodeOffersShape, says: "no ready node offers the shape of target t0"},
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
