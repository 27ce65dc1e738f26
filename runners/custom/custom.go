// Package custom adapts any tool: an image of the user's, the commands to call it
// with, and the format of what it prints.
//
//	workload.go    decode and check the parameters
//	command.go     the command of a phase, with its values filled in
//	credentials.go where a tool finds the password and the certificates
//	parse.go       the output of a phase, by its format
//	contract.go    the format Result: what a tool of one's own prints
//	mysqlslap.go, tpccmysql.go, benchbase.go, gobench.go, pytest.go and
//	histogramlog.go are the formats of known tools, one file each
//
// The exit code of Prepare and Cleanup is the proof that they did their work: of a
// tool that Assay does not know, nothing else says so. That of Run is not enough: there
// has to be at least one number.
package custom

import (
	"maps"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Name of the runner in the API.
const Name = "custom"

// Format reads the output of a tool. It never fails: what it cannot read is a
// problem, and without a single number there is a failure.
type Format func(output []byte) runner.Report

// Runner is the adapter. More formats are those of other runners (runner.Runner.Quote),
// by their names in the API, as they are or Quoted.
func Runner(more map[string]Format) runner.Runner {
	formats := map[string]Format{
		"Result":           parseResult,
		"Mysqlslap":        parseMysqlslap,
		"TPCCMySQL":        parseTPCCMySQL,
		"BenchBase":        parseBenchBase,
		"GoBenchmark":      parseGoBenchmark,
		"PytestBenchmark":  parsePytest,
		formatHistogramLog: nil, // needs a unit: see parseHistogramLog
	}
	maps.Copy(formats, more)
	return runner.Runner{
		Name:     Name,
		Headline: contract.NameThroughput,
		Summary: []string{
			contract.NameThroughput, contract.NameOffered, nameGoodput, contract.NameNewOrders, contract.NameErrorRate, contract.NameLatencyAvg,
			contract.NameLatencyPercentile, nameOperationTime, nameRoundTime,
		},
		Command: func(t contract.Trial, p contract.Phase, c runner.Credentials) (runner.Command, error) {
			return command(t, p, c, formats)
		},
		Parse: func(t contract.Trial, p contract.Phase, o runner.Output) runner.Report {
			return parse(t, p, o, formats)
		},
		Expectations: runner.Answer(ofTrial, Params.expectations),
		Data:         runner.Data{Fields: runner.Answer(decodeParams, Params.dataFields)},
		Connection:   runner.Connection{Demand: runner.Answer(ofTrial, Params.demand)},
		Phases:       runner.Phases{Skips: skips},
		Design:       runner.Design{Loads: []string{"threads"}},
		Pods:         runner.Answer(decodeParams, Params.pods),
		Quote:        parsePytest, // of these formats the one whose files are published: projects commit them as a baseline
	}
}

// Names of measurements that only these formats have.
const (
	// nameGoodput is the rate of operations that did what they were meant to.
	nameGoodput = "goodput"
	// nameOperationTime is the time of one operation, in s; labelStat is its statistic.
	nameOperationTime = "time.operation"
	// nameRoundTime is the time of all operations of one repetition within the tool, in s.
	nameRoundTime = "time.round"
)

// Keys of labels.
const (
	labelBenchmark = "benchmark"
	labelOperation = "operation"
	labelEngine    = "engine"
	labelClients   = "clients"
)
