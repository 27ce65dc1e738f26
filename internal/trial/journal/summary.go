package journal

import "github.com/assay-bench/assay/api/v1alpha1"

// summaryPerPart is the number of entries, of comparisons, of sweeps and of searches in one part of the
// summary.
const summaryPerPart = 2000

// Summary is one part of the summary of a run: entries, comparisons after the last entry, sweeps after
// the last comparison, or searches after the last sweep.
type Summary struct {
	header
	// Part is the number of the part, from 0.
	Part int32 `json:"part"`
	// Entries in the order of the cells, the targets and the measurements.
	Entries []v1alpha1.SummaryEntry `json:"entries"`
	// Comparisons: the primary family, the control, the exploratory ones.
	Comparisons []v1alpha1.ComparisonEntry `json:"comparisons,omitempty"`
	// Sweeps in the order of the axes, the cells and the targets.
	Sweeps []v1alpha1.SweepEntry `json:"sweeps,omitempty"`
	// Searches in the order of the cells, the targets and the blocks.
	Searches []v1alpha1.SearchEntry `json:"searches,omitempty"`
}

// DecodeSummary reads a part of the summary.
func DecodeSummary(gz []byte) (s Summary, err error) {
	err = decode(gz, &s)
	return s, err
}

// maxSummaryPart is the size of an encoded part that is written, in bytes: a ConfigMap has 1 MiB.
const maxSummaryPart = 700 << 10

// SplitSummary splits a summary into encoded, chained parts: the entries, then the comparisons, then
// the sweeps, then the searches. A part whose labels do not compress has fewer of them.
func SplitSummary(all Summary) ([][]byte, error) {
	out, err := split(nil, all.Entries, func(s *Summary, some []v1alpha1.SummaryEntry) { s.Entries = some }, nil)
	out, err = split(out, all.Comparisons, func(s *Summary, some []v1alpha1.ComparisonEntry) { s.Comparisons = some }, err)
	out, err = split(out, all.Sweeps, func(s *Summary, some []v1alpha1.SweepEntry) { s.Sweeps = some }, err)
	return split(out, all.Searches, func(s *Summary, some []v1alpha1.SearchEntry) { s.Searches = some }, err)
}

// split adds parts with all of a list, unless an earlier list failed.
func split[T any](out [][]byte, all []T, put func(*Summary, []T), failed error) ([][]byte, error) {
	if failed != nil {
		return nil, failed
	}
	for most := summaryPerPart; len(all) > 0; {
		n := min(most, len(all))
		part := Summary{header: chained(out), Part: int32(len(out)), Entries: []v1alpha1.SummaryEntry{}}
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
