package metrics

import (
	"cmp"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// object is a run, a schedule or a baseline.
type object[T any] interface {
	*T
	metav1.Object
}

// byNamespace are the objects of each namespace, and the namespaces in the order of their names.
func byNamespace[T any, O object[T]](all []T) (names []string, of map[string][]O) {
	of = map[string][]O{}
	for i := range all {
		o := O(&all[i])
		of[o.GetNamespace()] = append(of[o.GetNamespace()], o)
	}
	return slices.Sorted(maps.Keys(of)), of
}

// named are the namespaces with series of their own, the first by name, and behind them the one that all others share.
func named[T any, O object[T]](all []T) (names []string, of map[string][]O) {
	names, of = byNamespace[T, O](all)
	if len(names) <= MaxNamespaces {
		return names, of
	}
	for _, n := range names[MaxNamespaces:] {
		of[OtherNamespaces] = append(of[OtherNamespaces], of[n]...)
	}
	return append(names[:MaxNamespaces:MaxNamespaces], OtherNamespaces), of
}

// choose the objects that have series of their own: at most so many. Namespaces take turns in the order
// of their names, so that one with many objects costs the others nothing.
func choose[T any, O object[T]](all []T, most int, order func(a, b O) int) []O {
	namespaces, waiting := byNamespace[T, O](all)
	for _, n := range namespaces {
		slices.SortFunc(waiting[n], order)
	}
	chosen := make([]O, 0, min(most, len(all)))
	for turn := 0; len(chosen) < min(most, len(all)); turn++ {
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

// rank of a run. Runs that wait come last: a tenant can make thousands of them at once.
func rank(r *v1alpha1.BenchmarkRun) int {
	switch {
	case r.Finished():
		return 1
	case r.Status.Placement != nil:
		return 0
	}
	return 2
}

func completion(r *v1alpha1.BenchmarkRun) time.Time {
	if r.Status.CompletionTime == nil {
		return time.Time{}
	}
	return r.Status.CompletionTime.Time
}
