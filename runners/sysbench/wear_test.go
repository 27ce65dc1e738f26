package sysbench

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestWear(t *testing.T) {
	of := func(test, more string) contract.Trial {
		trial := aTrial()
		trial.Workload = edit(strings.Replace(workload, `"skipTrx":false`, `"skipTrx":false`+more, 1), TestReadWrite, test)
		return trial
	}
	count := func(n int64) *int64 { return &n }
	tests := map[string]struct {
		trial contract.Trial
		want  runner.Wear
	}{
		"a test that reads":                   {of(TestReadOnly, ""), runner.Wear{}},
		"one that inserts what it deletes":    {of(TestWriteOnly, ""), runner.Wear{}},
		"one that updates":                    {of(TestUpdateIndex, ""), runner.Wear{}},
		"one that empties its tables before":  {of(TestBulkInsert, ""), runner.Wear{}},
		"deletes for a time":                  {of(TestDelete, ""), runner.Wear{Deletes: 1, RowBytes: 240, HotRows: 0.01, HotKeys: 0.75}},
		"deletes for a time, by uniform keys": {of(TestDelete, `,"randType":"uniform"`), runner.Wear{Deletes: 1, RowBytes: 240}},
		"deletes for a time, by other hot keys": {
			of(TestDelete, `,"options":{"rand-spec-pct":"5","rand_spec_res":"50"}`), runner.Wear{Deletes: 1, RowBytes: 240, HotRows: 0.05, HotKeys: 0.5},
		},
		"a number of deletes; the warm-up is as long as it is": {
			of(TestDelete, `,"randType":"uniform","events":5000`), runner.Wear{Deletes: 1, RowBytes: 240, Window: count(5000), Exact: true},
		},
		"deletes at a rate": {
			of(TestDelete, `,"randType":"uniform","rate":10`), runner.Wear{Deletes: 1, RowBytes: 240, Warmup: count(300), Window: count(3000)},
		},
		"inserts at a rate": {
			of(TestInsert, `,"randType":"uniform","rate":10`), runner.Wear{Inserts: 1, RowBytes: 240, Warmup: count(300), Window: count(3000)},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Runner().Data.Wear(tt.trial)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Deletes+got.Inserts > 0) != (got.Remedy != "") {
				t.Errorf("remedy %q", got.Remedy)
			}
			got.Remedy = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("wear (-want +got):\n%s", diff)
			}
		})
	}
	cold := of(TestDelete, `,"events":5`)
	cold.WarmupSeconds = 0
	if got, err := Runner().Data.Wear(cold); err != nil || got.Warmup == nil || *got.Warmup != 0 {
		t.Errorf("without a warm-up: %+v, %v, want one of 0 operations", got, err)
	}
}

func TestOnExisting(t *testing.T) {
	for workload, want := range map[string]string{
		`{"test": "oltp_read_only", "threads": 1, "tables": 1, "tableSize": 10}`:                                                                                      "reads",
		`{"test": "oltp_point_select", "threads": 1, "tables": 1, "tableSize": 10}`:                                                                                   "reads",
		`{"test": "select_random_ranges", "threads": 1, "tables": 1, "tableSize": 10}`:                                                                                "reads",
		`{"test": "oltp_read_write", "threads": 1, "tables": 1, "tableSize": 10}`:                                                                                     "writes",
		`{"test": "oltp_update_non_index", "threads": 1, "tables": 1, "tableSize": 10}`:                                                                               "writes",
		`{"test": "oltp_insert", "threads": 1, "tables": 1, "tableSize": 10}`:                                                                                         "writes",
		`{"test": "bulk_insert", "threads": 1, "tables": 1, "tableSize": 10}`:                                                                                         "bulk_insert empties its tables before it fills them",
		`{"test": "oltp_write_only", "threads": 1, "tables": 1, "tableSize": 10, "options": {"index_updates": "0", "non_index_updates": "0", "delete_inserts": "0"}}`: "reads",
	} {
		readsOnly, err := Runner().OnExisting(contract.Trial{Clients: 1, Workload: json.RawMessage(workload)})
		got := "writes"
		switch {
		case err != nil:
			got = err.Error()
		case readsOnly:
			got = "reads"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", workload, got, want)
		}
	}
}
