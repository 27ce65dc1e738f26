package validity

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// replicaBroke: without one of its replicas, a primary has less work than requested.
func replicaBroke(r contract.Result, _ runner.Expectations) string {
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

// unacknowledged are the counters of commits without a replica's acknowledgement in
// semi-synchronous replication: since MySQL 8.0.26, and of other servers.
var unacknowledged = []string{"Rpl_semi_sync_source_no_tx", "Rpl_semi_sync_master_no_tx"}

// notSemiSync: a primary stops waiting for a late replica after a timeout; replication is then
// asynchronous.
func notSemiSync(r contract.Result, _ runner.Expectations) string {
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
