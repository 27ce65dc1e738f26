package metrics

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// choose the runs that have series of their own: at most so many. Namespaces take turns in the order
// of their names, so that one with many runs costs the others nothing.
func choose(runs []v1alpha1.BenchmarkRun, most int) []*v1alpha1.BenchmarkRun {
	waiting := map[string][]*v1alpha1.BenchmarkRun{}
	for i := range runs {
		waiting[runs[i].Namespace] = append(waiting[runs[i].Namespace], &runs[i])
	}
	namespaces := slices.Sorted(maps.Keys(waiting))
	for _, n := range namespaces {
		slices.SortFunc(waiting[n], byInterest)
	}
	chosen := make([]*v1alpha1.BenchmarkRun, 0, min(most, len(runs)))
	for turn := 0; len(chosen) < min(most, len(runs)); turn++ {
		for _, n := range namespaces {
			if turn < len(waiting[n]) && len(chosen) < most {
				chosen = append(chosen, waiting[n][turn])
			}
		}
	}
	return chosen
}

// byInterest sorts the runs of a namespace: those that have nodes, those that ended last, those that
// wait. The names decide the rest, so that two scrapes choose the same.
func byInterest(a, b *v1alpha1.BenchmarkRun) int {
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		completion(b).Compare(completion(a)),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Name, b.Name),
	)
}

// Ranks of runs. Runs that wait come last: a tenant can make thousands of them at once.
const (
	rankWorks = iota
	rankEnded
	rankWaits
)

func rank(r *v1alpha1.BenchmarkRun) int {
	switch {
	case r.Finished():
		return rankEnded
	case r.Status.Placement != nil:
		return rankWorks
	}
	return rankWaits
}

func completion(r *v1alpha1.BenchmarkRun) time.Time {
	if r.Status.CompletionTime == nil {
		return time.Time{}
	}
	return r.Status.CompletionTime.Time
}
