package tpch

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/outputs"
)

var tool = outputs.Tool{
	Name: Name, Seconds: 600, Command: command, Parse: parse,
	Proves: func(stdout string) bool { return strings.Contains(stdout, "\nFinished\n") },
}

const (
	six     = `"queries":["q1","q3","q4","q6","q12","q14"]`
	streams = `{"queries":["q2","q3","q4","q5","q6","q7","q8","q9","q10","q11","q12","q14","q15","q16","q18","q19","q1"]}`
)

// fixtures are outputs of go-tpc 1.0.12 (testdata/README.md), and what is made of them.
var fixtures = map[string]outputs.Fixture{
	"prepare-maria1011":     {Phase: contract.PhasePrepare, Workload: `{"threads":2}`},
	"warmup-maria1011":      {Phase: contract.PhaseWarmup, Workload: `{"threads":2,` + six + `}`},
	"run-maria1011":         {Phase: contract.PhaseRun, Workload: `{"threads":2,` + six + `}`},
	"run-maria1011-streams": {Phase: contract.PhaseRun, Workload: streams},
	"cleanup-maria1011":     {Phase: contract.PhaseCleanup, Workload: `{}`},
	"fail-wrong-password":   {Phase: contract.PhaseRun, Workload: `{"queries":["q6"]}`, Exit: 1, Want: contract.ReasonCredentialsRejected, Message: "Access denied"},
	"fail-refused":          {Phase: contract.PhaseRun, Workload: `{"queries":["q6"]}`, Exit: 1, Want: contract.ReasonTargetUnreachable, Message: "connection refused"},
	"fail-time-limit":       {Phase: contract.PhaseRun, Workload: `{` + six + `}`, Seconds: 5, Want: contract.ReasonOperationsUnfinished, Message: "1 of 6 queries were executed in 5 s: raise design.duration"},
	"fail-interrupted":      {Phase: contract.PhaseRun, Workload: `{"queries":["q4","q22"]}`, Want: contract.ReasonToolFailed, Message: "q22: go-tpc: Error 1969"},
	"run-differs":           {Phase: contract.PhaseRun, Workload: `{"threads":2,"queries":["q5","q4"]}`},
	"fail-table-missing":    {Phase: contract.PhaseRun, Workload: `{"queries":["q6"]}`, Exit: 2, Want: contract.ReasonSchemaMissing, Message: "empty.lineitem"},
	"fail-view-denied":      {Phase: contract.PhaseRun, Workload: `{"queries":["q6"]}`, Exit: 2, Want: contract.ReasonCredentialsRejected, Message: "CREATE VIEW command denied"},
	"fail-prepare-denied":   {Phase: contract.PhasePrepare, Workload: `{}`, Exit: 2, Want: contract.ReasonCredentialsRejected, Message: "CREATE command denied"},
	"fail-killed":           {Phase: contract.PhaseRun, Workload: `{"threads":2,"queries":["q9","q1"]}`, Want: contract.ReasonConnectionLost, Message: "invalid connection"},
}

func TestParse(t *testing.T) { tool.Parses(t, fixtures) }

// The headline of queries is never shown without saying what it is not.
func TestTheHeadlineIsDerivedAndNotAudited(t *testing.T) {
	report := parse(tool.Trial(t, fixtures["run-maria1011"].Workload), contract.PhaseRun, runner.Output{Stdout: outputs.Load(t, "run-maria1011.stdout")})
	m, ok := contract.Find(report.Measurements, Runner().Headline, nil)
	if !ok || !strings.Contains(m.Unit, "derived from TPC-H, not audited") {
		t.Errorf("the unit is %q", m.Unit)
	}
}

// numbers of a window that is made up, so that they can be computed by hand: q1 in 1 s and 4 s, q2 in 8 s and 8 s.
const window = `[Result] Q1 - Began(s): 0.500000, Takes(s): 1.000000, Rows: 4, CRC-32: 0000000a
[Result] Q2 - Began(s): 0.500000, Takes(s): 8.000000, Rows: 7, CRC-32: ffffffff
[Result] Q1 - Began(s): 8.500000, Takes(s): 4.000000, Rows: 4, CRC-32: 0000000a
[Result] Q2 - Began(s): 1.500000, Takes(s): 8.000000, Rows: 7, CRC-32: ffffffff
Finished
[Summary] Q1: 2.50s
[Summary] Q2: 8.00s
`

