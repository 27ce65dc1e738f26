package integrity

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
)

// entryKey separates the entries of a summary, but for their labels.
type entryKey struct {
	cell         int32
	target, name string
}

// shown are the entries of a summary in a status that were not found in the stored one yet.
type shown map[entryKey][]v1alpha1.SummaryEntry

func newShown(entries []v1alpha1.SummaryEntry) shown {
	s := shown{}
	for _, e := range entries {
		key := entryKey{e.Cell, e.Target, e.Name}
		s[key] = append(s[key], e)
	}
	return s
}

// strike out the entries that a part of the stored summary has. One that cannot be read has
// none.
func (s shown) strike(part []byte) {
	entries, err := journal.DecodeSummary(part)
	if err != nil {
		return
	}
	for _, stored := range entries {
		key := entryKey{stored.Cell, stored.Target, stored.Name}
		s[key] = slices.DeleteFunc(s[key], func(e v1alpha1.SummaryEntry) bool { return equality.Semantic.DeepEqual(e, stored) })
	}
}

func (s shown) left() int {
	n := 0
	for _, entries := range s {
		n += len(entries)
	}
	return n
}

// shownComparisons are the comparisons in a status that were not found in the stored summary yet, by
// their cells.
type shownComparisons map[int32][]v1alpha1.ComparisonEntry

func newShownComparisons(entries []v1alpha1.ComparisonEntry) shownComparisons {
	s := shownComparisons{}
	for _, e := range entries {
		s[e.Cell] = append(s[e.Cell], e)
	}
	return s
}

// strike out the comparisons that a part of the stored summary has. One that cannot be read has
// none.
func (s shownComparisons) strike(part []byte) {
	entries, err := journal.DecodeComparisons(part)
	if err != nil {
		return
	}
	for _, stored := range entries {
		s[stored.Cell] = slices.DeleteFunc(s[stored.Cell], func(e v1alpha1.ComparisonEntry) bool { return equality.Semantic.DeepEqual(e, stored) })
	}
}

func (s shownComparisons) left() int {
	n := 0
	for _, entries := range s {
		n += len(entries)
	}
	return n
}
