package traps

import (
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"

	"github.com/assay-bench/assay/internal/trial/merge"
)

// traps in the order of their sources.
var traps = []trap{
	// S0: batch schemes in .NET.
	{"S0.1", "one scheme is measured twice in one report and differs by up to 53 %; three rounds can prove no difference",
		held("internal/verdict/analysis", "TestControl", "fewer than 6 values have no interval or verdict; a control measures the baseline twice, and is flagged where it differs")},
	{"S0.2", "one row of a table mixes figures of two experiments", held("internal/show/report", "TestStoredS0", "every number in the tables of a report is one of the summary of its one run")},
	{"S0.3", "a ratio in the text does not follow from the table",
		held("internal/trial/quoted", "TestPublishedClaims", "factors are computed from the numbers beside them; those of published tables are computed again")},
	{"S0.4", "\"close\" and \"better\" are said of numbers that differ by 23 % the other way", held("internal/verdict/analysis", "TestPublishedErrors", "each declared comparison has a verdict by its interval")},
	{"S0.5", "\"close\" is said of a difference of 48 %", held("internal/verdict/analysis", "TestPublishedErrors", "each declared comparison has a verdict by its interval")},
	{"S0.6", "a general claim holds for one of three sizes", held("internal/verdict/analysis", "TestPublishedErrors", "each cell has a verdict of its own, and the line counts them")},
	{"S0.7", "a speed-up rides on an outlier of the baseline", held("internal/verdict/analysis", "TestPublishedErrors", "ranks within blocks decide, which one block does not move")},
	{"S0.8", "commits are said to wait for the disk, and did not",
		check("durability", validity.Invalid, func(*testing.T) []validity.Finding { return validity.CheckLoad(withoutFlushes()) })},
	{"S0.9", "the same report of the day before has other numbers, from a machine whose speed nobody noted",
		held("internal/verdict/gate", "TestJudge", "the speed of the machine is measured before every trial, and a baseline has it: a gate names a machine that was slower")},
	{"S0.10", "advice contradicts the measured rows", held("internal/verdict/analysis", "TestPublishedErrors", "each declared comparison has a verdict by its interval")},
	{"S0.11", "a cell that breaks the pattern is not shown", held("internal/verdict/summary", "TestSummaryOf72CellsLosesNone", "every cell is in the summary, with its number of trials")},
	{"S0.12", "schemes that send literals are compared with schemes that bind parameters: other work",
		held("runners/drivers", "TestWhatIsNotAsItHasToBeHasNoNumber", "the server's counters say what went over the wire")},
	{"S0.13", "\"exclusive\" is said of what another driver can do too", held("harness/go", "TestHello", "each driver says what it can do")},
	{"S0.14", "stored are stars and factors, not measurements", held("internal/ground/contract", "TestDecodeReturnsWhatEncodeWrote", "results keep values with unit and direction; factors are computed")},

	// S1: YCSB on storage engines.
	{"S1.1", "an option with a blank at its end is another value than was meant, so that batches were off",
		held("runners/ycsb", "TestParseJudgesWhatWasDone", "a load that was to be in batches and was not has failed")},
	{"S1.2", "the class names of another release", held("runners/ycsb", "TestCommandInFull", "the command line names the classes of the release in the image")},
	{"S1.3", "a number that nobody has is shown as 0, or beside ones that were measured under other conditions",
		held("runners/ycsb", "TestQuoteGivesEveryPublishedNumber", "quoted numbers are kept apart, and what is absent stays absent")},
	{"S1.4", "the chart has other numbers than the table", held("internal/show/report", "TestStoredS1", "tables and pictures of a report have the numbers of one summary, to the same digits")},
	{"S1.5", "one headline hides latencies that are worse", held("internal/verdict/analysis", "TestPublishedErrors", "a latency is compared beside the throughput, with a verdict of its own")},
	{"S1.6", "a load that is slower than the run is not remarked; latencies of a closed loop hide stalls",
		check("stall", validity.Warning, of(func(r *contract.Result, e *runner.Expectations) {
			measurement(contract.NameThroughput, func(m *contract.Measurement) { m.Intervals[4].Value = new(0.0) })(r, e)
		}))},
	{"S1.7", "percentiles of 20 operations", check("percentile-sample", validity.Warning, of(func(r *contract.Result, e *runner.Expectations) {
		fewOperations(r, e)
	}))},
	{"S1.8", "versions, durability, buffers, seeds and the data are not stated", held("internal/agent/client", "TestEnvironmentOfBothSides", "results carry the server's variables, both environments, seeds and checksums")},

	// S2: the baseline of a Python driver.
	{"S2.1", "1,000 rows were fetched faster than they can be decoded: 278 came", held("runners/drivers", "TestWhatIsNotAsItHasToBeHasNoNumber", "rows are counted, and their checksum is compared")},
	{"S2.2", "a factor follows from no two numbers of its table",
		held("internal/trial/quoted", "TestPublishedClaims", "factors are computed from the numbers beside them; those of published tables are computed again")},
	{"S2.3", "one figure has three values in one text", held("internal/show/report", "TestStoredS2", "every number in the tables of a report is one of the summary of its one run")},
	{"S2.4", "\"1,000 times\" is 62 times",
		held("internal/trial/quoted", "TestPublishedClaims", "factors are computed from the numbers beside them; those of published tables are computed again")},
	{"S2.5", "\"no measurable cost\" is said of 27 %", held("internal/verdict/analysis", "TestPublishedErrors", "each declared comparison has a verdict by its interval")},
	{"S2.6", "the default of autocommit is told both ways", held("runners/drivers", "TestRequestsAreThoseOfTheSchema", "each request names its transaction")},
	{"S2.7", "a gate on means of 3 to 5 rounds, from another machine, that new benchmarks pass unseen",
		held("internal/verdict/gate", "TestJudge", "a gate compares medians or all blocks; what is new or missing is named, and so is another machine, which requireLike refuses")},
	{"S2.8", "more than half of what was measured has no figure", check("not-measured", validity.Warning, of(func(r *contract.Result, _ *runner.Expectations) {
		r.Measurements = append(r.Measurements, contract.Measurement{Name: contract.NameThroughput, Labels: map[string]string{contract.LabelOperation: "x"}, Unit: "ops/s",
			Absent: &contract.Absence{State: contract.NotMeasured, Reason: "the rows are not those that were written"}})
	}))},
	{"S2.9", "operations of 1, 100 and 1,000 rows in one column", held("runners/drivers", "TestEverythingIsMeasured", "operations and rows are measurements of their own, each with its unit")},

	// S3: Node.js drivers.
	{"S3.1", "\"10 threads\" were one connection", held("runners/drivers", "TestRequestsAreThoseOfTheSchema", "session, connections and concurrency are part of the request")},
	{"S3.2", "a benchmark of pipelining awaits each statement", held("runners/drivers", "TestWhatIsNotAsItHasToBeHasNoNumber", "pipelining is a scheme of its own, and the server's counters say what was sent")},
	{"S3.3", "an operation of 100 rows is compared with one of 1",
		held("runners/drivers", "TestEverythingIsMeasured", "rows per second stand beside operations per second").
			and("internal/verdict/analysis", "TestUnlikeSides", "sides that were declared to be unlike are compared by them alone where their rows differ")},
	{"S3.4", "an engine that stores nothing falls back to one that does", held("runners/drivers", "TestATableOfAnotherEngineIsNotMeasured", "the engine of the table is looked at")},
	{"S3.5", "the baseline changes where a driver lacks a feature, or the driver counts as 0", held("runners/drivers", "TestABaselineThatIsMissingLeavesNoSpeedUp", "without its baseline there is no speed-up")},
	{"S3.6", "three versions are named for one driver", held("harness/go", "TestHello", "the harness tells the version that it loaded")},
	{"S3.7", "the cost of a wrapper counts as that of the driver", held("runners/drivers", "TestEverythingIsMeasured", "the wrapper is a driver of its own, beside the one that it wraps")},
	{"S3.8", "the rows that are read depend on the accounts of the server", held("runners/drivers", "TestWhatIsNotAsItHasToBeHasNoNumber", "the checksum of what was read is compared")},
	{"S3.9", "a cache of the driver decides", held("runners/drivers", "TestRequestsAreThoseOfTheSchema", "fixed and random texts are two operations")},
	{"S3.10", "only one driver was warmed up, and it was always the last", held("internal/trial/plan", "TestTargetsOfAPairOfBlocksAreBalanced", "the order is drawn for each pair of blocks; each trial has a warm-up of its own")},
	{"S3.11", "\"±\" is 95 % in one release and 99.9 % in the next", held("internal/mathematics/stats", "TestIntervalsCoverTheMedian", "an interval says its confidence")},
	{"S3.12", "numbers are printed for people", held("runners/custom", "TestNumbersOfTheFormats", "parsers are tested with the printed form")},
	{"S3.13", "random numbers without a seed", held("runners/runner", "TestWhatHasASeedOfItsOwn", "seeds follow from the run's, and a tool that takes none is marked unseeded")},
	{"S3.14", "the title of a benchmark does not say that it goes through a pool", held("internal/show/report", "TestS3AtFullSizeHasWhatWasPrinted", "the session is a label of the number")},

	// S4: a sweep of sysbench.
	{"S4.1", "the cleanup names other tables than the load", held("runners/sysbench", "TestCommand", "every phase has the tables of the workload")},
	{"S4.2", "--threads={2~3000} is no list", held("runners/sysbench", "TestDecodeParamsRefuses", "a number of threads is a number; a list is an axis of the matrix")},
	{"S4.3", "3,000 threads cannot start with the usual limits of a server", held("runners/sysbench", "TestDemand", "the demand is computed before the start, and limits are raised or the run is refused")},
	{"S4.4", "\"20 % on average\" where the best figures are 18, 20 and 22",
		held("internal/trial/quoted", "TestPublishedClaims", "figures of others can be quoted and computed again, and their sentences compared with them")},
	{"S4.5", "the distribution of keys is the default of a release", held("runners/sysbench", "TestCommand", "--rand-type is always written out")},
	{"S4.6", "queries per second of tests with 6, 14 and 20 queries per event", check("queries-per-operation", validity.Invalid, of(func(_ *contract.Result, e *runner.Expectations) { e.QueriesPerOperation = 14 }))},
	{"S4.7", "dashes and underscores name one option twice", held("runners/sysbench", "TestOptionsAreRefused", "the same option twice is refused")},
	{"S4.8", "each point once, without a warm-up, on data that the points before had changed",
		check("data-drift", validity.Warning, driftedData)},
	{"S4.9", "the client may be what limits", held("internal/trial/validity", "TestLimits", "a client at its limit labels the trial: limitedBy Client")},
	{"S4.10", "the only safeguard is a warning to configure it rightly", held("controllers/benchmarkrun/target", "TestDescribe", "settings in force are compared with those asked for")},

	// R: reviews of Assay. The numbers are those of the list "every number means what it says".
	{"R.1", "warm-up, window and blocks draw the same random numbers: a window writes what its warm-up wrote",
		held("runners/sysbench", "TestNoPhaseAndNoBlockReplaysAnother", "each phase, block, cell, client and attempt has a seed of its own, which a shell can compute")},
	{"R.2", "statements that change nothing count as throughput", check("no-op-writes", validity.Invalid, of(updates(1000), counted("Innodb_rows_updated", 31)))},
	{"R.2 (tool)", "the same on a server that counts no rows: the tool's own split tells", check("no-op-writes", validity.Invalid, of(updates(1000), writes(31)))},
	{"R.3 (before)", "a test that deletes will end with nothing left", held("internal/experiment/wear", "TestDries", "rows and deletes are compared when the run is accepted")},
	{"R.3 (after)", "tables that inserts make larger than memory", held("internal/trial/validity", "TestCheck", "the check data-grew looks at the pages that the server read back")},
	{"R.4", "a stall lowers the use of CPU, and so removes the slow trial", held("internal/trial/validity", "TestCheckNeighbours", "what pods may use decides, not what they used; a throttled target is labelled")},
	{"R.4 (neighbours)", "another pod used the machine during the window", check("neighbours", validity.Disturbed, func(t *testing.T) []validity.Finding {
		return validity.CheckNeighbours([]contract.Result{besideOthers(t)})
	})},
	{"R.4 (percentiles)", "a percentile of the latency is that of the CPU quota", held("internal/trial/validity", "TestQuotaCaveat", "such a percentile has a caveat wherever it is shown")},
	{"R.5", "throttling is counted from before the window", held("internal/agent/environment", "TestCountersAreThoseOfTheWindow", "counters are those of samples inside the window")},
	{"R.6", "a server that stalls at the end of its window loses the trial", check("duration", validity.Warning, of(value(contract.NameTotalTime, 13)))},
	{"R.6 (chance)", "a check by chance calls sound trials invalid in 4.5 % of long runs", held("controllers/benchmarkrun/trial", "TestChanceIsSharedByAllTrials", "the error rate is that of the run")},
	{"R.7", "a run of which no trial counts is called valid", held("controllers/benchmarkrun", "TestRunWithoutAUsableTrialIsNotValid", "Valid is False with a reason of its own")},
	{"R.8", "rates of clients that measured at different times are added up", check("clients-overlap", validity.Invalid, func(*testing.T) []validity.Finding {
		return validity.CheckClients(merge.Skew{Clients: make([]merge.ClientSkew, 2), Overlap: new(0.0)})
	})},
	{"R.8 (partly)", "clients measured together for a part of their windows only", check("clients-overlap", validity.Warning, func(*testing.T) []validity.Finding {
		return validity.CheckClients(merge.Skew{Clients: make([]merge.ClientSkew, 2), Overlap: new(0.9)})
	})},
	{"R.9", "a skew is claimed that is below what the clocks differ by", held("internal/trial/merge", "TestSkewBetweenClocks", "skew and overlap have an uncertainty")},
	{"R.9 (unknown)", "nobody knows how the clocks of clients stand", check("clients-clocks", validity.Warning, func(*testing.T) []validity.Finding {
		return validity.CheckClients(merge.Skew{Clients: make([]merge.ClientSkew, 2), ClocksUnknown: true})
	})},
	{"R.10", "a warm-up in a process of its own leaves the compiler of the measuring one cold", held("runners/ycsb", "TestTwoClientsMeasureTogether", "YCSB warms up in the process that measures; a result says how its warm-up was cut")},
	{"R.11", "an open loop at 98.5 % of its rate is shown with its latency", check("saturated", validity.Warning, of(func(r *contract.Result, e *runner.Expectations) {
		achieved, _ := contract.Find(r.Measurements, contract.NameThroughput, nil)
		e.Rate, e.Threads = *achieved.Value/0.985, 0
	}))},
	{"R.12", "two machines of one name differ by a third in speed", held("internal/trial/machinespeed", "TestBars", "a fixed kernel is timed before each trial; 5 % slower is found in 95 of 100 runs")},
	{"R.13", "nothing checks tools other than sysbench against fsync and round trip", held("internal/trial/validity", "TestPhysicsOfToolsThatDoNotCountStatements", "statements and commits are those of the server's counters")},
	{"R.14", "a checksum that was not taken is silence", check("checksum", validity.Warning, of(func(r *contract.Result, _ *runner.Expectations) {
		r.Problems = append(r.Problems, contract.Problem{Source: "server/checksum", Text: "2 of 2 tables (a, b) have no checksum"})
	}))},
	{"R.14 (targets)", "targets of one experiment hold different data", check("same-data", validity.Warning, func(*testing.T) []validity.Finding {
		return validity.CompareData(holding(1000), holding(999), true)
	})},
	{"R.15", "one seed for everybody puts the first target first in 8 of 10 blocks", held("internal/trial/plan", "TestTargetsOfAPairOfBlocksAreBalanced", "the targets of two blocks are in opposite orders, and the seed follows from the spec")},
	{"R.16", "RESULT is another target's number when the first has none", held("internal/show/readout", "TestHeadline", "every target stands there by name, a missing one as -")},
	{"R.17", "cells disappear from the status without a word", held("internal/verdict/summary", "TestSummaryOf72CellsLosesNone", "what is not shown is counted, and said")},
	{"R.18", "the figure that was published is in no summary", held("runners", "TestSummariesHaveWhatIsPublished", "queries per second, minimum, counts and garbage collection are summarised")},
}

