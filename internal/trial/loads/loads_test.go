package loads

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestOf(t *testing.T) {
	const higher, lower = contract.HigherIsBetter, contract.LowerIsBetter
	tables := []contract.Table{{Name: "sbtest1", Rows: 600}, {Name: "sbtest2", Rows: 400}, {Name: "somebody", Rows: 5}}
	own := map[string]int64{"sbtest1": 600, "sbtest2": 400}
	began := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	ended := began.Add(4 * time.Second)
	tool := contract.Measurement{Name: contract.NameThroughput, Value: new(7.0)}
	took := []contract.Measurement{{Name: contract.NameLoadTime, Unit: "s", Value: new(3.5)}, tool} // of the client that took longest
	of := func(loaded *contract.LoadReport) contract.Result {
		return contract.Result{
			State: contract.Succeeded, Measurements: took, Data: &contract.Data{Loaded: loaded}, Times: contract.Times{WindowStarted: &began, WindowEnded: &ended},
		}
	}
	whole := contract.Measurement{Name: contract.NameLoadTime, Unit: "s", Direction: lower, Value: new(4.0)}
	rate := func(rows float64) []contract.Measurement {
		return []contract.Measurement{
			tool, whole, {Name: contract.NameRowRate, Unit: "rows/s", Direction: higher, Value: new(rows / 4)}, {Name: contract.NameRowsLoaded, Unit: "1", Value: &rows},
		}
	}
	failed, untimed, noLoad := of(&contract.LoadReport{Tables: tables}), of(&contract.LoadReport{Tables: tables}), of(nil)
	failed.State, untimed.Times = contract.Failed, contract.Times{}
	for name, tt := range map[string]struct {
		merged   contract.Result
		own      map[string]int64
		provided bool
		want     []contract.Measurement
	}{
		"all of it": {
			merged: of(&contract.LoadReport{StatisticsSeconds: new(0.25), FlushSeconds: new(1.5), Tables: tables}), own: own, provided: true,
			want: append(rate(1000), contract.Measurement{Name: contract.NameStatisticsTime, Unit: "s", Direction: lower, Value: new(0.25)},
				contract.Measurement{Name: contract.NameFlushTime, Unit: "s", Direction: lower, Value: new(1.5)}),
		},
		"a tool that does not name its tables":  {merged: of(&contract.LoadReport{Tables: tables}), provided: true, want: rate(1005)},
		"the same on a server of somebody else": {merged: of(&contract.LoadReport{Tables: tables}), want: []contract.Measurement{tool, whole}},
		"no table":                              {merged: of(&contract.LoadReport{}), own: own, provided: true, want: []contract.Measurement{tool, whole}},
		"no time":                               {merged: untimed, own: own, want: []contract.Measurement{tool, {Name: contract.NameRowsLoaded, Unit: "1", Value: new(1000.0)}}},
		"no load":                               {merged: noLoad, own: own, provided: true, want: took},
		"it failed":                             {merged: failed, own: own, want: took},
	} {
		if diff := cmp.Diff(tt.want, Of(tt.merged, tt.own, tt.provided)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
