// Package ycsb adapts the core workloads of YCSB 0.17 over JDBC, with a binding of our own.
//
// The way of a phase, file by file:
//
//	workload.go      decode and check the parameters
//	presets.go       the workloads a to f as YCSB publishes them
//	owned.go         properties of the user: what is refused, and why
//	url.go           the URL of the database for each driver
//	credentials.go   user, password and certificates as files, never as arguments
//	load.go          shares of the rows and ranges of new keys, so that clients do not collide
//	command.go       the command line of each phase
//	opening.go       when the measured window begins, and what Java is told of it
//	window.go        the measured window, cut out of the histograms of the whole process
//	expectations.go  what a result has to be like
//	offers.go        the rate that is offered
//	parse.go         the output of a phase, and quote.go that of somebody else
//
// The Java part is in java: the binding, a main class that tells whether all went well, and
// their tests. See README.md.
package ycsb

import (
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Name of the runner in the API and in the catalogue of images.
const Name = "ycsb"

// Runner is the adapter.
func Runner() runner.Runner {
	return runner.Runner{
		Name:     Name,
		Headline: contract.NameThroughput,
		// Latencies without labels are of all operations; those of one operation have labels.
		Summary: []string{
			contract.NameThroughput, contract.NameOffered, contract.NameErrorRate,
			contract.NameLatencyAvg, contract.NameLatencyPercentile, contract.NameLatencyMin, contract.NameLatencyMax,
			contract.NameEvents, contract.NameOperationCount, contract.NameReturnCount, contract.NameSetupTime,
			contract.NameGCPercent, contract.NameGCTime, contract.NameGCCount,
		},
		Facts: []string{
			contract.NameOffered, contract.NameEvents, contract.NameOperationCount, contract.NameReturnCount, contract.NameSetupTime,
			contract.NameGCPercent, contract.NameGCTime, contract.NameGCCount,
		},
		Command:      command,
		Parse:        parse,
		Expectations: runner.Answer(ofTrial, Params.expectations),
		Data: runner.Data{
			// The rows do not follow from the letter: it says what is asked of them. Properties that
			// decide the rows cannot be axes, as no property can.
			Fields:     runner.Fields("recordCount", "fieldCount", "fieldLength", "columns"),
			Rows:       runner.Answer(ofTrial, Params.rows),
			OnExisting: onExisting,
			SharesLoad: true,
		},
		Connection: runner.Connection{Demand: runner.Answer(ofTrial, Params.demand), JDBC: true},
		Phases:     runner.Phases{Skips: skips, Opening: opening},
		Design:     runner.Design{Sample: "{workload: a, recordCount: 100000}", Loads: []string{"threads", "target"}, Offers: offers},
		Quote:      quote,
	}
}
