package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// loadingOf is the tool of a run whose trials measure loads (design.measures). It refuses what cannot be: a load needs an empty schema before
// it, and nothing that exists.
func loadingOf(spec v1alpha1.BenchmarkRunSpec, tool runner.Runner, params json.RawMessage) (runner.Runner, error) {
	loading, err := tool.Loading(params)
	if err != nil {
		return runner.Runner{}, Refuse(v1alpha1.ReasonInvalidSpec, "spec.design.measures: Load, and spec.%v", err)
	}
	d := spec.Design
	for _, refused := range []struct {
		is   bool
		text string
	}{
		{d.DataReset != v1alpha1.ResetPerTrial, "spec.design.dataReset: a trial that measures a load (design.measures: Load) begins with an empty schema: set PerTrial"},
		{d.Warmup != nil && d.Warmup.Duration > 0, "spec.design.warmup: nothing can warm up before a load (design.measures: Load): leave it out, or set 0s"},
		{spec.Search != nil, "spec.search: no rate is offered to a load (design.measures: Load): leave search out"},
		{spec.Data != nil, "spec.data: the trials load the data themselves (design.measures: Load): leave data out"},
		{slices.ContainsFunc(spec.Targets, isJDBC), "spec.targets: the data of an external.jdbc target cannot be reset, and a trial that measures a load (design.measures: Load) begins with an empty schema: leave it out"},
		{spec.Clients.Count > 1 && !tool.Data.SharesLoad, "spec.clients.count: one client loads with spec.workload." + tool.Name + ": set 1"},
	} {
		if refused.is {
			return runner.Runner{}, Refuse(v1alpha1.ReasonInvalidSpec, "%s", refused.text)
		}
	}
	return loading, nil
}

// isJDBC: the target is reached by a JDBC driver.
func isJDBC(t v1alpha1.Target) bool { return t.External != nil && t.External.JDBC != nil }

// checkTables refuses a cell that makes other tables than the workload on a server whose tables the tool has to drop: it drops those that it
// is told of.
func checkTables(w Work, own map[string]int64, refuse func(string, ...any) error) error {
	if !slices.ContainsFunc(w.spec.Targets, func(t v1alpha1.Target) bool { return t.External != nil }) {
		return nil
	}
	all, err := w.Tool.Leaves(contract.Trial{Runner: w.Tool.Name, Workload: w.Params, Clients: w.Clients(), Loads: true})
	if err != nil || len(all) != len(own) || slices.ContainsFunc(slices.Collect(maps.Keys(own)), func(table string) bool { return !contract.Lists(all, table) }) {
		return refuse("it makes other tables than spec.workload, and on an external target those of one cell would be left for the next: vary their rows, or make one run for each")
	}
	return nil
}

// checkLoad refuses a cell that loads nothing, one of whose clients loads nothing, and one that loads as an earlier cell does: a difference of
// the two would be chance.
func checkLoad(w Work, p *Planned, i int, trial contract.Trial) error {
	if !trial.Loads {
		return nil
	}
	cell := p.Plan.Cells[i]
	refuse := func(format string, args ...any) error {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v), and design.measures: Load: "+format, append([]any{i, cell}, args...)...)
	}
	rows, err := w.Tool.Leaves(trial)
	if err != nil {
		return refuse("%v", err)
	}
	if err := checkTables(w, rows, refuse); err != nil {
		return err
	}
	if len(rows) > 0 && total(rows) == 0 {
		return refuse("the tool makes its tables before it measures, and leaves them empty: there is no load of rows: use another workload")
	}
	// No tool keeps in its rows how it reached the server.
	trial.Endpoint = contract.Endpoint{Host: "database", Port: 3306, Database: "database", TLS: contract.TLSDisabled}
	for client := range trial.Clients {
		trial.Ref.Client = client
		if w.Tool.Skips(trial, contract.PhaseRun) {
			return refuse("client %d of %d has nothing to load: use fewer clients (clients.count, or the axis clients)", client, trial.Clients)
		}
	}
	trial.Ref.Client = 0
	command, err := w.Tool.Command(trial, contract.PhaseRun, runner.Credentials{Username: "user", Password: "password"})
	if err != nil {
		return nil // it needs files that are not read yet
	}
	key, err := json.Marshal(map[string]any{"args": command.Args, "files": command.Files, "env": command.Env, "path": command.Path, "rest": settingsOf(cell)})
	if err != nil {
		return fmt.Errorf("a command line as text: %w", err)
	}
	digest := contract.Digest(key)
	if same, is := p.checks.loads[digest]; is && same < i {
		return refuse("it loads as cell %d (%v) does: leave out the axis that no load has, or values beyond what it can use, such as more threads than tables", same, p.Plan.Cells[same])
	}
	p.checks.loads[digest] = i
	return nil
}

// settingsOf the server in a cell.
func settingsOf(cell plan.Cell) plan.Cell {
	out := plan.Cell{}
	for axis, value := range cell {
		if _, is := (v1alpha1.Axis{Name: axis}).Setting(); is {
			out[axis] = value
		}
	}
	return out
}