// updates is a test of so many operations of one UPDATE each.
func updates(n int64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, e *runner.Expectations) {
		*e = runner.Expectations{DurationSeconds: 10, Rows: runner.Rows{Updated: 1}, WritesPerOperation: 1}
		*r = contract.Result{
			Version: r.Version, State: contract.Succeeded, Trial: r.Trial,
			Measurements: []contract.Measurement{
				{Name: contract.NameThroughput, Unit: "tx/s", N: &n, Value: new(float64(n) / 10)},
				{Name: contract.NameTotalTime, Unit: "s", Value: new(10.0)},
			},
		}
	}
}

// counted puts a counter of the server over the window.
func counted(name string, n float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Server = &contract.Server{Version: "9.7.0", VersionComment: "MySQL Community Server - GPL", Variables: map[string]string{"default_storage_engine": "InnoDB"},
			StatusDelta: map[string]float64{name: n, "Questions": 1010}}
	}
}

// writes is the number of statements that the tool counted as writing.
func writes(n float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Measurements = append(r.Measurements, contract.Measurement{
			Name: contract.NameQueryCount, Labels: map[string]string{contract.LabelKind: "write"}, Unit: "1", Value: &n,
		})
	}
}

func withoutFlushes() contract.Result {
	return contract.Result{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhasePrepare)},
		Server: &contract.Server{
			Version: "10.11.19-MariaDB", Variables: map[string]string{"default_storage_engine": "InnoDB", "innodb_flush_log_at_trx_commit": "1"},
			Durability: &contract.Durability{StorageEngine: "InnoDB", Commits: 100, Seconds: 0.01, Counters: map[string]int64{"innodb_data_fsyncs": 0}},
		},
	}
}

