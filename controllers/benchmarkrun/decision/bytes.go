package decision

// ReserveBytes asks whether the objects of this run may take so many bytes of etcd, beside
// those of all other runs. What is granted counts from now on, until the status of the run
// says it, or the run ends.
type ReserveBytes struct{ Bytes int64 }

func (ReserveBytes) isQuery() {}

// Usage is what the other runs take of a budget, in bytes.
type Usage struct {
	// Held by runs that have ended.
	Held int64
	// Reserved for runs that go on.
	Reserved int64
	// Limit is the budget of all runs together.
	Limit int64
}

// Fits says whether so many more bytes are within the budget.
func (u Usage) Fits(bytes int64) bool { return u.Held+u.Reserved+bytes <= u.Limit }

// WillFit says whether they are once every run has ended and holds nothing.
func (u Usage) WillFit(bytes int64) bool { return u.Held+bytes <= u.Limit }

// Reservation is the answer to ReserveBytes. The bytes are granted exactly when they fit into
// both budgets.
type Reservation struct {
	// Namespace of the run, and all namespaces of the manager.
	Namespace, Cluster Usage
}

// Reserve bytes for the run.
func (a *Asking) Reserve(bytes int64) Fact[Reservation] {
	return lookUp[Reservation](a, ReserveBytes{bytes})
}
