package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// copyData requests a copy of the data directory from the target's agent. It repeats the
// request until the trial's deadline; the ID, the name of the trial's ConfigMap, is unique for
// every attempt, so the copy is made once.
func copyData(ctx context.Context, s session, path string) (contract.Copy, error) {
	return operate(ctx, s, path, contract.Operation{ID: s.Trial})
}

// starting is the operation of a trial after which the server starts: with the settings that only a start changes.
func starting(s session) contract.Operation {
	return contract.Operation{ID: s.Trial, Settings: s.trial.SettingsBy(true)}
}

// operate requests any operation.
func operate(ctx context.Context, s session, path string, op contract.Operation) (contract.Copy, error) {
	var done contract.Copy
	err := s.retry(ctx, "ask the target's agent for "+path, func(ctx context.Context) error {
		return s.target.post(ctx, path, op, &done)
	})
	return done, err
}

// restore requests the restore of the data directory from its snapshot.
func restore(ctx context.Context, s session) outcome[*contract.ResetReport] {
	reset := &contract.ResetReport{Method: contract.ResetSnapshot, Started: time.Now()}
	o := outcome[*contract.ResetReport]{found: reset}
	done, err := operate(ctx, s, contract.PathRestore, starting(s))
	reset.Ended = time.Now()
	if f := refusedSetting(err); f != nil {
		return o.failed(f)
	}
	if err != nil {
		return o.failed(failed(contract.ReasonResetFailed, "restoring the snapshot of the data: %v", err))
	}
	reset.Copy = &done
	return o
}

// reload lets the tool drop its tables and load them again.
func reload(ctx context.Context, s session) outcome[*contract.ResetReport] {
	reset := &contract.ResetReport{Method: contract.ResetReload, Started: time.Now()}
	o := outcome[*contract.ResetReport]{found: reset}
	// The other clients wait: this client also loads their parts, and the data of all tenants.
	for i, trial := range alone(s.role) {
		own, folder, what := s, "reset-", "the data"
		own.trial = trial
		if i > 0 {
			folder, what = fmt.Sprintf("reset-tenant-%d-", trial.Tenant), fmt.Sprintf("the data of tenant %d", trial.Tenant)
		}
		for _, phase := range []contract.Phase{contract.PhaseCleanup, contract.PhasePrepare} {
			if failure := note(&o, reloadPhase(ctx, own, folder, phase)); failure != nil {
				o.failure = failed(contract.ReasonResetFailed, "reloading %s, phase %s: %s: %s", what, phase, failure.Reason, failure.Message)
				reset.Ended = time.Now()
				return o
			}
		}
	}
	reset.Ended = time.Now()
	return o
}

func reloadPhase(ctx context.Context, s session, folder string, phase contract.Phase) (o outcome[struct{}]) {
	if s.skips(phase) {
		return o
	}
	_, report, failure := s.runPhase(ctx, folder+rawName(phase), phase)
	for _, p := range report.Problems {
		p.Source = "reset-" + p.Source
		o.problems = append(o.problems, p)
	}
	return o.failed(failure)
}

// tableCount has the tables, and the time to count them.
type tableCount struct {
	tables  []contract.Table
	seconds float64
}

// verify compares the tables with those after Prepare.
func verify(ctx context.Context, s session) outcome[tableCount] {
	o := countTables(ctx, s)
	if o.failure != nil {
		return o
	}
	differ := compareTables(o.found.tables, s.trial.Reset.Tables)
	if s.trial.Reset.Method == contract.ResetReload {
		takeStatistics(ctx, s, &o, o.found.tables)
		// A tool may load other random data; only the numbers of rows must be equal.
		for _, text := range differ.checksums {
			o.problem("reset", "%s", text)
		}
		differ.checksums = nil
	}
	if text := differ.text(); text != "" {
		return o.failed(failed(contract.ReasonDataDiffers, "after the reset (%s) the data is not what was loaded: %s",
			s.trial.Reset.Method, text))
	}
	return o
}

