package queue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// TestNamespacesTakeTurns: one namespace asks for the nodes fifty times before another one
// asks once.
func TestNamespacesTakeTurns(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x")
	l.Hold(holding("h", true, "a").in("greedy"))
	for i := range 50 {
		l.Ask(request(fmt.Sprintf("greedy-%02d", i), "x").in("greedy").since(time.Duration(i)*time.Second), nodes, noon)
	}
	l.Ask(request("modest-0", "x").in("modest").since(23*time.Hour), nodes, noon)
	l.Ask(request("modest-1", "x").in("modest").since(23*time.Hour), nodes, noon)
	l.Ask(request("urgent", "x").in("modest").since(23*time.Hour).priority(1000), nodes, noon)
	var order []types.UID
	for day := range 7 {
		for uid := range l.holds {
			l.Release(uid)
		}
		now := noon.Add(time.Duration(day+1) * 24 * time.Hour)
		next := l.Next(nodes, now)
		order = append(order, next[0])
		w := l.waiting[next[0]]
		if answer := l.Ask(w.Request, nodes, now); answer.Reason != "" {
			t.Fatalf("%s: %+v", w.UID, answer)
		}
		if day == 4 { // the manager is killed, and looks at all runs in any order
			fresh := NewLedger()
			for namespace, places := range l.begun {
				for uid, p := range places {
					fresh.Begun(Holding{UID: uid, Name: namespace + "/" + string(uid), Since: p.since, Began: p.began})
				}
			}
			for _, w := range l.waiting {
				fresh.Wait(w.Request)
			}
			for _, h := range l.holds {
				fresh.Hold(*h)
			}
			l = fresh
		}
	}
	want := []types.UID{"urgent", "greedy-00", "modest-0", "greedy-01", "modest-1", "greedy-02", "greedy-03"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// TestLimits: a namespace has a limit; want is the answer to the last run that asks.
func TestLimits(t *testing.T) {
	hold := func(h Holding) func(*Ledger, []corev1.Node) {
		return func(l *Ledger, _ []corev1.Node) { l.Hold(h) }
	}
	ask := func(r Request) func(*Ledger, []corev1.Node) {
		return func(l *Ledger, nodes []corev1.Node) { l.Ask(r, nodes, noon) }
	}
	team := func(uid string, targets ...string) Request { return request(uid, "x", targets...).in("team") }
	tests := map[string]struct {
		before []func(*Ledger, []corev1.Node)
		ask    Request
		want   string
	}{
		"below the limits": {
			before: []func(*Ledger, []corev1.Node){hold(holding("h", true, "a").in("team"))},
			ask:    team("r", "x").limits(3, 2), want: "",
		},
		"too many runs": {
			before: []func(*Ledger, []corev1.Node){hold(holding("h", true, "a").in("team")), hold(holding("i", true, "b").in("team"))},
			ask:    team("r").limits(0, 2),
			want:   "queued: namespace team may have nodes for 2 of its runs at a time (limit runs of queue.bounds or queue.rules): it waits for team/h, team/i",
		},
		"too many nodes": {
			before: []func(*Ledger, []corev1.Node){hold(holding("h", true, "a", "b").in("team"))},
			ask:    team("r", "x").limits(3, 0),
			want:   "queued: namespace team may hold 3 nodes at a time (limit nodes of queue.bounds or queue.rules), and this run needs 2: it waits for team/h",
		},
		"runs of other namespaces do not count": {
			before: []func(*Ledger, []corev1.Node){hold(holding("h", true, "a", "b").in("team2"))},
			ask:    team("r", "x").limits(2, 1), want: "",
		},
		"one that alone is beyond the limit is refused": {
			ask:  team("r", "x", "x").limits(2, 0),
			want: "the run needs 3 nodes, and namespace team may hold 2 at a time (limit nodes of queue.bounds or queue.rules): ask the administrator for more, or use fewer targets, replicas or clients",
		},
		"a small one does not take what a large one of its namespace waits for": {
			before: []func(*Ledger, []corev1.Node){hold(holding("h", true, "a", "b").in("team")), ask(team("large", "x", "x").limits(4, 0))},
			ask:    team("r").since(time.Minute).limits(4, 0),
			want:   "queued: namespace team may hold 4 nodes at a time (limit nodes of queue.bounds or queue.rules), and this run needs 1: it waits for team/h, team/large",
		},
		"one beyond its limit is in nobody's way": {
			before: []func(*Ledger, []corev1.Node){
				hold(holding("h", true, "a").in("team")), ask(request("large", "x", "x", "x", "x").in("team").limits(0, 1)),
			},
			ask: request("r", "x", "x", "x", "x").in("other").since(time.Minute), want: "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l, nodes := NewLedger(), pool("a:x b:x c:x d:x e:x f:x")
			for _, step := range tt.before {
				step(l, nodes)
			}
			answer := l.Ask(tt.ask, nodes, noon)
			if answer.Message != tt.want || (answer.Reason == v1alpha1.ReasonQueued) != strings.HasPrefix(tt.want, "queued") {
				t.Errorf("Ask = %+v, want %q", answer, tt.want)
			}
			if refused := answer.Reason == v1alpha1.ReasonNamespaceLimitExceeded; refused != strings.HasPrefix(tt.want, "the run needs") {
				t.Errorf("reason %q", answer.Reason)
			}
		})
	}
}

// TestReservations: a run waits in front; want is what the run behind it gets.
func TestReservations(t *testing.T) {
	tests := map[string]struct {
		nodes string
		holds []Holding
		front Request
		ask   Request
		want  string
	}{
		"nodes that the run in front does not need are free": {
			nodes: "a:x b:x c:x d:x", holds: []Holding{holding("h", true, "a", "b")},
			front: request("front", "x", "x", "x"), ask: request("r", "x"), want: "d",
		},
		"the soonest nodes are reserved": {
			nodes: "a:x b:x c:x", holds: []Holding{holding("late", true, "a").until(9 * time.Hour), holding("soon", true, "b").until(time.Hour)},
			front: request("front", "x", "x"), ask: request("r", "x"),
			want: "queued: position 2, after ns/front; node a is held by ns/late; node b is held by ns/soon; node c is reserved for ns/front",
		},
		"a free node that the run in front cannot use is not": {
			nodes: "a:x b:y c:y", holds: []Holding{holding("h", true, "a").until(time.Hour)},
			front: request("front", "x", "y"), ask: request("r", "y"), want: "c",
		},
		"a short run is done before": {
			nodes: "a:x b:x", holds: []Holding{holding("h", true, "a").until(9 * time.Hour)},
			front: request("front", "x", "x"), ask: request("r", "x").longest(9 * time.Hour), want: "b",
		},
		"a longer one is not": {
			nodes: "a:x b:x", holds: []Holding{holding("h", true, "a").until(9 * time.Hour)},
			front: request("front", "x", "x"), ask: request("r", "x").longest(9*time.Hour + 1),
			want: "queued: position 2, after ns/front; node a is held by ns/h; node b is reserved for ns/front",
		},
		"nor is one before a run that has been overdue": {
			nodes: "a:x b:x", holds: []Holding{holding("h", true, "a").until(-time.Hour)},
			front: request("front", "x", "x"), ask: request("r", "x").longest(time.Minute),
			want: "queued: position 2, after ns/front; node a is held by ns/h; node b is reserved for ns/front",
		},
		"a suspended run is not about to be done": {
			nodes: "a:x b:x", holds: []Holding{holding("h", true, "a").suspended(time.Hour)},
			front: request("front", "x", "x"), ask: request("r", "x"), want: "b",
		},
		"the run that waits for it says so": {
			nodes: "a:x b:x", holds: []Holding{holding("h", true, "a").suspended(time.Hour), holding("i", true, "b")},
			front: request("front", "x", "x"), ask: request("front", "x", "x"),
			want: "queued: position 1; node a is held by ns/h (suspended until 2026-01-02T13:00:00Z); node b is held by ns/i",
		},
		"one that has other nodes to wait for reserves these": {
			nodes: "a:x b:x c:x", holds: []Holding{holding("h", true, "a").suspended(time.Hour), holding("i", true, "b").until(9 * time.Hour)},
			front: request("front", "x", "x"), ask: request("r", "x"),
			want: "queued: position 2, after ns/front; node a is held by ns/h (suspended until 2026-01-02T13:00:00Z); node b is held by ns/i; node c is reserved for ns/front",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l, nodes := NewLedger(), pool(tt.nodes)
			for _, h := range tt.holds {
				l.Hold(h)
			}
			if answer := l.Ask(tt.front, nodes, noon); answer.Reason != v1alpha1.ReasonQueued {
				t.Fatalf("the run in front: %+v", answer)
			}
			answer := l.Ask(tt.ask.since(time.Minute), nodes, noon)
			if got := answer.Message + strings.Join(answer.Placement.ClientNodeNames, " "); got != tt.want {
				t.Errorf("Ask = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNobodyBlocksTheQueue: a suspended run holds a node, and a run of the highest priority
// asks for all nodes. With the rule of before ("a waiting run blocks every node that it could
// use") none of the small runs began before the waiting run gave up after a week.
func TestNobodyBlocksTheQueue(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x b:x c:x")
	l.Hold(holding("suspended", true, "a").in("attacker").suspended(7 * 24 * time.Hour))
	attack := request("attack", "x", "x", "x").in("attacker").priority(1000).longest(720 * time.Hour)
	if answer := l.Ask(attack, nodes, noon); answer.Reason != v1alpha1.ReasonQueued {
		t.Fatalf("the attack: %+v", answer)
	}
	if got := served(l, nodes, 7*24*time.Hour); got != 2*7*24 {
		t.Errorf("%d runs of one hour were served in a week on two free nodes, want %d", got, 2*7*24)
	}
}

// TestALongRunLeavesRoom: a run of a day holds two of six nodes, and one that waits needs five.
// Runs with a deadline of an hour use the four others for 23 hours; with the rule of before,
// none did. The waiting run gets its nodes when the long run is done, to the minute.
func TestALongRunLeavesRoom(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x b:x c:x d:x e:x f:x")
	day := 24 * time.Hour
	l.Hold(holding("long", true, "a", "b").until(day))
	large := request("large", "x", "x", "x", "x", "x").longest(day)
	l.Ask(large, nodes, noon)
	if got := served(l, nodes, day); got != 4*24 {
		t.Errorf("%d runs of one hour were served on four nodes in a day, want %d", got, 4*24)
	}
	l.Release("long")
	if diff := cmp.Diff([]types.UID{"large"}, l.Next(nodes, noon.Add(day))); diff != "" {
		t.Errorf("when the long run is done, Next (-want +got):\n%s", diff)
	}
}

// served counts runs of an hour, on one node each, that come as fast as they are served.
func served(l *Ledger, nodes []corev1.Node, in time.Duration) (count int) {
	for at := time.Duration(0); at < in; at += time.Hour {
		var running []types.UID
		for {
			r := request(fmt.Sprintf("small-%04d", count), "x").in("victim").since(at).longest(time.Hour)
			if l.Ask(r, nodes, noon.Add(at)).Reason != "" {
				l.Forget(r.UID)
				break
			}
			running = append(running, r.UID)
			count++
		}
		for _, uid := range running {
			l.Release(uid)
		}
	}
	return count
}

// Who has its room in a quota first follows the order of the queue: a priority is worth an hour of waiting.
func TestBefore(t *testing.T) {
	at := func(minute int, priority int32, uid string) Request {
		return Request{UID: types.UID(uid), Since: time.Unix(int64(minute)*60, 0), Priority: priority}
	}
	for name, tt := range map[string]struct {
		a, b Request
		want bool
	}{
		"earlier":                      {at(0, 0, "a"), at(1, 0, "b"), true},
		"later":                        {at(1, 0, "a"), at(0, 0, "b"), false},
		"a priority within an hour":    {at(59, 1, "a"), at(0, 0, "b"), true},
		"a priority after an hour":     {at(61, 1, "a"), at(0, 0, "b"), false},
		"at one time, by the UID":      {at(0, 0, "a"), at(0, 0, "b"), true},
		"at one time, behind the same": {at(0, 0, "b"), at(0, 0, "a"), false},
	} {
		if got := tt.a.Before(tt.b); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
