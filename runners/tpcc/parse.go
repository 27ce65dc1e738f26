package tpcc

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// conditions of TPC-C that go-tpc checks in each warehouse: 3.3.2.1 to 3.3.2.12 without
// 3.3.2.11, which holds only right after loading.
const conditions = 11

// parse gives an output its meaning. The exit code proves nothing: go-tpc ends with 0 after
// most failures.
func parse(t contract.Trial, phase contract.Phase, o runner.Output) runner.Report {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return runner.Unreadable(err)
	}
	p = p.in(t, phase)
	source := strings.ToLower(string(phase))
	r := read(source+"/stdout", o.Stdout)
	for i, line := range runner.Lines(o.Stderr) {
		line = strings.TrimSpace(line)
		r.fatal = cmp.Or(r.fatal, gotpc.Fatal(line))
		if line != "" && !plainLine.MatchString(line) {
			r.problems.Add(source+"/stderr", i+1, line)
		}
	}
	report := runner.Report{Failure: r.failure(t, phase, p, o)}
	switch phase {
	case contract.PhaseRun, contract.PhaseWarmup:
		every := int(p.ReportIntervalSeconds)
		report.Measurements, report.Errors = r.measurements(every, p), r.errorCounts()
		report.Window = r.window(report.Measurements)
		if text := r.missingSeries(every, report.Measurements); text != "" && phase == contract.PhaseRun && report.Failure == nil {
			r.problems.Add(source, 0, text)
		}
		if text := r.wentOn(); text != "" {
			r.problems.Add(source, 0, text)
		}
		if phase == contract.PhaseRun && report.Failure == nil {
			for _, text := range r.cutOff(p) {
				r.problems.Add(source, 0, text)
			}
		}
	case contract.PhaseCheck:
		if report.Failure == nil {
			report.Check = &contract.DataCheck{Rules: int64(len(r.checked)), Violations: r.broken}
		}
	}
	report.Problems = r.problems.List(source)
	return report
}

// unproven says what the output of a phase does not prove; empty when the phase did its work.
func (r *reading) unproven(phase contract.Phase, p Params) string {
	switch phase {
	case contract.PhasePrepare:
		// Of each warehouse itself, stock and districts, and five tables in each of ten districts.
		if got, want := len(r.loaded), 1+int(p.Warehouses)*(3+10*5); got != want {
			return fmt.Sprintf("it loaded %d of %d parts of the tables", got, want)
		}
	case contract.PhaseCheck:
		want := conditions * int(runner.Value(p.CheckWarehouses))
		if got := len(r.checked); got > want || got < want && len(r.broken) == 0 {
			return fmt.Sprintf("it checked %d conditions, not %d", got, want)
		}
	case contract.PhaseCleanup:
		if got, want := len(r.dropped), p.tables(); got != want {
			return fmt.Sprintf("it dropped %d of %d tables", got, want)
		}
	default:
		for name, there := range map[string]bool{"new orders": r.summary[newOrder]["Count"] > 0, "tpmC": r.totals["tpmC"] > 0} {
			if !there {
				return "its report lacks: " + name
			}
		}
		if text := r.queriesUnproven(p); text != "" {
			return text
		}
	}
	if !r.finished {
		return "it did not come to its end"
	}
	return ""
}
