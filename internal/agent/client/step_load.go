package client

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// followLoad does what follows a load that was measured: the server stops, and so writes what it had put off, the tables get their statistics,
// and their rows are counted, because exit codes alone are not trusted. What may fail without the load being another one is a problem.
func followLoad(ctx context.Context, s session) outcome[*contract.LoadReport] {
	o := outcome[*contract.LoadReport]{found: &contract.LoadReport{}}
	want, err := s.runner.Leaves(s.trial)
	if err != nil {
		return o.failed(invalid(err))
	}
	if s.target != nil && !s.replicated() {
		done, err := operate(ctx, s, contract.PathRestart, contract.Operation{ID: s.Trial + flushing, Settings: starting(s).Settings})
		if err != nil && ctx.Err() != nil {
			return o.failed(failed(contract.ReasonResetFailed, "stopping the server after the load: %v", err))
		}
		if err != nil {
			o.problem("server/flush", "how long the server takes to write what it had put off is not known: stopping it failed: %v", err)
		}
		o.found.FlushSeconds = done.StopSeconds
		if sets(s.role) { // the new start has not what was set while the server ran
			if failure := set(ctx, s); failure != nil {
				return o.failed(failure)
			}
		}
	}
	if len(want) > 0 {
		var tables []contract.Table
		for _, name := range slices.Sorted(maps.Keys(want)) {
			tables = append(tables, contract.Table{Name: name})
		}
		began := time.Now()
		if takeStatistics(ctx, s, &o, tables) {
			o.found.StatisticsSeconds = new(time.Since(began).Seconds())
		}
	}
	if o.found.Tables, err = s.server.Count(ctx); err != nil {
		return o.failed(lost(err))
	}
	return o.failed(compareRows(o.found.Tables, want))
}

// emptyBefore the first load: no table of the tool may be there.
func emptyBefore(s session, tables []contract.Table) *contract.Failure {
	own, err := s.runner.Leaves(s.trial)
	if err != nil {
		return invalid(err)
	}
	for _, t := range tables {
		if contract.Lists(own, t.Name) {
			return failed(contract.ReasonSchemaNotEmpty, "each trial makes the table %s, and there is one in the schema %s: drop it, or use an empty schema", t.Name, s.trial.Endpoint.Database)
		}
	}
	return nil
}

// flushing tells the restart that follows a load from that before it.
const flushing = "-flush"