func TestNumbers(t *testing.T) {
	report := parse(tool.Trial(t, `{"threads":2,"queries":["q1","q2"]}`), contract.PhaseRun, runner.Output{Stdout: []byte(window)})
	if report.Failure != nil || len(report.Problems) > 0 {
		t.Fatalf("%+v", report)
	}
	q1 := map[string]string{contract.LabelOperation: "q1"}
	tests := map[string]struct {
		name   string
		labels map[string]string
		want   float64
	}{
		"the geometric mean of 1 s, 4 s and twice 8 s":   {contract.NameQueryMean, nil, 4},
		"from the first begin to the last end":           {contract.NameTotalTime, nil, 12},
		"queries in that time":                           {contract.NameThroughput, nil, 4.0 / 12},
		"no errors":                                      {contract.NameErrorRate, nil, 0},
		"the mean of all, in ms":                         {contract.NameLatencyAvg, nil, 5250},
		"the longest":                                    {contract.NameLatencyMax, nil, 8000},
		"the mean of a query":                            {contract.NameLatencyAvg, q1, 2500},
		"how often a query was executed":                 {contract.NameOperationCount, q1, 2},
		"how many rows it returned":                      {contract.NameResultRows, q1, 4},
		"and their checksum":                             {contract.NameResultChecksum, q1, 10},
		"a checksum that no signed number of 32 bits is": {contract.NameResultChecksum, map[string]string{contract.LabelOperation: "q2"}, 4294967295},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got *float64
			for _, m := range report.Measurements {
				if m.Name == tt.name && cmp.Equal(m.Labels, tt.labels) {
					got = m.Value
				}
			}
			if got == nil || math.Abs(*got-tt.want) > 1e-9 {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A query that is missing, one too many or another one is a failure, whatever go-tpc says.
func TestOtherQueriesThanAskedAreAFailure(t *testing.T) {
	for name, tt := range map[string]struct {
		old, new string
		want     contract.Reason
		message  string
	}{
		"one is missing":         {"[Result] Q2 - Began(s): 1.500000, Takes(s): 8.000000, Rows: 7, CRC-32: ffffffff\n", "", contract.ReasonOperationsUnfinished, "3 of 4"},
		"one that was not asked": {"[Result] Q1 - Began(s): 8.5", "[Result] Q3 - Began(s): 8.5", contract.ReasonOutputTruncated, "it executed q3"},
		"one too many": {"Finished", "[Result] Q1 - Began(s): 9.500000, Takes(s): 4.000000, Rows: 4, CRC-32: 0000000a\nFinished", contract.ReasonOutputTruncated,
			"it executed q1 3 times instead of once in each of 2 threads"},
		"the image of somebody else": {"[Result] ", "Result ", contract.ReasonOutputTruncated, "it printed no results of queries"},
		"it was killed":              {"Finished\n", "", contract.ReasonOutputTruncated, "it did not come to its end"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 1
			if name == "the image of somebody else" {
				n = -1
			}
			o := runner.Output{Stdout: []byte(strings.Replace(window, tt.old, tt.new, n))}
			report := parse(tool.Trial(t, `{"threads":2,"queries":["q1","q2"]}`), contract.PhaseRun, o)
			if f := report.Failure; f == nil || f.Reason != tt.want || !strings.Contains(f.Message, tt.message) {
				t.Errorf("%+v, want %s with %q", f, tt.want, tt.message)
			}
		})
	}
}

// A query that takes 1 s in one thread and 4 s in another one has the same mean as in two clients, and it is that of their means.
func TestTheMeanOfThreadsIsThatOfClients(t *testing.T) {
	const one = "[Result] Q1 - Began(s): 0.100000, Takes(s): 1.000000, Rows: 4, CRC-32: 0000000a\n"
	const four = "[Result] Q1 - Began(s): 0.100000, Takes(s): 4.000000, Rows: 4, CRC-32: 0000000a\n"
	client := func(i int, threads, output string) contract.Result {
		trial := tool.Trial(t, `{"queries":["q1"],"threads":`+threads+`}`)
		report := parse(trial, contract.PhaseRun, runner.Output{Stdout: []byte(output + "Finished\n")})
		if report.Failure != nil {
			t.Fatal(report.Failure.Message)
		}
		return contract.Result{
			Version: contract.ResultVersion, State: contract.Succeeded, Tool: contract.Tool{Name: Name}, Measurements: report.Measurements,
			Trial: contract.TrialRef{RunUID: "u", Phase: string(contract.PhaseRun), Index: new(0), Block: new(0), Cell: new(0), Target: "db", Client: i},
		}
	}
	clients, _, err := merge.Results([]contract.Result{client(0, "1", one), client(1, "1", four)})
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]contract.Result{"threads": client(0, "2", one+four), "clients": clients} {
		m, ok := of.Find(contract.NameQueryMean, nil)
		if !ok || m.Value == nil || math.Abs(*m.Value-2) > 1e-12 || m.N == nil || *m.N != 2 {
			t.Errorf("two %s: %+v, want 2 s of 2 executions", name, m)
		}
	}
}

// Each line of a phase is needed, also where go-tpc says that it has finished.
func TestALineThatIsMissingProvesLess(t *testing.T) {
	for fixture, lines := range map[string]map[string]string{
		"prepare-maria1011": {
			"generate nation table done": "loaded nation", "generate region table done": "loaded region",
			"generate customers table done": "loaded customers", "generate suppliers table done": "loaded suppliers",
			"generate part/partsupplier tables done": "loaded part/partsupplier", "generate orders/lineitem tables done": "loaded orders/lineitem",
			"Finished": "come to its end",
		},
		"cleanup-maria1011": {
			"DROP TABLE IF EXISTS lineitem": "drop lineitem", "DROP TABLE IF EXISTS partsupp": "drop partsupp", "DROP TABLE IF EXISTS supplier": "drop supplier",
			"DROP TABLE IF EXISTS part": "drop part", "DROP TABLE IF EXISTS orders": "drop orders", "DROP TABLE IF EXISTS customer": "drop customer",
			"DROP TABLE IF EXISTS region": "drop region", "DROP TABLE IF EXISTS nation": "drop nation", "Finished": "come to its end",
		},
	} {
		for line, want := range lines {
			t.Run(fixture+" without "+line, func(t *testing.T) {
				whole := "\n" + string(outputs.Load(t, fixture+".stdout"))
				output := strings.Replace(whole, "\n"+line+"\n", "\n", 1)
				if output == whole {
					t.Fatal("there is no such line")
				}
				f := fixtures[fixture]
				report := parse(tool.Trial(t, f.Workload), f.Phase, runner.Output{Stdout: []byte(output)})
				if report.Failure == nil || report.Failure.Reason != contract.ReasonOutputTruncated || !strings.Contains(report.Failure.Message, want+":") {
					t.Errorf("%+v, want OutputTruncated with %q", report.Failure, want)
				}
			})
		}
	}
}

// A process that died is a failure, whatever it had printed.
func TestEndsThatAreNoSuccess(t *testing.T) {
	for want, o := range map[string]runner.Output{
		"go-tpc was ended by SIGKILL": {Signal: "SIGKILL", ExitCode: -1},
		"exit code 2: panic: runtime": {ExitCode: 2, Stderr: []byte("panic: runtime error: index out of range\n")},
	} {
		o.Stdout = []byte(window)
		report := parse(tool.Trial(t, `{"threads":2,"queries":["q1","q2"]}`), contract.PhaseRun, o)
		if report.Failure == nil || report.Failure.Reason != contract.ReasonToolFailed || !strings.Contains(report.Failure.Message, want) {
			t.Errorf("%+v, want %q", report.Failure, want)
		}
	}
}

// Whole runs contradict neither themselves nor their trials.
func TestSoundRunsAreSound(t *testing.T) {
	for _, name := range []string{"run-maria1011", "run-maria1011-streams"} {
		trial := tool.Trial(t, fixtures[name].Workload)
		report := parse(trial, contract.PhaseRun, runner.Output{Stdout: outputs.Load(t, name+".stdout")})
		for _, finding := range findings(t, trial, report) {
			t.Errorf("%s: %+v", name, finding)
		}
	}
}

// A thread that has executed its queries early waits for the other ones, and no client is slow for that.
func TestAThreadThatWaitsForOthersIsNoBottleneck(t *testing.T) {
	output := ""
	for thread, seconds := range []int{1, 60} {
		for i := range 2 {
			output += fmt.Sprintf("[Result] Q%d - Began(s): %d.000000, Takes(s): %d.000000, Rows: 4, CRC-32: 0000000a\n", 1+(thread+i)%2, i*seconds, seconds)
		}
	}
	trial := tool.Trial(t, `{"threads":2,"queries":["q1","q2"]}`)
	report := parse(trial, contract.PhaseRun, runner.Output{Stdout: []byte(output + "Finished\n")})
	for _, finding := range findings(t, trial, report) {
		t.Errorf("%+v", finding)
	}
}
