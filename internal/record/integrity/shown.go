package integrity

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// shown is what a status shows of the summary, as far as it was not found in the stored one yet.
type shown struct {
	entries     pending[entryKey, v1alpha1.SummaryEntry]
	comparisons pending[int32, v1alpha1.ComparisonEntry]
	sweeps      pending[int32, v1alpha1.SweepEntry]
}

// entryKey separates the entries of a summary, but for their labels.
type entryKey struct {
	cell         int32
	target, name string
}

func newShown(st v1alpha1.BenchmarkRunStatus) shown {
	return shown{
		newPending(st.Summary, func(e v1alpha1.SummaryEntry) entryKey { return entryKey{e.Cell, e.Target, e.Name} }),
		newPending(st.Comparisons, func(e v1alpha1.ComparisonEntry) int32 { return e.Cell }),
		newPending(st.Sweeps, func(e v1alpha1.SweepEntry) int32 { return e.Cell }),
	}
}

// strike out what a part of the stored summary has. One that cannot be read has nothing.
func (s shown) strike(part []byte) {
	stored, err := journal.DecodeSummary(part)
	if err != nil {
		return
	}
	s.entries.strike(stored.Entries)
	s.comparisons.strike(stored.Comparisons)
	s.sweeps.strike(stored.Sweeps)
}

// pending are parts of a list that were not found yet, by a key that makes the search short.
type pending[K comparable, T any] struct {
	key   func(T) K
	parts map[K][]T
}

func newPending[K comparable, T any](all []T, key func(T) K) pending[K, T] {
	p := pending[K, T]{key, map[K][]T{}}
	for _, one := range all {
		p.parts[key(one)] = append(p.parts[key(one)], one)
	}
	return p
}

func (p pending[K, T]) strike(stored []T) {
	for _, one := range stored {
		key := p.key(one)
		if waiting, has := p.parts[key]; has {
			p.parts[key] = slices.DeleteFunc(waiting, func(o T) bool { return equality.Semantic.DeepEqual(o, one) })
		}
	}
}

// left is how many were not found.
func (p pending[K, T]) left() int {
	n := 0
	for _, parts := range p.parts {
		n += len(parts)
	}
	return n
}
