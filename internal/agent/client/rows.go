package client

import (
	"math"
	"strings"
	"time"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// countRows is the number of rows that the server has changed so far, by its latest status;
// nil where it does not count them.
func countRows(facts serverFacts, storageEngine string, status map[string]string) *contract.CountedRows {
	server := facts.server
	counters, _ := engines.StorageOf(*server, storageEngine)
	uptime, known := statusOf(status, "Uptime")
	if counters.Rows == nil || !known {
		return nil
	}
	rows := &contract.CountedRows{Started: time.Now().Add(-time.Duration(uptime) * time.Second).Truncate(time.Second).UTC()}
	for _, c := range []struct {
		name string
		to   *int64
	}{{counters.Rows.Inserted, &rows.Inserted}, {counters.Rows.Updated, &rows.Updated}, {counters.Rows.Deleted, &rows.Deleted}} {
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
