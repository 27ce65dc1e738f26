package benchmarkrun

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/config"
)

// reservations are the bytes that were granted to runs whose status does not say so yet: two
// runs that are accepted side by side must not get the same room.
type reservations struct {
	mu      sync.Mutex
	granted map[types.UID]int64
	// waiting are runs that other runs leave no room.
	waiting map[types.NamespacedName]bool
}

// reserving is how a reservation is made: from the runs in the cache, within the limits of the
// operator.
type reserving struct {
	*reservations
	runs   client.Reader
	limits config.Budget
}

// wakeWaiting lets the runs that wait for room be looked at, because a run has ended.
func (r *reservations) wakeWaiting(wake chan<- event.GenericEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name := range r.waiting {
		wakeRun(wake, name)
	}
	r.waiting = nil
}

// reserve bytes of etcd for the results of a run. What other runs take stands in their status,
// as the cache knows it, or was granted a moment ago.
func (r reserving) reserve(ctx context.Context, run *v1alpha1.BenchmarkRun, bytes int64) (decision.Reservation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var runs v1alpha1.BenchmarkRunList
	if err := r.runs.List(ctx, &runs, client.UnsafeDisableDeepCopy); err != nil {
		return decision.Reservation{}, fmt.Errorf("listing the runs for the budget of their results: %w", err)
	}
	limits := r.limits
	out := decision.Reservation{
		Namespace: decision.Usage{Limit: limits.Namespace.Value()}, Cluster: decision.Usage{Limit: limits.Cluster.Value()},
	}
	granted := map[types.UID]int64{}
	for i := range runs.Items {
		other := &runs.Items[i]
		if other.UID == run.UID {
			continue
		}
		held, reserved := takes(other, limits)
		if reserved == 0 && held == 0 && !other.Finished() {
			if reserved = r.granted[other.UID]; reserved > 0 {
				granted[other.UID] = reserved
			}
		}
		add(&out.Cluster, held, reserved)
		if other.Namespace == run.Namespace {
			add(&out.Namespace, held, reserved)
		}
	}
	if out.Namespace.Fits(bytes) && out.Cluster.Fits(bytes) {
		granted[run.UID] = bytes
	} else {
		if r.waiting == nil {
			r.waiting = map[types.NamespacedName]bool{}
		}
		r.waiting[client.ObjectKeyFromObject(run)] = true
	}
	r.granted = granted
	return out, nil
}

func add(u *decision.Usage, held, reserved int64) {
	u.Held, u.Reserved = u.Held+held, u.Reserved+reserved
}

// takes is what a run takes of the budgets, as its status says.
func takes(run *v1alpha1.BenchmarkRun, limits config.Budget) (held, reserved int64) {
	st := run.Status
	switch {
	case st.Results != nil && run.Finished() && st.Results.HeldBytes > 0:
		return st.Results.HeldBytes, 0
	case st.Results != nil && st.Results.BudgetBytes > 0 && !run.Finished():
		return 0, st.Results.BudgetBytes
	case st.Plan != nil:
		// Accepted by a release without budgets: what its results are known to hold at least.
		return int64(st.Plan.TrialCount) * limits.LeastResult.Value(), 0
	}
	return 0, 0
}
