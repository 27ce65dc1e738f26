// Package sysbench adapts sysbench 1.0: its bundled tests for databases, and Lua
// scripts of the user.
//
// A run goes through these steps; each has its file:
//
//	workload.go      decode and check the parameters; expectations of a result
//	tests.go         the bundled tests: statements of an event, prepared statements
//	options.go       what may be in options, what may not, and which phase takes it
//	script.go        scripts of the user: their files and phases
//	offers.go        the rate that is offered
//	demand.go        what a client needs of the server's limits; the rows of the tables
//	wear.go          what is left of the rows, or comes to them
//	command.go       the command line of each phase
//	load.go          the script of prepare: the same data every time, shared out among the clients
//	credentials.go   password and certificates as files, never as arguments
//	parse.go         the output of a phase, read line by line
//	lines.go         the table of lines that are understood
//	series.go        interval lines and histogram
//	measurements.go  figures into measurements
//	progress.go      the proof that prepare and cleanup did their work
//	failure.go       FATAL lines into reasons and remedies
//	quoted.go        output that somebody published
//
// It refuses what sysbench would accept and get wrong: see README.md.
package sysbench

import (
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Name of the runner in the API and in the catalogue of images.
const Name = "sysbench"

// Runner is the adapter.
func Runner() runner.Runner {
	return runner.Runner{
		Name:     Name,
		Headline: contract.NameThroughput,
		Summary: []string{
			contract.NameThroughput, contract.NameQueries, contract.NameOffered, contract.NameErrorRate, contract.NameReconnects,
			contract.NameLatencyMin, contract.NameLatencyAvg, contract.NameLatencyMax, contract.NameLatencyPercentile,
		},
		Facts:        []string{contract.NameOffered},
		Command:      command,
		Parse:        parse,
		Expectations: runner.Answer(workloadOf, Params.expectations),
		Data: runner.Data{
			// The rows of the OLTP tests follow from these alone: not from the test, the threads
			// or the seed. Other data is refused by Rows, which has to be the same for all cells.
			Fields:     runner.Answer(decodeParams, dataFields),
			Rows:       runner.Answer(workloadOf, Params.rows),
			Wear:       runner.Answer(workloadOf, Params.wear),
			OnExisting: onExisting,
			SameBytes:  sameBytes,
			// The script of prepare can; sysbench by itself always makes all the tables. A script
			// of the user cannot: Skips.
			SharesLoad: true,
		},
		// Its TLS is that of files in its working directory, all three.
		Connection: runner.Connection{Demand: runner.Answer(workloadOf, Params.demand), NeedsCertificate: true, SkipsVerification: true},
		Phases:     runner.Phases{Skips: skips},
		Design: runner.Design{
			Sample: "{test: oltp_read_write, tables: 8, tableSize: 100000}", Loads: []string{"threads", "rate"},
			Offers: runner.Answer(decodeParams, Params.offers),
		},
		Pods:  runner.Answer(decodeParams, Params.pods),
		Quote: quoted,
	}
}
