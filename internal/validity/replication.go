package validity

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// replicaBroke: a primary without a replica that it is to have does less than was asked.
func replicaBroke(r contract.Result, _ runner.Facts) string {
	if r.Target == nil {
		return ""
	}
	var broken []string
	for _, replica := range r.Target.Replicas {
		if replica.Error != "" {
			broken = append(broken, fmt.Sprintf("replica %d: %s", replica.Index, replica.Error))
		}
	}
	return strings.Join(broken, "; ")
}

// unacknowledged are the counters of commits for which the primary did not wait until a
// replica had them, although replication is semi-synchronous: since MySQL 8.0.26, and of
// other servers.
var unacknowledged = []string{"Rpl_semi_sync_source_no_tx", "Rpl_semi_sync_master_no_tx"}

// notSemiSync: a primary whose replica is late goes on without it after a while, and is then
// one with asynchronous replication.
func notSemiSync(r contract.Result, _ runner.Facts) string {
	if r.Server == nil {
		return ""
	}
	for _, name := range unacknowledged {
		if n := r.Server.StatusDelta[name]; n > 0 {
			return fmt.Sprintf("%.0f commits were not acknowledged by a replica (%s): replication was asynchronous meanwhile", n, name)
		}
	}
	return ""
}
