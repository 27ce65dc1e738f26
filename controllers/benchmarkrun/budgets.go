package benchmarkrun

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/queue"
)

// The queue knows how many bytes of etcd the results of each run take, as it knows the nodes: from the
// statuses of the runs when the manager starts, and from every pass after that. So two runs that are
// placed side by side do not get the same room.

// admit a run with the bytes of its results, beside what the others hold.
func (r nodeQueue) admit(ctx context.Context, run *v1alpha1.BenchmarkRun, q decision.AdmitBytes) (decision.Admission, error) {
	if err := r.recall(ctx); err != nil {
		return decision.Admission{}, err
	}
	b := r.Config.Results.Budget
	limits := queue.Limits{Bytes: b.Namespace.Value(), AllBytes: b.Cluster.Value()}
	namespace, all := r.Queue.Results().Admit(queue.Kept{UID: run.UID, Name: run.Namespace + "/" + run.Name, Bytes: q.Held}, q.Bytes, limits)
	return decision.Admission{
		Namespace: decision.Usage{Held: namespace, Limit: limits.Bytes}, Cluster: decision.Usage{Held: all, Limit: limits.AllBytes},
	}, nil
}

// keepResults of a run that takes only what it holds: one that has ended, is suspended without nodes,
// or has given them back.
func (r nodeQueue) keepResults(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	return r.update(ctx, func() bool { return r.Queue.Results().Keep(accept.Kept(run)) })
}

// dropResults of the runs of a name that were deleted. The run that exists keeps its own.
func (r nodeQueue) dropResults(ctx context.Context, name types.NamespacedName, exists types.UID) error {
	if !r.Queue.Results().Drop(name.String(), exists) {
		return nil
	}
	return r.wakeAll(ctx)
}
