package client

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/assay-bench/assay/engines/engine"

	"github.com/assay-bench/assay/internal/contract"
)

// countRows takes down how many rows the server has changed so far, by what it said of its
// status just now; nothing where it does not count them.
func (e *execution) countRows(status map[string]string) {
	server := e.res.Server
	counters, ok := engine.CountersOfRows(server.Version, cmp.Or(e.trial.Endpoint.StorageEngine, server.Variables["default_storage_engine"]))
	uptime, known := statusOf(status, "Uptime")
	if !ok || !known {
		return
	}
	rows := &contract.CountedRows{Started: time.Now().Add(-time.Duration(uptime) * time.Second).Truncate(time.Second).UTC()}
	for _, c := range []struct {
		name string
		to   *int64
	}{{counters.Inserted, &rows.Inserted}, {counters.Updated, &rows.Updated}, {counters.Deleted, &rows.Deleted}} {
		if *c.to, known = statusOf(status, c.name); !known {
			return
		}
	}
	server.Rows = rows
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

// countLoaded is countRows for the end of loading, when all clients have ended.
func (e *execution) countLoaded(ctx context.Context) error {
	if e.res.Server == nil {
		return nil
	}
	status, err := e.server.Status(ctx)
	if err == nil {
		e.countRows(status)
	}
	return err
}
