package benchmarkrun

import "github.com/assay-bench/assay/internal/show/metrics"

// Planning of a manager: what its metrics tell of plans.
func Planning(r *Reconciler) metrics.Planning {
	p := &r.plans
	p.mu.Lock()
	defer p.mu.Unlock()
	return metrics.Planning{Runs: len(p.waiting), Kept: len(p.entries), Bytes: p.bytes}
}
