package journal

import (
	"github.com/assay-bench/assay/api/v1alpha1"
)

// summaryPerPart is the number of entries, of comparisons, and of searches in one part of the summary.
const summaryPerPart = 2000

// Summary is one part of the summary of a run: entries, or comparisons after the last entry, or
// searches after the last comparison.
type Summary struct {
	header
	// Part is the number of the part, from 0.
	Part int32 `json:"part"`
	// Entries in the order of the cells, the targets and the measurements.
	Entries []v1alpha1.SummaryEntry `json:"entries"`
	// Comparisons: the primary family, the control, the exploratory ones.
	Comparisons []v1alpha1.ComparisonEntry `json:"comparisons,omitempty"`
	// Searches in the order of the cells, the targets and the blocks.
	Searches []v1alpha1.SearchEntry `json:"searches,omitempty"`
}

// Contents of a whole summary.
type Contents struct {
	Entries     []v1alpha1.SummaryEntry
	Comparisons []v1alpha1.ComparisonEntry
	Searches    []v1alpha1.SearchEntry
}

// DecodeSummary reads the entries of a part of the summary.
func DecodeSummary(gz []byte) ([]v1alpha1.SummaryEntry, error) {
	var s Summary
	if err := decode(gz, &s); err != nil {
		return nil, err
	}
	return s.Entries, nil
}

// DecodeComparisons reads the comparisons of a part of the summary.
func DecodeComparisons(gz []byte) ([]v1alpha1.ComparisonEntry, error) {
	var s Summary
	if err := decode(gz, &s); err != nil {
		return nil, err
	}
	return s.Comparisons, nil
}

// maxSummaryPart is the size of an encoded part that is written, in bytes: a ConfigMap has 1 MiB.
const maxSummaryPart = 700 << 10

// DecodeSearches reads the searches of a part of the summary.
func DecodeSearches(gz []byte) ([]v1alpha1.SearchEntry, error) {
	var s Summary
	if err := decode(gz, &s); err != nil {
		return nil, err
	}
	return s.Searches, nil
}

// SplitSummary splits a summary into encoded, chained parts: the entries, then the comparisons, then
// the searches. A part whose labels do not compress has fewer of them.
func SplitSummary(c Contents) ([][]byte, error) {
	out, err := split(nil, c.Entries, func(s *Summary, some []v1alpha1.SummaryEntry) { s.Entries = some })
	if err != nil {
		return nil, err
	}
	out, err = split(out, c.Comparisons, func(s *Summary, some []v1alpha1.ComparisonEntry) {
		s.Entries, s.Comparisons = []v1alpha1.SummaryEntry{}, some
	})
	if err != nil {
		return nil, err
	}
	return split(out, c.Searches, func(s *Summary, some []v1alpha1.SearchEntry) {
		s.Entries, s.Searches = []v1alpha1.SummaryEntry{}, some
	})
}

// split adds parts with all of a list.
func split[T any](out [][]byte, all []T, put func(*Summary, []T)) ([][]byte, error) {
	for most := summaryPerPart; len(all) > 0; {
		n := min(most, len(all))
		part := Summary{header: chained(out), Part: int32(len(out))}
		put(&part, all[:n])
		data, err := encode(part)
		if n > 1 && (err != nil || len(data) > maxSummaryPart) {
			most = n / 2
			continue
		}
		if err != nil {
			return nil, err
		}
		out, all = append(out, data), all[n:]
	}
	return out, nil
}
