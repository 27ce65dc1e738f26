package decision

// AdmitBytes asks what the results of all other runs hold, for a run whose objects may take so many
// bytes of etcd. Where the budgets have room for them beside that, what is written when the run is
// accepted counts from now on.
type AdmitBytes struct {
	// Held are the bytes that are written at once, Bytes all of them.
	Held, Bytes int64
}

func (AdmitBytes) isQuery() {}

// Usage is what the other runs hold of a budget, in bytes.
type Usage struct {
	// Held is what they have written.
	Held int64
	// Limit is the budget of all runs together.
	Limit int64
}

// Admission is the answer to AdmitBytes.
type Admission struct {
	// Namespace of the run, and all namespaces of the manager.
	Namespace, Cluster Usage
}

// Admit a run with these bytes.
func (a *Asking) Admit(held, bytes int64) Fact[Admission] {
	return lookUp[Admission](a, AdmitBytes{held, bytes})
}
