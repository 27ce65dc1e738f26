package client

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/assay-bench/assay/engines/engine"

	"github.com/assay-bench/assay/internal/contract"
)

// countRows is the number of rows that the server has changed so far, by its latest status;
// nil where it does not count them.
func countRows(facts serverFacts, storageEngine string, status map[string]string) *contract.CountedRows {
	server := facts.server
	counters, ok := engine.CountersOfRows(server.Version, cmp.Or(storageEngine, server.Variables["default_storage_engine"]))
	uptime, known := statusOf(status, "Uptime")
	if !ok || !known {
		return nil
	}
	rows := &contract.CountedRows{Started: time.Now().Add(-time.Duration(uptime) * time.Second).Truncate(time.Second).UTC()}
	for _, c := range []struct {
		name string
		to   *int64
	}{{counters.Inserted, &rows.Inserted}, {counters.Updated, &rows.Updated}, {counters.Deleted, &rows.Deleted}} {
		if *c.to, known = statusOf(status, c.name); !known {
			return nil
		}
	}
	return rows
}

// statusOf is a whole number among status variables, whatever the case of its name.
func statusOf(status map[string]string, name string) (int64, bool) {
	for other, text := range status {
		if n, err := finite(text); strings.EqualFold(other, name) && err == nil && math.Abs(n) < 1<<53 {
			return int64(n), true
		}
	}
	return 0, false
}
