package gate

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// maxEntries and maxDifferences are the bounds of status.gate.
	maxEntries     = 64
	maxDifferences = 16
	// maxEntriesBytes of texts, labels and unlike factors are shown, to one entry: a tenant writes the labels of a
	// baseline, and a status that is too large ends no run.
	maxEntriesBytes = 64 << 10
)

// count the outcomes.
func (j *judgement) count() {
	for _, one := range j.all {
		switch one.outcome {
		case v1alpha1.OutcomeSlower:
			j.status.SlowerCount++
			j.status.JudgedCount++
		case v1alpha1.OutcomePassed:
			j.status.JudgedCount++
		case v1alpha1.OutcomeMissing:
			j.status.MissingCount++
		case v1alpha1.OutcomeNew:
			j.status.NewCount++
		}
	}
}

// listing of the entries of a status, as many as it has room for.
type listing struct {
	entries []v1alpha1.GateEntry
	bytes   int
}

// add an entry with its text, which is cut.
func (l *listing) add(e v1alpha1.GateEntry) {
	if len(l.entries) == maxEntries || l.bytes >= maxEntriesBytes {
		return
	}
	e.Text = contract.Cut(e.Text, maxText)
	l.bytes += sizeOf(e.Measurement) + len(e.Text)
	for _, u := range e.Unlike {
		l.bytes += len(u.Factor) + len(u.Value) + len(u.Baseline)
	}
	l.entries = append(l.entries, e)
}

// entriesOf all baselines: what is not as it should be first and, of that, all of the baselines that count: one that only informs
// takes no room from what an alarm has to know.
func entriesOf(all []*judgement) []v1alpha1.GateEntry {
	var out listing
	add := func(j *judgement, outcome v1alpha1.GateOutcome) {
		for _, one := range j.all {
			if one.outcome == outcome {
				one.entry.Outcome, one.entry.Measurement, one.entry.Baseline, one.entry.Text = one.outcome, one.key, j.status.Name, one.text
				out.add(one.entry)
			}
		}
	}
	group := func(counts bool, outcomes ...v1alpha1.GateOutcome) {
		for _, outcome := range outcomes {
			for _, j := range all {
				if j.counts() == counts && j.unread == "" {
					add(j, outcome)
				}
			}
		}
	}
	for _, counts := range []bool{true, false} {
		group(counts, v1alpha1.OutcomeSlower, v1alpha1.OutcomeMissing, v1alpha1.OutcomeNew, v1alpha1.OutcomeNotJudged)
	}
	group(true, v1alpha1.OutcomePassed)
	group(false, v1alpha1.OutcomePassed)
	return out.entries
}

// sizeOf the texts of a key, in bytes.
func sizeOf(k v1alpha1.MeasurementKey) int {
	n := len(k.Target) + len(k.Name) + len(k.Unit)
	for _, values := range []map[string]string{k.Parameters, k.Labels} {
		for name, value := range values {
			n += len(name) + len(value)
		}
	}
	return n
}
