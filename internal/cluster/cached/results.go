package cached

import (
	"slices"
	"unique"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// What the metrics tell of a run's results, and so stays in the cache: the first entries of the summary
// and the first comparisons, and of their texts so many bytes together.
const (
	maxEntries     = 32
	maxComparisons = 16
	maxTexts       = 4096
)

// budget of bytes.
type budget int

// takes the texts if there is room for all of them.
func (b *budget) takes(texts ...string) bool {
	n := 0
	for _, t := range texts {
		n += len(t)
	}
	if n > int(*b) {
		return false
	}
	*b -= budget(n)
	return true
}

// slimResults keeps the numbers of the results and what they are of. The first entry that has no room is the last. Comparisons come
// first: the summary of a few cells fills the room by itself.
func slimResults(st *v1alpha1.BenchmarkRunStatus) {
	room := budget(maxTexts)
	st.Comparisons = firstOf(st.Comparisons, maxComparisons, func(c v1alpha1.ComparisonEntry) (v1alpha1.ComparisonEntry, bool) {
		return v1alpha1.ComparisonEntry{
			Family: v1alpha1.ComparisonFamily(shared(string(c.Family))), Verdict: v1alpha1.ComparisonVerdict(shared(string(c.Verdict))), Factor: shared(c.Factor),
			Value: c.Value, Baseline: c.Baseline, Unlike: c.Unlike, Target: shared(c.Target), Cell: c.Cell, Name: shared(c.Name), Labels: c.Labels, Ratio: c.Ratio,
		}, room.takes(append(append(textsOf(c.Labels), unlikeOf(c)...), c.Factor, c.Value, c.Baseline, c.Target, c.Name, c.Ratio)...)
	})
	st.Summary = firstOf(st.Summary, maxEntries, func(e v1alpha1.SummaryEntry) (v1alpha1.SummaryEntry, bool) {
		texts := append(textsOf(e.Labels), e.Target, e.Name, e.Unit, e.Median, e.IntervalLow, e.IntervalHigh)
		for name, value := range e.Parameters {
			texts = append(texts, name, value.String())
		}
		return v1alpha1.SummaryEntry{
			Cell: e.Cell, Parameters: e.Parameters, Labels: e.Labels, Target: shared(e.Target), Name: shared(e.Name), Unit: shared(e.Unit),
			Median: e.Median, IntervalLow: e.IntervalLow, IntervalHigh: e.IntervalHigh, TrialCount: e.TrialCount,
		}, room.takes(texts...)
	})
	for i := range st.Findings {
		f := &st.Findings[i]
		f.Check, f.Severity = shared(f.Check), shared(f.Severity)
		f.Trial, f.Client, f.Target, f.Message = nil, nil, "", ""
	}
}

// firstOf a list, at most so many, each without what nobody reads.
func firstOf[E any](list []E, most int, slim func(E) (E, bool)) []E {
	kept := make([]E, 0, min(len(list), most))
	for _, e := range list[:min(len(list), most)] {
		slimmed, has := slim(e)
		if !has {
			break
		}
		kept = append(kept, slimmed)
	}
	if len(kept) == 0 {
		return nil
	}
	return slices.Clip(kept)
}

func unlikeOf(c v1alpha1.ComparisonEntry) (texts []string) {
	for _, u := range c.Unlike {
		texts = append(texts, u.Factor, u.Value, u.Baseline)
	}
	return texts
}

func textsOf(m map[string]string) (texts []string) {
	for name, value := range m {
		texts = append(texts, name, value)
	}
	return texts
}

// shared is a text that many runs have, once in the memory.
func shared(s string) string { return unique.Make(s).Value() }
