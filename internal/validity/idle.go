package validity

import (
	"cmp"
	"fmt"

	"github.com/assay-bench/assay/engines/engine"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// idleStatements: a tool of which nobody knows what its operations are to change may still
// be told that its statements changed fewer rows than there were statements. It is a
// warning, as that may be what it is meant to do. Both numbers are the server's, so that it
// does not matter whose statements they were.
func idleStatements(r contract.Result, f runner.Facts) string {
	if r.Server == nil || f.Verified || f.WritesPerOperation > 0 || promisedRows(r, f).Sum() > 0 {
		return ""
	}
	deltas := r.Server.StatusDelta
	counters, ok := engine.CountersOfRows(r.Server.Version, cmp.Or(f.StorageEngine, r.Server.Variables["default_storage_engine"]))
	if !ok {
		return ""
	}
	for _, kind := range []struct{ statement, several, rows string }{
		{"Com_update", "Com_update_multi", counters.Updated}, {"Com_delete", "Com_delete_multi", counters.Deleted},
	} {
		statements, told := counter(deltas, kind.statement)
		several, _ := counter(deltas, kind.several) // no server lacks only one of them
		rows, known := counter(deltas, kind.rows)
		statements += several
		if !told || !known || rows < 0 || statements < fewWrites {
			continue
		}
		if idle := 1 - rows/statements; idle > noOpMost {
			return fmt.Sprintf("the server executed %.0f statements (%s) and changed %.0f rows (%s): at least %.1f %% of them changed nothing, and may count as work: "+
				"look whether the rows are gone, or have the value already", statements, kind.statement, rows, kind.rows, 100*idle)
		}
	}
	return ""
}
