package client

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// followLoad does what follows a load that was measured, and counts what it left: exit codes alone are not trusted. The rows are
// counted last, because that reads all of them: meanwhile a server may write what it has put off.
func followLoad(ctx context.Context, s session) outcome[*contract.LoadReport] {
	o := outcome[*contract.LoadReport]{found: &contract.LoadReport{}}
	want, err := s.runner.Leaves(s.trial)
	if err != nil {
		return o.failed(invalid(err))
	}
	if len(want) > 0 {
		var tables []contract.Table
		for _, name := range slices.Sorted(maps.Keys(want)) {
			tables = append(tables, contract.Table{Name: name})
		}
		began := time.Now()
		if without := s.server.Analyze(ctx, tables); without != "" {
			o.problem("server/analyze", "%s", without)
		} else {
			o.found.StatisticsSeconds = new(time.Since(began).Seconds())
		}
	}
	if s.target != nil && !s.replicated() {
		done, err := operate(ctx, s, contract.PathRestart, contract.Operation{ID: s.Trial + flushing, Settings: starting(s).Settings})
		if err != nil {
			return o.failed(failed(contract.ReasonResetFailed, "stopping the server after the load: %v", err))
		}
		o.found.FlushSeconds = done.StopSeconds
	}
	var count tableCount
	if failure := part(&o, &count, countTables(ctx, s)); failure != nil {
		return o.failed(failure)
	}
	o.found.Tables = count.tables
	return o.failed(compareRows(count.tables, want))
}

// flushing tells the restart that follows a load from that before it.
const flushing = "-flush"