// countTables queries the rows and checksums of all tables, and records where a checksum
// is unavailable: without it, tables of the same number of rows count as the same.
func countTables(ctx context.Context, s session) (o outcome[tableCount]) {
	began := time.Now()
	tables, unchecked, err := s.server.Tables(ctx)
	if unchecked != "" {
		o.problem(contract.SourceChecksum, "%s", unchecked)
	}
	if err != nil {
		return o.failed(lost(err))
	}
	o.found = tableCount{tables, time.Since(began).Seconds()}
	return o
}

// loadedData has the tables after Prepare.
type loadedData struct {
	tables []contract.Table
	rows   *contract.CountedRows
}

// countLoaded counts the rows in the schema when all clients have ended, and compares them
// with the expected rows of the tool: exit codes alone are not trusted.
func countLoaded(ctx context.Context, s session, facts serverFacts) (o outcome[*loadedData]) {
	if s.trial.Existing {
		return lookAtExisting(ctx, s)
	}
	var count tableCount
	if failure := part(&o, &count, countTables(ctx, s)); failure != nil {
		return o.failed(failure)
	}
	o.found = &loadedData{tables: count.tables}
	if s.trial.Loads {
		return o.failed(emptyBefore(s, count.tables))
	}
	if fetches(s.role) {
		if f := sameAsMade(count.tables, *s.offer.Restore); f != nil {
			return o.failed(f)
		}
	} else { // what is restored has those of the load
		takeStatistics(ctx, s, &o, count.tables)
	}
	var status map[string]string
	if failure := part(&o, &status, counted(ctx, s)); failure != nil {
		return o.failed(failure)
	}
	o.found.rows = countRows(facts, s.trial.Endpoint.StorageEngine, status)
	return o.failed(checkRows(s, count.tables))
}

// lookAtExisting data, as far as the tool needs it. Nothing is written, and tables that it would take long to count are estimated.
func lookAtExisting(ctx context.Context, s session) (o outcome[*loadedData]) {
	want, err := s.runner.Rows(s.trial)
	if err != nil {
		return o.failed(invalid(err))
	}
	tables, err := s.server.Look(ctx, slices.Collect(maps.Keys(want)))
	if err != nil {
		return o.failed(lost(err))
	}
	o.found = &loadedData{tables: tables}
	if text := tooFewRows(tables, want).text(); text != "" {
		return o.failed(failed(contract.ReasonDataDiffers, "the schema %s does not hold what the workload needs: %s: "+
			"load it first, give the workload the size of what is there, or let the run load its own (data: Loaded for a schema without these tables, or no storage.fromRun)", s.trial.Endpoint.Database, text))
	}
	return o
}

// takeStatistics of tables that were just loaded, and say whether all have some. A server without them can be measured: the problem is a finding.
func takeStatistics[T any](ctx context.Context, s session, o *outcome[T], tables []contract.Table) bool {
	without := s.server.Analyze(ctx, tables)
	if without != "" {
		o.problem("server/analyze", "%s", without)
	}
	return without == ""
}

// checkRows compares the rows after Prepare with the expected rows.
func checkRows(s session, tables []contract.Table) *contract.Failure {
	want, err := s.runner.Rows(s.trial)
	if err != nil {
		return invalid(err)
	}
	return compareRows(tables, s.all.Everywhere(want))
}

func compareRows(tables []contract.Table, want map[string]int64) *contract.Failure {
	if text := missingRows(tables, want).text(); text != "" {
		return failed(contract.ReasonDataDiffers, "the tool ended well, but did not load what was asked for: %s", text)
	}
	return nil
}

// takeSnapshot requests a snapshot of the loaded data.
func takeSnapshot(ctx context.Context, s session) (o outcome[*contract.Copy]) {
	done, err := copyData(ctx, s, contract.PathSnapshot)
	if err != nil {
		return o.failed(failed(contract.ReasonSnapshotFailed, "taking a snapshot of the loaded data: %v", err))
	}
	o.found = &done
	return o
}
