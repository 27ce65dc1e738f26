package runner

import (
	"github.com/assay-bench/assay/internal/contract"
)

// MissingRemedy says what to do about a schema or a table that is not there. What is true
// depends on the phase, and on whether the tool loads data at all: who has loaded need not
// be told to load.
func MissingRemedy(p contract.Phase, loads bool) string {
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
