package integrity

import (
	"cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Walk goes along the records of a run, from the first part to the last.
type Walk struct {
	head    string
	totals  contract.Totals
	parts   int32
	records int32
	// broken: nothing behind the first disagreement can be compared.
	broken bool
}

// NewWalk begins behind the plan, whose last part has the digest.
func NewWalk(plan string) *Walk { return &Walk{head: plan} }

// Part goes along the next part, which is in the ConfigMap of the name.
func (w *Walk) Part(name string, part journal.Records) []Finding {
	if w.broken {
		return nil
	}
	head, err := part.CheckLinks(w.head)
	var found []Finding
	switch {
	case part.Part != w.parts:
		found = append(found, tampered(name, "it says that it is part %d, and is part %d", part.Part, w.parts))
	case part.Before != w.totals:
		found = append(found, tampered(name, "it counts %d trials before it, and there are %d", part.Before.Done, w.totals.Done))
	case err != nil:
		found = append(found, tampered(name, "%v", err))
	}
	w.head, w.totals, w.parts = head, part.Totals(), w.parts+1
	w.records += int32(len(part.Records))
	w.broken = len(found) > 0
	return found
}

// End compares the end of the records with the anchor, and with the trials that the status
// counts.
func (w *Walk) End(anchor v1alpha1.IntegrityStatus, shown v1alpha1.Totals) []Finding {
	switch {
	case w.broken:
		return nil
	case w.head != anchor.Head:
		return []Finding{tampered(statusOf, "the status says that the last record has the SHA-256 %.12s, and it has %.12s", cmp.Or(anchor.Head, "nothing"), cmp.Or(w.head, "nothing"))}
	case w.records != anchor.RecordCount:
		return []Finding{tampered(statusOf, "the status counts %d records, and there are %d", anchor.RecordCount, w.records)}
	case v1alpha1.Totals(w.totals) != shown:
		return []Finding{tampered(statusOf, "status.progress counts %+v, and the records %+v", shown, v1alpha1.Totals(w.totals))}
	}
	return nil
}
