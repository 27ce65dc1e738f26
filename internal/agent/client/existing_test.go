package client

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Data that exists is looked at, and compared with what the tool needs: nothing is started, and nothing is written.
func TestDataThatExists(t *testing.T) {
	const large = 3_000_000
	for name, tc := range map[string]struct {
		tables []contract.Table
		needs  map[string]int64
		want   string
	}{
		"as much as is needed":        {loadedTables(), map[string]int64{"SBTEST1": 1000}, ""},
		"more than that":              {loadedTables(), map[string]int64{"sbtest1": 500}, ""},
		"a tool that does not say":    {loadedTables(), nil, ""},
		"a row less":                  {loadedTables(), map[string]int64{"sbtest1": 1001}, "table sbtest1 has 1000 rows, at least 1001 are needed"},
		"another table":               {loadedTables(), map[string]int64{"usertable": 5}, "table usertable is missing, at least 5 rows are needed"},
		"an estimate a bit below":     {[]contract.Table{{Name: "t", Rows: large, Estimated: true}}, map[string]int64{"t": 2*large - 1}, ""},
		"an estimate of less by half": {[]contract.Table{{Name: "t", Rows: large, Estimated: true}}, map[string]int64{"t": 2*large + 2}, "table t has about 3000000 rows, at least 6000002 are needed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) { trial.Existing = true })
			r.server.tables = tc.tables
			r.agent.Runner = adapter(func(a *runner.Runner) {
				a.Command = nil
				a.Data.Rows = func(contract.Trial) (map[string]int64, error) { return tc.needs, nil }
			})
			if err := r.agent.Run(t.Context()); (err == nil) != (tc.want == "") {
				t.Fatal(err)
			}
			res, _ := r.outcome(t)
			if tc.want != "" && (res.Failure == nil || res.Failure.Reason != contract.ReasonDataDiffers || !strings.Contains(res.Failure.Message, tc.want)) {
				t.Errorf("got %+v, want %s", res.Failure, tc.want)
			}
			if diff := cmp.Diff(&contract.Data{Tables: tablesNamed(tc.tables, slices.Collect(maps.Keys(tc.needs)))}, res.Data); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
			if asked := strings.Join(r.server.asked, ", "); strings.Contains(asked, "analyze") || strings.Contains(asked, "durability") || strings.Contains(asked, "tables") || res.Tool.ExitCode != nil {
				t.Errorf("asked the server %s; the tool: %+v", asked, res.Tool)
			}
		})
	}
}
