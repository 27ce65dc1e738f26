package tpch

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/outputs"
)

func TestCommand(t *testing.T) {
	const to = "--driver=mysql --host=db.bench.svc --port=3306 --user=assay --db=assay --conn-params=tls=false&default_storage_engine=%27InnoDB%27 "
	const all = "q1,q2,q3,q4,q5,q6,q7,q8,q9,q10,q11,q12,q13,q14,q15,q16,q17,q18,q19,q20,q21,q22"
	tests := map[string]struct {
		phase    contract.Phase
		workload string
		want     string
	}{
		"prepare": {contract.PhasePrepare, `{"scaleFactor":10,"threads":4}`, "--threads=4 tpch prepare --sf=10 --analyze=false --tiflash-replica=0"},
		"a warm-up has no number of queries": {contract.PhaseWarmup, `{"threads":4,"queries":["q6"]}`,
			"--threads=4 --count=0 --time=5s --interval=24h tpch run --sf=1 --queries=q6 --check=true --enable-query-tuning=false"},
		"all queries":            {contract.PhaseRun, `{}`, "--threads=1 --count=22 --time=600s --interval=24h tpch run --sf=1 --queries=" + all + " --check=true --enable-query-tuning=false"},
		"each thread has all":    {contract.PhaseRun, `{"threads":3,"queries":["q6","q1"]}`, "--threads=3 --count=6 --time=600s --interval=24h tpch run --sf=1 --queries=q6,q1 --check=true --enable-query-tuning=false"},
		"results of another one": {contract.PhaseRun, `{"queries":["q6"],"check":false}`, "--threads=1 --count=1 --time=600s --interval=24h tpch run --sf=1 --queries=q6 --check=false --enable-query-tuning=false"},
		"there are no answers for another scale factor": {contract.PhaseRun, `{"queries":["q6"],"scaleFactor":10,"check":true}`,
			"--threads=1 --count=1 --time=600s --interval=24h tpch run --sf=10 --queries=q6 --check=false --enable-query-tuning=false"},
		"cleanup": {contract.PhaseCleanup, `{"threads":4}`, "--threads=1 tpch cleanup --sf=1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := command(tool.Trial(t, tt.workload), tt.phase, outputs.Someone)
			if err != nil {
				t.Fatal(err)
			}
			if line := strings.Join(got.Args, " "); got.Path != "go-tpc" || line != to+tt.want {
				t.Errorf("%s %s\nwant %s", got.Path, line, to+tt.want)
			}
			if got.Env["GO_TPC_PASSWORD"] != "s3cret" || got.Seed != 0 || got.Unseeded {
				t.Errorf("environment %v, seed %d, unseeded %v", got.Env, got.Seed, got.Unseeded)
			}
		})
	}
}

func TestWhatIsRefused(t *testing.T) {
	tool.Refuses(t, map[string]outputs.Refusal{
		"a target with a JDBC URL":    {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.JDBC = &contract.JDBC{} }, Want: "JDBC"},
		"a schema that is no name":    {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Database = "a b" }, Want: "endpoint.database"},
		"a window without a duration": {Change: func(t *contract.Trial, _ *runner.Credentials) { t.DurationSeconds = 0 }, Want: "durationSeconds"},
		"no workload":                 {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Workload = nil }, Want: "workload.tpch"},
		"a user with a colon":         {Change: func(_ *contract.Trial, c *runner.Credentials) { c.Username = "a:b" }, Want: "username"},
	})
}

