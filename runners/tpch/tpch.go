// Package tpch adapts TPC-H by go-tpc 1.0.12.
//
// Its figures are derived from TPC-H, and not audited: the unit of the headline of queries (time.geomean) says so wherever that is shown. With
// design.measures: Load the headline is the rate of rows of the load. A run goes through these steps; each has its file:
//
//	workload.go  the parameters; what they need of a server, what is loaded, and what a result has to be like
//	command.go   the command line of each phase
//	output.go    what go-tpc prints, read line by line
//	measure.go   the times and results of queries into measurements
//	parse.go     the output of a phase: the proof that it did its work
//	answers.go   results of queries that were compared, and those that are wrong
//	failure.go   errors into reasons and remedies
//
// Nothing is believed that go-tpc passes over: see README.md.
package tpch

import (
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Name of the runner in the API and in the catalogue of images.
const Name = "tpch"

// Runner is the adapter.
func Runner() runner.Runner {
	return runner.Runner{
		Name:     Name,
		Headline: contract.NameQueryMean,
		Summary: []string{
			contract.NameQueryMean, contract.NameThroughput, contract.NameErrorRate, contract.NameLatencyAvg, contract.NameLatencyMax,
			contract.NameOperationCount,
		},
		Facts:        []string{contract.NameOperationCount},
		Command:      command,
		Parse:        parse,
		Expectations: runner.Answer(workloadOf, Params.expectations),
		Data: runner.Data{
			Fields: runner.Fields("scaleFactor"),
			Rows:   runner.Answer(workloadOf, Params.rows),
			// Queries change no row. But go-tpc replaces the view revenue0 before each phase of queries, so that a trial on tables that exist
			// counts as one that may write. That is what no OnExisting says. An answer of its own could only refuse such tables altogether.
			Wear:      runner.Answer(workloadOf, func(Params, contract.Trial) runner.Wear { return runner.Wear{} }),
			SameBytes: func(contract.Trial) bool { return true },
		},
		Connection: runner.Connection{Demand: runner.Answer(workloadOf, Params.demand)},
		Design:     runner.Design{Sample: "{scaleFactor: 1, queries: [q4, q6, q14]}", Loads: []string{"threads"}},
	}
}
