package loads

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestOf(t *testing.T) {
	const higher, lower = contract.HigherIsBetter, contract.LowerIsBetter
	tables := []contract.Table{{Name: "sbtest1", Rows: 600}, {Name: "sbtest2", Rows: 400}, {Name: "somebody", Rows: 5}}
	own := map[string]int64{"sbtest1": 600, "sbtest2": 400}
	took := []contract.Measurement{{Name: contract.NameLoadTime, Unit: "s", Value: new(4.0)}}
	rate := func(rows float64) []contract.Measurement {
		return []contract.Measurement{
			{Name: contract.NameRowRate, Unit: "rows/s", Direction: higher, Value: new(rows / 4)}, {Name: contract.NameRowsLoaded, Unit: "1", Value: &rows},
		}
	}
	for name, tt := range map[string]struct {
		merged   contract.Result
		own      map[string]int64
		provided bool
		want     []contract.Measurement
	}{
		"all of it": {
			merged: contract.Result{State: contract.Succeeded, Measurements: took, Data: &contract.Data{Loaded: &contract.LoadReport{
				StatisticsSeconds: new(0.25), FlushSeconds: new(1.5), Tables: tables,
			}}},
			own: own, provided: true,
			want: append(rate(1000), contract.Measurement{Name: contract.NameStatisticsTime, Unit: "s", Direction: lower, Value: new(0.25)},
				contract.Measurement{Name: contract.NameFlushTime, Unit: "s", Direction: lower, Value: new(1.5)}),
		},
		"a tool that does not name its tables": {
			merged:   contract.Result{State: contract.Succeeded, Measurements: took, Data: &contract.Data{Loaded: &contract.LoadReport{Tables: tables}}},
			provided: true, want: rate(1005),
		},
		"the same on a server of somebody else": {
			merged: contract.Result{State: contract.Succeeded, Measurements: took, Data: &contract.Data{Loaded: &contract.LoadReport{Tables: tables}}},
		},
		"no table": {
			merged: contract.Result{State: contract.Succeeded, Measurements: took, Data: &contract.Data{Loaded: &contract.LoadReport{}}}, own: own, provided: true,
		},
		"no time":    {merged: contract.Result{State: contract.Succeeded, Data: &contract.Data{Loaded: &contract.LoadReport{Tables: tables}}}, own: own},
		"no report":  {merged: contract.Result{State: contract.Succeeded, Measurements: took}, own: own, provided: true},
		"it failed":  {merged: contract.Result{State: contract.Failed, Measurements: took, Data: &contract.Data{Loaded: &contract.LoadReport{Tables: tables}}}, own: own},
		"in no time": {merged: contract.Result{State: contract.Succeeded, Measurements: []contract.Measurement{{Name: contract.NameLoadTime, Value: new(0.0)}}, Data: &contract.Data{Loaded: &contract.LoadReport{Tables: tables}}}, own: own},
	} {
		if diff := cmp.Diff(tt.want, Of(tt.merged, tt.own, tt.provided)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
