package client

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-bench/assay/internal/contract"
)

// data is what is known of the tables; it is made when something is.
func (e *execution) data() *contract.Data {
	if e.res.Data == nil {
		e.res.Data = &contract.Data{}
	}
	return e.res.Data
}

// operate has the target's agent copy the data directory. It asks again until the
// trial's deadline while no answer comes: the name of the trial's ConfigMap, which
// is another for every attempt, makes sure that it is done once.
func (e *execution) operate(ctx context.Context, path string) (contract.Copy, error) {
	var done contract.Copy
	err := e.retry(ctx, "ask the target's agent for "+path, func(ctx context.Context) error {
		return e.target.post(ctx, path, contract.Operation{ID: e.Trial}, &done)
	})
	return done, err
}

// restore has the data directory put back from its snapshot.
func (e *execution) restore(ctx context.Context) *contract.Failure {
	reset := &contract.ResetReport{Method: contract.ResetSnapshot, Started: time.Now()}
	done, err := e.operate(ctx, contract.PathRestore)
	reset.Ended = time.Now()
	e.data().Reset = reset
	if err != nil {
		return &contract.Failure{Reason: contract.ReasonResetFailed, Message: fmt.Sprintf("restoring the snapshot of the data: %v", err)}
	}
	reset.Copy = &done
	return nil
}

// reload has the tool drop its tables and load them again.
func (e *execution) reload(ctx context.Context) *contract.Failure {
	reset := &contract.ResetReport{Method: contract.ResetReload, Started: time.Now()}
	e.data().Reset = reset
	// The other clients wait: whatever they share of the load is done here.
	alone := e.trial
	alone.Clients = 1
	defer func() { reset.Ended = time.Now() }()
	for _, phase := range []contract.Phase{contract.PhaseCleanup, contract.PhasePrepare} {
		if failure := e.reloadPhase(ctx, alone, phase); failure != nil {
			return &contract.Failure{Reason: contract.ReasonResetFailed,
				Message: fmt.Sprintf("reloading the data, phase %s: %s: %s", phase, failure.Reason, failure.Message)}
		}
	}
	return nil
}

func (e *execution) reloadPhase(ctx context.Context, trial contract.Trial, phase contract.Phase) *contract.Failure {
	if e.skips(phase) {
		return nil
	}
	command, err := e.runner.Command(trial, phase, e.credentials)
	if err != nil {
		return invalid(err)
	}
	tool, failure := e.prepare("reset-"+rawName(phase), command, e.credentials.Password)
	if failure != nil {
		return failure
	}
	in, failure := e.start(ctx, tool)
	if failure != nil {
		return in.withLastWord(failure)
	}
	report := e.runner.Parse(trial, phase, in.output)
	for _, p := range report.Problems {
		p.Source = "reset-" + p.Source
		e.res.Problems = append(e.res.Problems, p)
	}
	return in.withLastWord(report.Failure)
}

// verify holds the tables against those that Prepare left.
func (e *execution) verify(ctx context.Context) *contract.Failure {
	began := time.Now()
	tables, err := e.tables(ctx)
	if err != nil {
		return lost(err)
	}
	data := e.data()
	data.Tables, data.Reset.VerifySeconds = tables, time.Since(began).Seconds()
	found := compareTables(tables, e.trial.Reset.Tables)
	if e.trial.Reset.Method == contract.ResetReload {
		// A tool may load other random data; the same number of rows is what counts.
		for _, text := range found.checksums {
			e.problem("reset", "%s", text)
		}
		found.checksums = nil
	}
	if text := found.text(); text != "" {
		return &contract.Failure{Reason: contract.ReasonDataDiffers, Message: fmt.Sprintf(
			"after the reset (%s) the data is not what was loaded: %s", e.trial.Reset.Method, text)}
	}
	return nil
}

// tables asks for the rows and checksums of all tables, and takes down where a checksum
// could not be had: without it, tables of the same number of rows count as the same.
func (e *execution) tables(ctx context.Context) ([]contract.Table, error) {
	tables, unchecked, err := e.server.Tables(ctx)
	if unchecked != "" {
		e.problem(contract.SourceChecksum, "%s", unchecked)
	}
	return tables, err
}

// count takes down what Prepare left in the schema, and holds it against what the tool
// says that it loads: exit codes prove nothing.
func (e *execution) count(ctx context.Context) *contract.Failure {
	tables, err := e.tables(ctx)
	if err != nil {
		return lost(err)
	}
	e.data().Tables = tables
	if err := e.countLoaded(ctx); err != nil {
		return lost(err)
	}
	return e.checkRows()
}

// snapshot has the loaded data kept, for restore.
func (e *execution) snapshot(ctx context.Context) *contract.Failure {
	done, err := e.operate(ctx, contract.PathSnapshot)
	if err != nil {
		return &contract.Failure{Reason: contract.ReasonSnapshotFailed, Message: fmt.Sprintf("taking a snapshot of the loaded data: %v", err)}
	}
	e.data().Snapshot = &done
	return nil
}
