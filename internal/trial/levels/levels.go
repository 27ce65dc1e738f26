// Package levels has what a measured window began with: work that the load, a warm-up or earlier windows left to the server. It is
// pure.
//
// In: the merged result of a trial, or of each of its servers. Out: measurements with a unit, and without a direction: a level is a circumstance of a window,
// and no achievement. A level that the server does not tell is absent, never 0. It refuses nothing.
package levels

import (
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Names of the measurements: levels at the begin of the window that the counters of the server cover. Those at its end are in the
// result.
const (
	// Log is the log, in bytes, whose changed pages the storage engine has still to flush. Its growth in the window, per operation, is cost.debt.
	Log = "debt.log"
	// Pages are the changed pages in the cache that are not on the device, in bytes.
	Pages = "debt.pages"
	// History is the number of committed transactions whose old versions of rows are still to be purged.
	History = "debt.history"
)

// Names of all levels, in the order in which they are shown.
func Names() []string { return []string{Log, Pages, History} }

// Of a trial: what its window began with, by the merged result of each of its servers. Of several servers it is their sum; what one of them does not
// tell is absent.
func Of(servers ...contract.Result) []contract.Measurement {
	var out []contract.Measurement
	for i, merged := range servers {
		own := of(merged)
		if i == 0 {
			out = own
			continue
		}
		out = slices.DeleteFunc(out, func(sum contract.Measurement) bool {
			more := slices.IndexFunc(own, func(m contract.Measurement) bool { return m.Name == sum.Name })
			if more >= 0 {
				*sum.Value += *own[more].Value
			}
			return more < 0
		})
	}
	return out
}

func of(merged contract.Result) []contract.Measurement {
	if merged.State != contract.Succeeded || merged.Server == nil || merged.Server.Levels == nil || merged.Server.Levels.Begin == nil {
		return nil
	}
	var out []contract.Measurement
	begin := merged.Server.Levels.Begin
	for _, level := range []struct {
		name, unit string
		value      *int64
	}{{Log, "B", begin.CheckpointAgeBytes}, {Pages, "B", begin.DirtyBytes}, {History, "1", begin.HistoryLength}} {
		if level.value != nil {
			out = append(out, contract.Measurement{Name: level.name, Unit: level.unit, Value: new(float64(*level.value))})
		}
	}
	return out
}
