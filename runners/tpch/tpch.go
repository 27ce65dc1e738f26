// Package tpch adapts TPC-H by go-tpc 1.0.12.
//
// Its figures are derived from TPC-H, and not audited: the unit of the headline says so wherever it is shown. A run goes through
// these steps; each has its file:
//
//	workload.go  the parameters; what they need of a server, what is loaded, and what a result has to be like
//	command.go   the command line of each phase
//	output.go    what go-tpc prints, read line by line
//	measure.go   the times and results of queries into measurements
//	parse.go     the output of a phase: the proof that it did its work
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
			// Queries change nothing.
			Wear:      runner.Answer(workloadOf, func(Params, contract.Trial) runner.Wear { return runner.Wear{} }),
			SameBytes: func(contract.Trial) bool { return true },
		},
		Connection: runner.Connection{Demand: runner.Answer(workloadOf, Params.demand)},
		Design:     runner.Design{Sample: "{scaleFactor: 1, queries: [q4, q6, q14]}", Loads: []string{"threads"}},
	}
}
