package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// MaxNamespaces have series of their own; the others share one, under a name that no namespace has.
const (
	MaxNamespaces   = 200
	OtherNamespaces = "_others"
)

// phases in the order of a run.
var phases = []v1alpha1.Phase{
	v1alpha1.PhasePending, v1alpha1.PhaseQueued, v1alpha1.PhaseSuspended, v1alpha1.PhaseProvisioning, v1alpha1.PhaseLoading,
	v1alpha1.PhaseMeasuring, v1alpha1.PhaseCleaning, v1alpha1.PhaseComplete, v1alpha1.PhaseFailed,
}

// sums of a namespace.
type sums struct {
	phases map[v1alpha1.Phase]int
	queued int
	oldest time.Duration
	nodes  map[string]bool
}

// totals over all runs.
func totals(all []v1alpha1.BenchmarkRun, now time.Time) (out []series) {
	names, of := named(all)
	held := map[string]bool{}
	for _, n := range names {
		s := sums{phases: map[v1alpha1.Phase]int{}, nodes: map[string]bool{}}
		for _, r := range of[n] {
			s.add(r, now)
		}
		maps.Copy(held, s.nodes)
		for _, p := range phases {
			out = append(out, series{runs, []string{n, string(p)}, float64(s.phases[p])})
		}
		out = append(out, series{queueRuns, []string{n}, float64(s.queued)}, series{namespaceNodesHeld, []string{n}, float64(len(s.nodes))})
		if s.queued > 0 {
			out = append(out, series{queueWait, []string{n}, s.oldest.Seconds()})
		}
	}
	return append(out, series{nodesHeld, nil, float64(len(held))})
}

func (s *sums) add(r *v1alpha1.BenchmarkRun, now time.Time) {
	phase := r.Status.Phase
	if !slices.Contains(phases, phase) {
		phase = v1alpha1.PhasePending // before its first pass
	}
	s.phases[phase]++
	if phase == v1alpha1.PhaseQueued {
		s.queued++
		if at := r.Status.AcceptedTime; at != nil {
			s.oldest = max(s.oldest, now.Sub(at.Time))
		}
	}
	if p := r.Status.Placement; p != nil && holds(r, now) {
		for _, n := range p.ClientNodeNames {
			s.nodes[n] = true
		}
		for _, t := range p.Targets {
			s.nodes[t.NodeName] = true
			for _, n := range t.ReplicaNodeNames {
				s.nodes[n] = true
			}
		}
	}
}

// holds says whether a run with a placement still holds its nodes. The placement of one that has ended
// stays in its status. It holds them as long as it is retained.
func holds(r *v1alpha1.BenchmarkRun, now time.Time) bool {
	until := r.Status.Placement.HeldUntil
	return !r.Finished() || until != nil && now.Before(until.Time)
}
