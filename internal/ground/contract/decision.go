package contract

import "fmt"

// Decision is what follows a trial where the plan says only what is possible: a run that may stop early, or a search.
// It stands in the record of the trial after which it was taken, so that it is stored with it, before anything of the
// next trial exists: no manager takes it a second time. It follows from the spec and from the records up to this one
// alone. A record without a decision is followed by the next trial of the plan.
type Decision struct {
	// Stop: no trial follows.
	Stop bool `json:"stop,omitempty"`
	// Next is the index of the trial that follows, behind this one; those between are skipped.
	// Absent: the next one of the plan.
	Next *int32 `json:"next,omitempty"`
	// Rate that each client offers in the trial that follows, in operations per second. 0: what the spec says.
	Rate int64 `json:"rate,omitempty"`
	// Why, for people, with the numbers.
	Why string `json:"why"`
	// Forecast of the rest of a run that decides after its blocks whether another one follows; absent before its pilot has
	// ended, unless time ends it, and for any other.
	Forecast *Forecast `json:"forecast,omitempty"`
}

// Forecast is what the blocks of a run say of its rest, as status.plan.analysis.forecast has it.
type Forecast struct {
	// AfterBlocks were measured.
	AfterBlocks int32 `json:"afterBlocks"`
	// Precision to within which the least certain ratio is known, as a share such as 0.031; empty where it is not known.
	Precision string `json:"precision,omitempty"`
	// ExpectedBlocks in all until the wanted precision is reached; absent where none is wanted or the spread is not known.
	ExpectedBlocks *int32 `json:"expectedBlocks,omitempty"`
	// MostBlocks that fit into the plan and its time.
	MostBlocks int32 `json:"mostBlocks"`
	// Reachable is the precision that so many blocks are expected to reach, as a share; empty where it is not known.
	Reachable string `json:"reachable,omitempty"`
}

// maxWhy of a decision, in bytes.
const maxWhy = 1024

// Check fails for a decision that cannot follow a record of a plan with so many trials. Trials of 0 are not known.
func (d Decision) Check(rec Record, trials int32) error {
	switch {
	case !rec.Final:
		return fmt.Errorf("a decision follows attempt %d at trial %d, which is tried again", rec.Attempt, rec.Index)
	case d.Next != nil && (*d.Next <= rec.Index || trials > 0 && *d.Next >= trials):
		return fmt.Errorf("trial %d is to be followed by trial %d, of %d", rec.Index, *d.Next, trials)
	case d.Stop && (d.Next != nil || d.Rate != 0):
		return fmt.Errorf("the decision after trial %d both stops and goes on", rec.Index)
	case d.Rate < 0:
		return fmt.Errorf("the decision after trial %d offers a rate of %d", rec.Index, d.Rate)
	case len(d.Why) > maxWhy:
		return fmt.Errorf("the decision after trial %d explains itself in %d bytes, and has at most %d", rec.Index, len(d.Why), maxWhy)
	}
	return nil
}
