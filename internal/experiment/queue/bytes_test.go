package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// bytes of MiB that the results of a run may take, where a namespace has ten and the cluster fifteen.
func (r Request) bytes(most int64) Request {
	r.Bytes, r.Limits.Bytes, r.Limits.AllBytes = most<<20, 10<<20, 15<<20
	return r
}

func (r Request) holds(held int64) Request { r.Held = held << 20; return r }

func kept(uid string, mib int64) Kept {
	return Kept{UID: types.UID(uid), Name: "ns/" + uid, Bytes: mib << 20}
}

// TestBytes: every story ends with one request; want is a part of its answer, empty for nodes.
func TestBytes(t *testing.T) {
	type story struct {
		do   func(l *Ledger, ask func(Request) string)
		ask  Request
		want string
	}
	tests := map[string]story{
		"two runs that are placed side by side do not get the same room": {
			do:  func(_ *Ledger, ask func(Request) string) { ask(request("a", "x").bytes(6)) },
			ask: request("b", "x").bytes(6), want: "6 MiB for this run + 6 MiB reserved by runs that hold nodes + 0 bytes of other results in namespace ns, results.budget.namespace is 10 MiB: it waits for ns/a",
		},
		"a run that waits for nodes takes no room": {
			do: func(_ *Ledger, ask func(Request) string) {
				ask(request("a", "z").bytes(9))
				ask(request("b", "z").bytes(9))
			},
			ask: request("c", "x").bytes(9),
		},
		"what a run that waits has written counts": {
			do: func(_ *Ledger, ask func(Request) string) {
				ask(request("a", "z").bytes(9))
				ask(request("b", "z").bytes(9).holds(2))
			},
			ask: request("c", "x").bytes(9), want: "no room for its results: 9 MiB for this run + 0 bytes reserved by runs that hold nodes + 2 MiB of other results in namespace ns",
		},
		"a run that has ended keeps what it wrote": {
			do: func(l *Ledger, ask func(Request) string) {
				ask(request("a", "x").bytes(6))
				if !l.Keep(kept("a", 1)) {
					panic("nothing is free")
				}
			},
			ask: request("b", "x").bytes(6),
		},
		"all namespaces share a budget": {
			do: func(_ *Ledger, ask func(Request) string) {
				ask(request("a", "x").bytes(8).in("other"))
				ask(request("b", "x").bytes(1).in("third"))
			},
			ask: request("c", "x").bytes(8), want: "in all namespaces, results.budget.cluster is 15 MiB: it waits for other/a, third/b",
		},
		"results that were deleted make room": {
			do: func(l *Ledger, _ func(Request) string) {
				l.Keep(kept("old", 9))
				if !l.Drop("ns/old", "") {
					panic("nothing is free")
				}
			},
			ask: request("a", "x").bytes(6),
		},
		"a run that was created again under the name keeps its own": {
			do: func(l *Ledger, _ func(Request) string) {
				l.Keep(kept("old", 9))
				l.Drop("ns/old", "old")
			},
			ask:  request("a", "x").bytes(6),
			want: "delete ended runs, or let ttlSecondsAfterFinished delete them",
		},
		"a run of a schedule, whose limits delete runs": {
			do: func(l *Ledger, _ func(Request) string) { l.Keep(kept("old", 9)) },
			ask: func() Request {
				r := request("a", "x").bytes(6)
				r.Schedule = "nightly"
				return r
			}(),
			want: "delete ended runs, or let successfulRunsHistoryLimit and failedRunsHistoryLimit of schedule nightly delete them",
		},
		"a run that could never fit is refused": {
			do: func(*Ledger, func(Request) string) {}, ask: request("a", "x").bytes(11),
			want: v1alpha1.ReasonResultBudgetExceeded + " the results of the run may take 11 MiB, and results.budget.namespace is 10 MiB",
		},
		"a small run goes ahead of a large one that waits, when both fit afterwards": {
			do: func(_ *Ledger, ask func(Request) string) {
				ask(request("a", "x").bytes(6))
				ask(request("large", "x").bytes(6).since(time.Minute))
			},
			ask: request("small", "x").bytes(4).since(2 * time.Minute),
		},
		"small runs do not go ahead of a large one together": {
			do: func(_ *Ledger, ask func(Request) string) {
				ask(request("a", "x").bytes(5))
				ask(request("large", "x").bytes(7).since(time.Minute))
				ask(request("small", "x").bytes(3).since(2 * time.Minute))
			},
			ask: request("small-2", "x").bytes(1).since(3 * time.Minute), want: "the rest is kept for ns/large",
		},
		"nobody waits for a run for which only a deletion makes room": {
			do: func(l *Ledger, ask func(Request) string) {
				ask(request("a", "x").bytes(5))
				l.Keep(kept("old", 3))
				ask(request("large", "x").bytes(8).since(time.Minute))
			},
			ask: request("small", "x").bytes(2).since(2 * time.Minute),
		},
		"the nodes of a run that waits for room are reserved": {
			do: func(l *Ledger, ask func(Request) string) {
				l.Hold(holding("b", true, "x1", "x2", "x3").in("other").until(5 * time.Hour))
				ask(request("a", "y").bytes(6).longest(2 * time.Hour))
				ask(request("large", "x").bytes(6).since(time.Minute))
			},
			ask: request("small", "x").bytes(1).since(2 * time.Minute).longest(3 * time.Hour), want: "node x4 is reserved for ns/large",
		},
		"a run that is done by then uses them": {
			do: func(l *Ledger, ask func(Request) string) {
				l.Hold(holding("b", true, "x1", "x2", "x3").in("other").until(5 * time.Hour))
				ask(request("a", "y").bytes(6).longest(2 * time.Hour))
				ask(request("large", "x").bytes(6).since(time.Minute))
			},
			ask: request("small", "x").bytes(1).since(2 * time.Minute).longest(time.Hour),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l, nodes := NewLedger(), pool("x1:x x2:x x3:x x4:x y1:y")
			l.Hold(holding("z", true, "z1").in("other"))
			nodes = append(nodes, pool("z1:z")...)
			ask := func(r Request) string {
				a := l.Ask(r, nodes, noon.Add(10*time.Minute))
				return strings.TrimSpace(a.Reason + " " + a.Message)
			}
			tt.do(l, ask)
			if got := ask(tt.ask); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Small runs keep coming for days. The large one gets its room when those have ended that were there
// before it, and the budget is never exceeded, whenever the manager is restarted.
func TestLargeResultsAreNotStarved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l, nodes, now := NewLedger(), pool("x1:x x2:x x3:x x4:x x5:x x6:x x7:x x8:x"), noon
	small := func(i int) Request {
		return request(fmt.Sprintf("small-%03d", i), "x").bytes(1 + int64(r.IntN(3))).since(now.Sub(noon)).longest(time.Hour)
	}
	ends := map[types.UID]time.Time{}
	waiting := []Request{}
	ask := func(q Request) bool {
		if l.Ask(q, nodes, now).Reason != "" {
			return false
		}
		ends[q.UID] = now.Add(time.Duration(10+r.IntN(50)) * time.Minute)
		return true
	}
	large, overtaken := request("large", "x").bytes(9).since(30*time.Minute).longest(time.Hour), 0
	for minute := range 600 {
		now = noon.Add(time.Duration(minute) * time.Minute)
		for uid, end := range ends {
			if !end.After(now) {
				l.Keep(Kept{UID: uid, Name: "ns/" + string(uid), Bytes: 1})
				l.Release(uid)
				delete(ends, uid)
			}
		}
		if minute%3 == 0 {
			waiting = append(waiting, small(minute))
		}
		if minute == 30 {
			waiting = append(waiting, large)
		}
		if minute%40 == 0 { // the manager is killed, and reads what the objects say
			fresh := NewLedger()
			for _, k := range l.kept {
				fresh.Keep(k)
			}
			for _, h := range l.holds {
				fresh.Hold(*h)
			}
			for _, q := range waiting {
				fresh.Wait(q)
			}
			l = fresh
		}
		r.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		for _, q := range waiting {
			l.Wait(q)
		}
		for _, q := range slices.Clone(waiting) {
			if !ask(q) {
				continue
			}
			waiting = slices.DeleteFunc(waiting, func(o Request) bool { return o.UID == q.UID })
			if taken := roomsOf(l).all.taken; taken > 10<<20 {
				t.Fatalf("minute %d: %d bytes are taken", minute, taken)
			}
			switch {
			case q.UID == large.UID:
				if minute > 30+120 {
					t.Errorf("the large run waited until minute %d", minute)
				}
				if overtaken == 0 {
					t.Error("no small run went ahead: the test shows nothing")
				}
				return
			case q.Since.After(large.Since):
				overtaken++
			}
		}
	}
	t.Error("the large run never got its room")
}
