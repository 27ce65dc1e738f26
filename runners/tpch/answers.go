package tpch

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// answers are results that were compared: with go-tpc's answers, or with what another thread got. A wrong one is no failure of the tool, so
// that no attempt follows until the server is right: validity.Check says that the trial does not count.
func (r *reading) answers(p Params) *contract.Answers {
	out, told := &contract.Answers{}, map[string]bool{}
	for _, c := range r.complaints {
		if c.differs && !told[c.query] {
			told[c.query] = true
			out.Wrong = append(out.Wrong, fmt.Sprintf("%s has another result than go-tpc's answers (%s)", c.query, runner.Abridge(c.text)))
		}
	}
	queries := gotpc.ByQuery(r.executions)
	for _, query := range gotpc.InOrder(queries) {
		all := queries[query]
		if p.checked() || len(all) > 1 {
			out.Compared += int64(len(all))
		}
		if i := slices.IndexFunc(all, func(e gotpc.Execution) bool { return e.Rows != all[0].Rows || e.Checksum != all[0].Checksum }); i >= 0 {
			out.Wrong = append(out.Wrong, fmt.Sprintf("%s returned %d rows with the checksum %d, and %d rows with the checksum %d on the same data%s",
				query, all[0].Rows, all[0].Checksum, all[i].Rows, all[i].Checksum, orTied(query)))
		}
	}
	return out
}

// stoppedAtAResult: go-tpc found another result than its answers, and ended the thread.
func (r *reading) stoppedAtAResult() bool {
	return slices.ContainsFunc(r.complaints, func(c complaint) bool { return c.differs })
}

// partlyOrdered are the queries with a LIMIT whose ORDER BY does not order all rows.
var partlyOrdered = []string{"q3", "q10", "q18"}

// orTied is why a query may return two results of tables that nothing writes to, and no server be wrong.
func orTied(query string) string {
	if slices.Contains(partlyOrdered, query) {
		return ", where rows may tie at the LIMIT of the query, which does not order all of them"
	}
	return ""
}
