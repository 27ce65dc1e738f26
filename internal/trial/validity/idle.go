package validity

import (
	"fmt"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// idleStatements: statements changed fewer rows than there were statements, for a tool whose
// expected changes are unknown. It is only a warning, because that may be intended. Both
// numbers come from the server, so they include all clients.
func idleStatements(r contract.Result, e runner.Expectations) string {
	if r.Server == nil || e.Verified || e.WritesPerOperation > 0 || promisedRows(r, e).Sum() > 0 {
		return ""
	}
	deltas := r.Server.StatusDelta
	known, _ := engines.StorageOf(*r.Server, e.StorageEngine)
	if known.Rows == nil {
		return ""
	}
	for _, kind := range []struct{ statement, several, rows string }{
		{"Com_update", "Com_update_multi", known.Rows.Updated}, {"Com_delete", "Com_delete_multi", known.Rows.Deleted},
	} {
		statements, told := engines.Counter(deltas, kind.statement)
		several, _ := engines.Counter(deltas, kind.several) // no server lacks only one of them
		rows, known := engines.Counter(deltas, kind.rows)
		statements += several
		if !told || !known || rows < 0 || statements < fewWrites {
			continue
		}
		if idle := 1 - rows/statements; idle > noOpMost {
			return fmt.Sprintf("the server executed %.0f statements (%s) and changed %.0f rows (%s): at least %.1f %% of them changed nothing: "+
				"check whether the rows are gone, or have the value already", statements, kind.statement, rows, kind.rows, 100*idle)
		}
	}
	return ""
}
