package accept

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/placement"
	"github.com/assay-bench/assay/internal/queue"
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
				State:     decision.Waiting{Reason: v1alpha1.ReasonProgressing, Message: "clients on n2; db on n1 (replicas on n3)"},
				Placement: &nodes, StartTime: &metav1.Time{Time: now},
			},
		},
		"nodes, after all, when the limit has passed": {
			placement.Answer{Placement: nodes}, 3 * time.Hour,
			Placed{
				State:     decision.Waiting{Reason: v1alpha1.ReasonProgressing, Message: "clients on n2; db on n1 (replicas on n3)"},
				Placement: &nodes, StartTime: &metav1.Time{Time: now},
			},
		},
		"others are first": {
			placement.Answer{Reason: v1alpha1.ReasonQueued, Busy: true, Message: "queued: position 2"}, 2 * time.Hour,
			Placed{State: decision.Waiting{Reason: v1alpha1.ReasonQueued, Message: "queued: position 2"}},
		},
		"others are first for too long": {
			placement.Answer{Reason: v1alpha1.ReasonQueued, Busy: true, Message: "queued: position 2"}, 2*time.Hour + time.Second,
			Placed{State: decision.Failed{Reason: v1alpha1.ReasonDeadlineExceeded, Message: "no nodes within 2h0m0s: queued: position 2"}},
		},
		"no cluster of these nodes could do it": {
			placement.Answer{Reason: v1alpha1.ReasonUnschedulable, Message: "no node has 64 CPUs"}, 0,
			Placed{State: decision.Failed{Reason: v1alpha1.ReasonUnschedulable, Message: "no node has 64 CPUs"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Place(Waited{Answer: tt.answer, Since: now.Add(-tt.waited), Limit: 2 * time.Hour, Now: now})
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
	agent := &v1alpha1.AgentResources{CPU: resource.MustParse("300m"), Memory: resource.MustParse("256Mi")}
	run.Status.Resolved = &v1alpha1.Resolved{ClientShape: small, AgentResources: agent, Targets: []v1alpha1.ResolvedTarget{{Name: "db", Shape: &large}, {Name: "paper"}}}
	// The agent comes on top of the tool.
	both := *small.DeepCopy()
	both.CPU.Add(agent.CPU)
	both.Memory.Add(agent.Memory)
	want := queue.Request{
		UID: run.UID, Name: "ns/run", Priority: 5, Since: now, Exclusive: false,
		Need: placement.Need{Client: both, Clients: 3, OneAtATime: true, Targets: []placement.Target{{Name: "db", Shape: large, Replicas: 2}}},
	}
	if diff := cmp.Diff(want, NodeRequest(run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
