package journal

// Position is the next attempt: of the trial at Index of the plan.
type Position struct {
	Index, Attempt int32
	// Rate that each client offers, in operations per second; 0 for what the spec says.
	Rate int64
	// Stopped: nothing follows, whatever the plan still has. Index is that of the trial behind the
	// last one.
	Stopped bool
}

// Ends says that no trial is left of a plan with so many.
func (p Position) Ends(trials int) bool { return p.Stopped || int(p.Index) >= trials }

// Position is derived from the last record and its decision, because trials are measured one at a
// time in the order of the plan. Another attempt offers the same rate. It is the same whoever reads
// the records, and before and after a new part.
func (r Records) Position() Position {
	last := r.Last()
	switch {
	case last == nil:
		return r.next
	case !last.Final:
		return Position{Index: last.Index, Attempt: last.Attempt + 1, Rate: last.Rate}
	case last.Decision == nil:
		return Position{Index: last.Index + 1}
	}
	d := last.Decision
	at := Position{Index: last.Index + 1, Rate: d.Rate, Stopped: d.Stop}
	if d.Next != nil {
		at.Index = *d.Next
	}
	return at
}
