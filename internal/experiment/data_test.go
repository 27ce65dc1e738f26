package experiment

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/sysbench"
)

func sysbenchTest(test string, threads string) json.RawMessage {
	return json.RawMessage(`{"test":"` + test + `","threads":` + threads + `,"tables":1,"tableSize":100,"percentile":95}`)
}

// A run loads one data set: that of spec.workload.
func TestCellsNeedTheDataThatIsLoaded(t *testing.T) {
	tests := map[string]struct {
		workload, cell json.RawMessage
		want           string // empty: accepted
	}{
		"tests with the same tables":       {sysbenchTest("oltp_read_write", "4"), sysbenchTest("select_random_points", "8"), ""},
		"bulk_insert beside others":        {sysbenchTest("oltp_read_write", "4"), sysbenchTest("bulk_insert", "4"), "4 tables with 0 rows against 1 with 100"},
		"others beside bulk_insert":        {sysbenchTest("bulk_insert", "4"), sysbenchTest("oltp_delete", "4"), "make one run for each"},
		"bulk_insert with more threads":    {sysbenchTest("bulk_insert", "4"), sysbenchTest("bulk_insert", "8"), "needs other tables"},
		"bulk_insert with the same number": {sysbenchTest("bulk_insert", "4"), sysbenchTest("bulk_insert", "4"), ""},
		"a cell that cannot be read":       {sysbenchTest("bulk_insert", "4"), sysbenchTest("bulk_insert", `"four"`), "workload.sysbench: json"},
		"a base that cannot be loaded":     {sysbenchTest("bulk_insert", `"four"`), sysbenchTest("bulk_insert", "4"), "spec.workload: it is what is loaded"},
	}
	cell := plan.Cell{"test": intstr.FromString("x")}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := Work{Tool: sysbench.Runner(), Params: tc.workload}
			trial := contract.Trial{Workload: tc.cell, Clients: 1}
			loaded, err := rowsLoaded(w, trial)
			if err == nil {
				err = checkData(w, 3, cell, trial, loaded)
			}
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	unknown := Work{Params: sysbenchTest("bulk_insert", "4")}
	if err := checkData(unknown, 0, cell, contract.Trial{}, nil); err != nil {
		t.Errorf("a tool that knows nothing of its tables: %v", err)
	}
}
