package sysbench

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestDecodeParams(t *testing.T) {
	got, err := decodeParams(json.RawMessage(workload))
	if err != nil {
		t.Fatal(err)
	}
	want := Params{
		Test: TestReadWrite, Threads: 64, Tables: 10, TableSize: 1000000, ReportIntervalSeconds: 1,
		Percentile: 99, Histogram: new(true),
		RandType: "special", DBPSMode: "auto", IgnoreErrors: "1213,1020,1205",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
}

func TestDecodeParamsRefuses(t *testing.T) {
	tests := map[string]struct {
		workload json.RawMessage
		want     string
	}{
		"an empty object":             {json.RawMessage(`{}`), "sysbench needs exactly one of test"},
		"a field that is not known":   {edit(workload, `"skipTrx"`, `"skiptTrx"`), "unknown field: skiptTrx"},
		"a test that is not known":    {edit(workload, "oltp_read_write", "tpcc"), `workload.sysbench.test: Unsupported value: "tpcc"`},
		"neither a test nor a script": {edit(workload, `"test":"oltp_read_write",`, ""), "sysbench needs exactly one of test"},
		"both a test and a script":    {withField("script", `{"configMap":{"name":"mine"}}`), "sysbench needs exactly one of test"},
		"several tables of a test that reads one": {edit(workload, "oltp_read_write", "select_random_points"),
			"workload.sysbench.tables: select_random_points reads one table"},
		"a lost connection ignored": {withField("ignoreErrors", `"1213,2013"`), "sysbench 1.0.20 crashes"},
		"a value beyond its bounds": {edit(workload, `"threads":64`, `"threads":0`), "workload.sysbench.threads: Invalid value: 0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := decodeSpec(tc.workload); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// The tests of the API are those of the table.
func TestTheAPINamesTheBundledTests(t *testing.T) {
	source, err := os.ReadFile("../../api/v1alpha1/sysbench_types.go")
	if err != nil {
		t.Fatal(err)
	}
	_, values, _ := strings.Cut(string(source), "validation:Enum=")
	values, _, _ = strings.Cut(values, "\n")
	named := strings.Split(values, ";")
	slices.Sort(named)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(bundled)), named); diff != "" {
		t.Errorf("tests (-table +API):\n%s", diff)
	}
}

// A trial that no manager of ours has made is refused, not read as something else.
func TestDecodeParamsIsStrict(t *testing.T) {
	for name, bad := range map[string]json.RawMessage{
		"nothing": nil, "an unknown field": edit(workload, `"skipTrx"`, `"skiptTrx"`), "a second object": json.RawMessage(workload + `{}`),
	} {
		if _, err := decodeParams(bad); err == nil || !strings.Contains(err.Error(), "workload.sysbench: ") {
			t.Errorf("%s: got error %v, want one that names the tool", name, err)
		}
	}
}

func TestExpectations(t *testing.T) {
	queries := map[string]struct {
		test    string
		skipTrx bool
		want    int32
		rows    runner.Rows
	}{
		"read write":                         {TestReadWrite, false, 20, runner.Rows{Inserted: 1, Updated: 2, Deleted: 1}},
		"read write without transactions":    {TestReadWrite, true, 18, runner.Rows{Inserted: 1, Updated: 2, Deleted: 1}},
		"read only":                          {TestReadOnly, false, 16, runner.Rows{}},
		"read only without transactions":     {TestReadOnly, true, 14, runner.Rows{}},
		"write only":                         {TestWriteOnly, false, 6, runner.Rows{Inserted: 1, Updated: 2, Deleted: 1}},
		"write only without transactions":    {TestWriteOnly, true, 4, runner.Rows{Inserted: 1, Updated: 2, Deleted: 1}},
		"a point select has no transaction":  {TestPointSelect, false, 1, runner.Rows{}},
		"a point select, and none asked for": {TestPointSelect, true, 1, runner.Rows{}},
		"an insert":                          {TestInsert, false, 1, runner.Rows{Inserted: 1}},
		"a delete":                           {TestDelete, false, 1, runner.Rows{Deleted: 1}},
		"an update of the index":             {TestUpdateIndex, false, 1, runner.Rows{Updated: 1}},
		"an update beside the index":         {TestUpdateNonIndex, false, 1, runner.Rows{Updated: 1}},
	}
	for name, tc := range queries {
		t.Run(name, func(t *testing.T) {
			f := measured(tc.test, tc.skipTrx).with(overTLS)
			got, err := Runner().Expectations(f.trial(t))
			if err != nil {
				t.Fatal(err)
			}
			want := runner.Expectations{
				DurationSeconds: 10, Threads: 4, QueriesPerOperation: tc.want, ReportIntervalSeconds: 1,
				QuantileError: quantileError, TLSRequired: true, Rows: tc.rows, WritesPerOperation: tc.rows.Sum(), StorageEngine: "InnoDB",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("expectations (-want +got):\n%s", diff)
			}
		})
	}
	loops := map[string]struct {
		change func(*Params)
		want   runner.Expectations
	}{
		"a number of events takes as long as it takes": {
			func(p *Params) { p.Events = 500 }, runner.Expectations{Operations: 500, Threads: 4}},
		"threads that wait for work keep no law of Little": {
			func(p *Params) { p.Rate = 50 }, runner.Expectations{DurationSeconds: 10, Rate: 50, RandomArrivals: true}},
		"a number of events at a rate": {
			func(p *Params) { p.Rate, p.Events = 50, 500 }, runner.Expectations{Operations: 500, Rate: 50, RandomArrivals: true}},
	}
	for name, tc := range loops {
		t.Run(name, func(t *testing.T) {
			f := measured(TestReadWrite, false)
			tc.change(&f.params)
			got, err := Runner().Expectations(f.trial(t))
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Rows, tc.want.WritesPerOperation, tc.want.StorageEngine = runner.Rows{Inserted: 1, Updated: 2, Deleted: 1}, 4, "InnoDB"
			tc.want.QueriesPerOperation, tc.want.ReportIntervalSeconds, tc.want.QuantileError = 20, 1, quantileError
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("expectations (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := Runner().Expectations(contract.Trial{}); err == nil {
		t.Error("expectations of a trial without a workload: want an error")
	}
}

// Options change how many rows an event is to change; an event of bulk_insert is a row, of
// which many are one statement, and nothing is known of scripts.
func TestChangesOfAnEvent(t *testing.T) {
	tests := map[string]struct {
		params Params
		want   change
	}{
		"other numbers": {
			Params{Test: TestReadWrite, Options: map[string]string{"index-updates": "2", "non_index_updates": "0", "delete-inserts": "3"}},
			change{rows: runner.Rows{Inserted: 3, Updated: 2, Deleted: 3}, writes: 8},
		},
		"rows in bulk":         {Params{Test: TestBulkInsert}, change{rows: runner.Rows{Inserted: 1}}},
		"a script of the user": {Params{Script: &v1alpha1.SysbenchScript{}}, change{}},
	}
	for name, tc := range tests {
		if got := tc.params.changes(); got != tc.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tc.want)
		}
	}
}

func FuzzDecodeParams(f *testing.F) {
	f.Add([]byte(workload))
	f.Add([]byte(`{"test":"oltp_read_only","threads":1e3}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(aScript))
	f.Add([]byte(withField("options", `{"range-selects":"off","delete_inserts":"3"}`)))
	f.Add([]byte(withField("options", `{"tables":"10"}`)))
	f.Fuzz(func(t *testing.T, workload []byte) {
		workload, err := inSpec(workload)
		if err != nil {
			return
		}
		p, err := decodeParams(workload)
		if err != nil {
			return
		}
		counted := p.Script == nil && p.Test != TestBulkInsert
		if n := p.queriesPerEvent(); p.validate() != nil || n < 0 || n > math.MaxInt32 || counted && n == 0 || p.preparedPerConnection() < 0 {
			t.Errorf("accepted %+v", p)
		}
		trial := aTrial()
		trial.Workload = workload
		if p.Script != nil {
			trial.Inputs = map[string][]byte{p.Script.File: nil}
		}
		for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseWarmup, contract.PhaseRun, contract.PhaseCleanup} {
			if _, err := command(trial, phase, someone); err != nil {
				t.Errorf("%s: %v", phase, err)
			}
		}
	})
}
