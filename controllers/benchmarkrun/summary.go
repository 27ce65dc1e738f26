package benchmarkrun

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/internal/stats"
)

const (
	// maxValues of a trial stand in its record, and maxShown of them in the status.
	maxValues = 5000
	maxShown  = 60
	// maxSummary is how many entries of the summary stand in the status.
	maxSummary = 60
)

// values are the measurements of a trial that go into its record, in the order of the
// names. Measurements of one name differ by their labels, such as the operation: those
// without labels come first, because they are about all operations together.
func values(names []string, res result.Result) []v1alpha1.Value {
	var out []v1alpha1.Value
	for _, name := range names {
		var same []v1alpha1.Value
		for _, m := range res.Measurements {
			if m.Name == name && m.Value != nil {
				same = append(same, v1alpha1.Value{
					Name: name, Labels: m.Labels, Value: decimal(*m.Value), Unit: m.Unit, Direction: string(m.Direction),
				})
			}
		}
		slices.SortStableFunc(same, func(a, b v1alpha1.Value) int { return cmp.Compare(len(a.Labels), len(b.Labels)) })
		out = append(out, same...)
	}
	return out[:min(len(out), maxValues)]
}

// labelText is the same text for the same labels.
func labelText(labels map[string]string) string {
	words := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, fmt.Sprintf("%s=%q", name, labels[name]))
	}
	return strings.Join(words, ",")
}

// samples are the values of one measurement of one target in one cell.
type samples struct {
	like   v1alpha1.Value
	values []float64
}

// sampleKey tells the samples apart.
type sampleKey struct {
	cell                 int32
	target, name, labels string
}

// summary of the records, in the order of the cells, targets, names and labels.
func summary(s *scope, records []journal.Record) []v1alpha1.SummaryEntry {
	all, order := gather(records)
	var out []v1alpha1.SummaryEntry
	for cell, parameters := range s.plan.Cells {
		for _, target := range s.plan.Targets {
			for _, name := range s.runner.Summary {
				for _, labels := range order[name] {
					k := sampleKey{int32(cell), target, name, labels}
					sum, err := stats.EstimateMedian(all[k].values)
					if err != nil {
						continue // Nothing was measured: absent, not zero.
					}
					e := entry(target, all[k].like, sum)
					e.Cell = int32(cell)
					if len(parameters) > 0 {
						e.Parameters = parameters
					}
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// gather the samples of the trials that count, and the labels of each name in the order
// in which the first trial has them.
func gather(records []journal.Record) (all map[sampleKey]samples, order map[string][]string) {
	all, order = map[sampleKey]samples{}, map[string][]string{}
	for _, rec := range records {
		if rec.State != v1alpha1.TrialSucceeded || rec.Valid == nil || !*rec.Valid || rec.Disturbed {
			continue
		}
		for _, v := range rec.Values {
			f, err := strconv.ParseFloat(v.Value, 64)
			if err != nil {
				continue // written by another version
			}
			labels := labelText(v.Labels)
			k := sampleKey{rec.Cell, rec.Target, v.Name, labels}
			all[k] = samples{like: v, values: append(all[k].values, f)}
			if !slices.Contains(order[v.Name], labels) {
				order[v.Name] = append(order[v.Name], labels)
			}
		}
	}
	return all, order
}

// entry summarises values that are all like the given one.
func entry(target string, like v1alpha1.Value, sum stats.MedianEstimate) v1alpha1.SummaryEntry {
	e := v1alpha1.SummaryEntry{
		Target: target, Name: like.Name, Labels: like.Labels, Unit: like.Unit, Direction: like.Direction, N: int32(sum.N),
		Median: decimal(sum.Median), Min: decimal(sum.Min), Max: decimal(sum.Max),
	}
	if sum.Interval != nil {
		e.IntervalLow, e.IntervalHigh = decimal(sum.Interval.Low), decimal(sum.Interval.High)
	}
	return e
}

// mainEntries are those that the status has room for: the measurements that come first
// among the names, of every cell and target, before those that come later. They stay in
// the order of the summary.
func mainEntries(entries []v1alpha1.SummaryEntry, names []string) []v1alpha1.SummaryEntry {
	index := make([]int, len(entries))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int {
		return cmp.Or(cmp.Compare(slices.Index(names, entries[a].Name), slices.Index(names, entries[b].Name)),
			cmp.Compare(len(entries[a].Labels), len(entries[b].Labels)))
	})
	index = index[:min(len(index), maxSummary)]
	slices.Sort(index)
	var out []v1alpha1.SummaryEntry
	for _, i := range index {
		out = append(out, entries[i])
	}
	return out
}

func headline(sum []v1alpha1.SummaryEntry) string {
	if len(sum) == 0 {
		return ""
	}
	v, err := strconv.ParseFloat(sum[0].Median, 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s (n=%d)", strconv.FormatFloat(v, 'f', 1, 64), sum[0].Unit, sum[0].N)
}
