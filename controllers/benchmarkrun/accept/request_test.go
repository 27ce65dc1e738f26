package accept

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/ground/config"
)

// The queue's answers and what they mean: nodes, a wait, or the end.
func TestPlace(t *testing.T) {
	nodes := v1alpha1.Placement{ClientNodeNames: []string{"n2"}, Targets: []v1alpha1.TargetPlacement{{Name: "db", NodeName: "n1", ReplicaNodeNames: []string{"n3"}}}}
	tests := map[string]struct {
		answer placement.Answer
		waited time.Duration
		want   Placed
	}{
		"nodes: they stand in the status before anything is made on them": {
			placement.Answer{Placement: nodes}, time.Hour,
			Placed{
				State:     decision.Waiting{Reason: v1alpha1.ReasonProgressing, Message: "clients on n2; db on n1 (further servers on n3)"},
				Placement: &nodes,
			},
		},
		"nodes, after all, when the limit has passed": {
			placement.Answer{Placement: nodes}, 3 * time.Hour,
			Placed{
				State:     decision.Waiting{Reason: v1alpha1.ReasonProgressing, Message: "clients on n2; db on n1 (further servers on n3)"},
				Placement: &nodes,
			},
		},
		"others are first": {
			placement.Answer{Reason: v1alpha1.ReasonQueued, Message: "queued: position 2"}, 2 * time.Hour,
			Placed{State: decision.Waiting{Reason: v1alpha1.ReasonQueued, Message: "queued: position 2"}},
		},
		"others are first for too long": {
			placement.Answer{Reason: v1alpha1.ReasonQueued, Message: "queued: position 2"}, 2*time.Hour + time.Second,
			Placed{State: decision.Failed{Reason: v1alpha1.ReasonDeadlineExceeded, Message: "no nodes within 2h0m0s: queued: position 2"}},
		},
		"no cluster of these nodes could do it": {
			placement.Answer{Reason: v1alpha1.ReasonUnschedulable, Message: "no node has 64 CPUs"}, 0,
			Placed{State: decision.Failed{Reason: v1alpha1.ReasonUnschedulable, Message: "no node has 64 CPUs"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run, cfg := &v1alpha1.BenchmarkRun{}, config.Default()
			run.Status.AcceptedTime, cfg.Timeouts.Queue.Duration = &metav1.Time{Time: now.Add(-tt.waited)}, 2*time.Hour
			got := Place(run, tt.answer, cfg, now)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a run asks of the queue follows from what it was accepted with.
func TestNodeRequest(t *testing.T) {
	w := newWorld(spec(func(s *v1alpha1.BenchmarkRunSpec) {
		s.Targets[0].MySQL.Replication = &v1alpha1.Replication{Mode: v1alpha1.ReplicationAsync, Replicas: 2}
		s.Targets = append(s.Targets, v1alpha1.Target{Name: "paper", Published: &v1alpha1.PublishedTarget{}})
		s.Clients.Count, s.Priority, s.Exclusive = 3, 5, new(bool)
		s.Design.IdleTargets = v1alpha1.IdleStopped
	}))
	run := w.in.Run
	small, large := *run.Spec.Clients.Shape.Inline.DeepCopy(), *run.Spec.Clients.Shape.Inline.DeepCopy()
	large.NodeSelector = map[string]string{"size": "large"}
	run.Status.AcceptedTime = &metav1.Time{Time: now}
	agent := v1alpha1.AgentResources{CPU: resource.MustParse("300m"), Memory: resource.MustParse("256Mi")}
	run.Status.Resolved = &v1alpha1.Resolved{
		ClientShape: small, AgentResources: agent, SeparateFromTargets: v1alpha1.SeparationRequired, Targets: []v1alpha1.ResolvedTarget{{Name: "db", Shape: &large}, {Name: "paper"}},
	}
	// The agent comes on top of the tool.
	both := *small.DeepCopy()
	both.CPU.Add(agent.CPU)
	both.Memory.Add(agent.Memory)
	want := queue.Request{
		UID: run.UID, Name: "ns/run", Priority: 5, Since: now, Exclusive: false,
		Need:    placement.Need{Client: both, Clients: 3, Separate: true, OneAtATime: true, Targets: []placement.Target{{Name: "db", Shape: large, Replicas: 2}}},
		Longest: 2 * time.Hour, Limits: queue.Limits{Nodes: 4, Runs: 2, Bytes: 768 << 20, AllBytes: 1 << 30}, Bytes: 5000, Held: 100,
	}
	run.Status.Results = &v1alpha1.ResultsStatus{BudgetBytes: 5000, HeldBytes: 100}
	cfg := config.Default()
	cfg.Queue.Rules = []config.QueueRule{{Namespaces: []string{"ns"}, Bounds: config.Bounds{Nodes: new(4), Runs: new(2)}}}
	if diff := cmp.Diff(want, NodeRequest(run, cfg)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a run holds follows from its status; a retained run holds longer.
func TestHeld(t *testing.T) {
	w := newWorld(spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Priority, s.Retain = 99, v1alpha1.RetainOnFailure }))
	run := w.in.Run
	run.Status.AcceptedTime, run.Status.StartTime = &metav1.Time{Time: now}, &metav1.Time{Time: now.Add(time.Minute)}
	run.Status.Placement = &v1alpha1.Placement{ClientNodeNames: []string{"n2"}, Targets: []v1alpha1.TargetPlacement{{Name: "db", NodeName: "n1"}}}
	want := queue.Holding{
		UID: run.UID, Name: "ns/run", Priority: 10, Since: now, Nodes: []string{"n1", "n2"}, Exclusive: true,
		Began: now.Add(time.Minute), Until: now.Add(time.Minute + 26*time.Hour), Bytes: 5000,
	}
	run.Status.Results = &v1alpha1.ResultsStatus{BudgetBytes: 5000}
	if diff := cmp.Diff(want, Held(run, config.Default())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A priority that is out of bounds is refused at first, and not followed later.
func TestPriorityOutOfBounds(t *testing.T) {
	tests := map[string]struct {
		priority          int32
		refused, unheeded string
		counts            int32
	}{
		"the highest": {priority: 10, counts: 10},
		"the lowest":  {priority: -1000, counts: -1000},
		"too high": {
			priority: 11, counts: 10,
			refused:  "fail PriorityNotAllowed: spec.priority: 11 is outside of -1000 to 10, which the configuration of the operator (queue.bounds, queue.rules) allows to namespace ns",
			unheeded: "spec.priority: 11 is outside of -1000 to 10, which the configuration of the operator (queue.bounds, queue.rules) allows to namespace ns: 10 counts",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Priority = tt.priority }))
			res := w.decide(t)
			if got := words(res.State); tt.refused != "" && got != tt.refused || tt.refused == "" && !strings.HasPrefix(got, "done") {
				t.Errorf("a new run: %s", got)
			}
			later := newWorld(accepted(t), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Priority = tt.priority }))
			if got := words(later.decide(t).State); !strings.HasPrefix(got, "done") {
				t.Errorf("a run that was accepted: %s", got)
			}
			if got := NodeRequest(later.in.Run, config.Default()).Priority; got != tt.counts {
				t.Errorf("priority %d counts, want %d", got, tt.counts)
			}
			placed := Place(later.in.Run, placement.Answer{Reason: v1alpha1.ReasonQueued, Message: "queued"}, config.Default(), now)
			if want := strings.TrimSuffix("queued; "+tt.unheeded, "; "); placed.State.(decision.Waiting).Message != want {
				t.Errorf("the condition says %+v, want %q", placed.State, want)
			}
		})
	}
}

// A deadline beyond what the namespace may have is refused at first, and stays once it was accepted.
func TestDeadlineOutOfBounds(t *testing.T) {
	long := spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Deadline = metav1.Duration{Duration: 169 * time.Hour} })
	const want = "fail DeadlineNotAllowed: spec.deadline: 169h0m0s is longer than 168h0m0s, for which the configuration of the operator (queue.bounds, queue.rules) lets runs of namespace ns hold nodes"
	bound := func(w *world) {
		w.in.Catalogue.Config.Queue.Rules = []config.QueueRule{{Namespaces: []string{"ns"}, Bounds: config.Bounds{Deadline: &metav1.Duration{Duration: 168 * time.Hour}}}}
	}
	if got := words(newWorld(long, bound).decide(t).State); got != want {
		t.Errorf("a new run: %s", got)
	}
	if got := words(newWorld(accepted(t), long, bound).decide(t).State); !strings.HasPrefix(got, "done") {
		t.Errorf("a run that was accepted: %s", got)
	}
	if got := words(newWorld(long).decide(t).State); !strings.HasPrefix(got, "done") {
		t.Errorf("a run of a namespace that may: %s", got)
	}
}
