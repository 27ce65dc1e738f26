// Package tpcc adapts TPC-C by go-tpc 1.0.12.
//
// Its figures are derived from TPC-C, and not audited: the unit of the headline says so
// wherever it is shown. A run goes through these steps; each has its file:
//
//	workload.go  the parameters; what they need of a server, and what a result has to be like
//	command.go   the command line of each phase
//	analytics.go the queries beside the transactions
//	output.go    what go-tpc prints, read line by line; also that of somebody else
//	measure.go   figures into measurements
//	parse.go     the output of a phase: the proof that it did its work
//	failure.go   errors into reasons and remedies
//
// It refuses what go-tpc would pass over: see README.md.
package tpcc

import (
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Name of the runner in the API and in the catalogue of images.
const Name = "tpcc"

// Runner is the adapter.
func Runner() runner.Runner {
	return runner.Runner{
		Name:     Name,
		Headline: contract.NameNewOrders,
		Summary: []string{
			contract.NameNewOrders, contract.NameThroughput, contract.NameErrorRate, contract.NameLatencyAvg,
			contract.NameLatencyPercentile, contract.NameLatencyMax, contract.NameOperationCount,
		},
		Facts:        []string{contract.NameOperationCount},
		Command:      command,
		Parse:        parse,
		Expectations: runner.Answer(workloadOf, Params.expectations),
		Data:         runner.Data{Fields: dataFields, Rows: runner.Answer(workloadOf, Params.rows)},
		Connection:   runner.Connection{Demand: runner.Answer(workloadOf, Params.demand)},
		Phases:       runner.Phases{CheckTime: checkTime},
		Design:       runner.Design{Sample: "{warehouses: 10}", Loads: []string{"threads"}},
		Quote:        quote,
	}
}