// What a workload needs, and the rows that it loads: those of TPC-H 4.2.5 for the scale factor.
func TestWhatAWorkloadNeeds(t *testing.T) {
	trial := tool.Trial(t, `{"scaleFactor":10,"threads":16}`)
	got, err := Runner().Connection.Demand(trial)
	if want := (contract.Demand{Connections: 48, Tables: 8}); err != nil || got != want {
		t.Errorf("demand %+v, %v, want %+v", got, err, want)
	}
	want := map[string]int64{
		"region": 5, "nation": 25, "supplier": 100_000, "customer": 1_500_000, "part": 2_000_000, "partsupp": 8_000_000, "orders": 15_000_000, "lineitem": 59_986_052,
	}
	if got, err := Runner().Data.Rows(trial); err != nil || !cmp.Equal(want, got) {
		t.Errorf("rows %v, %v", got, err)
	}
	expected, err := Runner().Expectations(trial)
	if err != nil || expected.Operations != 352 || expected.DurationSeconds != 0 || expected.Threads != 0 {
		t.Errorf("expectations %+v, %v", expected, err)
	}
	if _, err := Runner().Expectations(contract.Trial{}); err == nil {
		t.Error("expectations of a trial without a workload")
	}
}

// A scale factor whose rows are not known is refused and not looked up.
func TestAScaleFactorThatIsNotKnown(t *testing.T) {
	for _, workload := range []string{`{}`, `{"scaleFactor":0}`, `{"scaleFactor":-1}`, `{"scaleFactor":101}`} {
		trial := tool.Trial(t, `{}`)
		trial.Workload = json.RawMessage(workload)
		if rows, err := Runner().Rows(trial); err == nil || !strings.Contains(err.Error(), "workload.tpch.scaleFactor: ") {
			t.Errorf("%s: %v, %v", workload, rows, err)
		}
		if report := parse(trial, contract.PhaseRun, runner.Output{Stdout: []byte(window)}); report.Failure == nil || report.Failure.Reason != contract.ReasonTrialUnreadable {
			t.Errorf("%s: %+v", workload, report.Failure)
		}
	}
	for _, workload := range []string{`{"scaleFactor":1}`, `{"scaleFactor":100}`} {
		if rows, err := Runner().Rows(tool.Trial(t, workload)); err != nil || rows["lineitem"] == 0 {
			t.Errorf("%s: %v, %v", workload, rows, err)
		}
	}
}

// go-tpc replaces a view, so that tables which exist are not used without leave.
func TestOnExisting(t *testing.T) {
	if readsOnly, err := Runner().OnExisting(tool.Trial(t, `{}`)); readsOnly || err != nil {
		t.Errorf("reads only %v, %v", readsOnly, err)
	}
}

// The number of lines of each order is drawn as go-tpc draws it (tpch/dbgen/rand.go, stream 43), and TPC-H 4.2.5 has the sums for 1, 10, 30
// and 100.
func TestLineItemsAreThoseOfTheGenerator(t *testing.T) {
	most := len(lineItems)
	if testing.Short() {
		most = 3
	}
	const modulus = 2147483647
	seed, lines := int64(1434868289), int64(0)
	for scale := range most {
		for range ordersPerScale {
			seed = seed * 16807 % modulus
			lines += 1 + int64(float64(seed)/modulus*7)
		}
		if lines != lineItems[scale] {
			t.Fatalf("scale factor %d has %d lines, not %d", scale+1, lines, lineItems[scale])
		}
	}
	for scale, want := range map[int]int64{1: 6_001_215, 10: 59_986_052, 30: 179_998_372, 100: 600_037_902} {
		if got := lineItems[scale-1]; got != want {
			t.Errorf("scale factor %d has %d lines, and TPC-H says %d", scale, got, want)
		}
	}
}

// Whatever is printed, a report can be written down, and a success has a number.
func FuzzParse(f *testing.F) {
	for name := range fixtures {
		f.Add(outputs.Load(f, name+".stdout"))
	}
	f.Add([]byte(window))
	trial := tool.Trial(f, `{"threads":2,"queries":["q1","q2"]}`) // it takes long
	f.Fuzz(func(t *testing.T, output []byte) {
		for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseWarmup, contract.PhaseRun, contract.PhaseCleanup} {
			report := parse(trial, phase, runner.Output{Stdout: output, Stderr: output})
			if _, err := json.Marshal(report); err != nil {
				t.Errorf("the report cannot be written down: %v", err)
			}
			if phase == contract.PhaseRun && report.Failure == nil && len(report.Measurements) == 0 {
				t.Error("neither a number nor a failure")
			}
		}
	})
}
