package client

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// statusDelta is the difference of every counter with a number in both readings.
func statusDelta(before, after map[string]string) map[string]float64 {
	delta := map[string]float64{}
	for name, text := range after {
		later, err := finite(text)
		if err != nil {
			continue
		}
		if earlier, err := finite(before[name]); err == nil {
			delta[name] = later - earlier
		}
	}
	return delta
}

func finite(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(n) || math.IsInf(n, 0)) {
		return 0, strconv.ErrRange
	}
	return n, err
}

// changed are the later values of variables that differ, without variables that are counters.
func changed(before, after map[string]string) map[string]string {
	out := map[string]string{}
	for name, later := range after {
		if earlier, there := before[name]; !settings.Moves(name) && (!there || earlier != later) {
			out[name] = later
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// formatPairs writes one name and value per line, in the order of the names.
func formatPairs(values map[string]string) []byte {
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&out, "%s\t%s\n", name, values[name])
	}
	return out.Bytes()
}

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

// levelOf is what the storage engine has put off, by the server's latest status; nil where it shows nothing of it.
func levelOf(facts serverFacts, storageEngine string, status map[string]string) *contract.Level {
	storage, _ := engines.StorageOf(*facts.server, storageEngine)
	debt := storage.Debt
	if debt == nil {
		return nil
	}
	gauge := func(names ...string) *int64 {
		for _, name := range names {
			if n, known := statusOf(status, name); known && n >= 0 {
				return &n
			}
		}
		return nil
	}
	level := contract.Level{DirtyBytes: gauge(debt.Dirty), HistoryLength: gauge(debt.History...)}
	if end, paid := gauge(debt.LogEnd), gauge(debt.LogPaid); end != nil && paid != nil && *end >= *paid {
		level.CheckpointAgeBytes = new(*end - *paid)
	}
	if level == (contract.Level{}) {
		return nil
	}
	return &level
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