// fewOperations are 20, as in the phase CLEANUP of YCSB.
func fewOperations(r *contract.Result, _ *runner.Expectations) {
	n := int64(20)
	for i := range r.Measurements {
		if r.Measurements[i].Name == contract.NameLatencyPercentile {
			r.Measurements[i].N = &n
		}
	}
}

// driftedData is that of a trial behind others that inserted a fifth of the rows again.
func driftedData(*testing.T) []validity.Finding {
	started := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	loaded, trial := holding(1000), holding(1000)
	loaded.Server = &contract.Server{Rows: &contract.CountedRows{Started: started, Inserted: 1000}}
	trial.Server = &contract.Server{Rows: &contract.CountedRows{Started: started, Inserted: 1200}}
	return validity.CheckDrift(loaded, trial, false)
}

func holding(rows int64) contract.Result {
	return contract.Result{State: contract.Succeeded, Data: &contract.Data{Tables: []contract.Table{{Name: "sbtest1", Rows: rows}}}}
}

// besideOthers is a client with a CPU of its own on a machine of two, on which others used 1.5.
func besideOthers(t *testing.T) contract.Result {
	r := realRun(t)
	r.Target = &contract.Environment{Machine: contract.Machine{BootID: "two"}}
	usage := func(at, own, machine float64) *contract.Usage {
		return &contract.Usage{At: time.Unix(int64(at), 0), CPUSeconds: &own, NodeCPUSeconds: &machine, NodeStealSeconds: new(0.0)}
	}
	r.Client.Environment = contract.Environment{
		Machine: contract.Machine{BootID: "one", CPUs: new(int64(2))}, Limits: contract.Limits{CPUs: new(1.0)},
		Before: usage(100, 0, 0), After: usage(110, 4, 19),
	}
	return r
}
