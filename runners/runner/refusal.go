package runner

import (
	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Cause is what an error means for a run, and what to do.
type Cause struct {
	Reason contract.Reason
	Remedy string
}

// Refusals turn the errors of a server into causes, for one phase of a tool.
type Refusals struct {
	Phase contract.Phase
	TLS   contract.TLSMode
	// Loads: the workload loads its data itself.
	Loads bool
	// Remedies of the tool, for errors about which it knows more than the table.
	Remedies map[servererror.Kind]string
}

// CauseOf an error of this kind, in the words of the server.
func (r Refusals) CauseOf(kind servererror.Kind, text string) Cause {
	kind = kind.In(r.Phase)
	c := Cause{kind.Reason(), kind.RemedyFor(text)}
	if own, has := r.Remedies[kind]; has {
		c.Remedy = own
	}
	switch {
	case kind == servererror.Missing:
		c.Remedy = missingRemedy(r.Phase, r.Loads)
	case kind == servererror.AccessDenied && r.TLS != contract.TLSRequired:
		// Servers refuse an account that requires TLS with the same number as one with a wrong password.
		c.Remedy += "; or the account requires TLS, and the target's tls is Disabled"
	}
	return c
}

// missingRemedy is about a schema or a table that is not there. What is true depends on the
// phase, and on whether the tool loads data at all: who has loaded need not be told to load.
func missingRemedy(p contract.Phase, loads bool) string {
	switch {
	case p == contract.PhasePrepare:
		return "create the schema that the target names first, or correct its name: the load makes tables, and no schema"
	case p == contract.PhaseCleanup:
		return "it is gone already: something else dropped it"
	case !loads:
		return "the workload has nothing that loads data, so that schema and tables have to be there before the run: make them, or add a phase that does"
	}
	return "the load of this run made it, and it is gone: look for what dropped it, and give the run a schema that nobody else uses"
}
