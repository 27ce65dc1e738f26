package costs

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A trial of many kinds of operations has what each of them costs the client, with the labels of the kind: the CPU time by the
// operations that it is of.
func TestKindsOfOperations(t *testing.T) {
	mysql2 := map[string]string{"driver": "mysql2", "operation": "Insert", "scheme": "Batch", "rows": "100"}
	mariadb := map[string]string{"driver": "mariadb", "operation": "Insert", "scheme": "Batch", "rows": "100"}
	of := func(labels map[string]string, seconds float64, n int64) contract.Measurement {
		return contract.Measurement{Name: contract.NameCPUTime, Labels: labels, Unit: "s", N: &n, Value: &seconds}
	}
	is := func(labels map[string]string, value float64, n int64) contract.Measurement {
		return contract.Measurement{Name: ClientCPU, Labels: labels, Unit: "s/Mop", Direction: contract.LowerIsBetter, N: &n, Value: &value}
	}
	tests := map[string]struct {
		evidence []contract.Measurement
		state    contract.State
		want     []contract.Measurement
	}{
		"two drivers": {
			[]contract.Measurement{of(mysql2, 0.5, 10000), of(mariadb, 0.003, 4)}, contract.Succeeded,
			[]contract.Measurement{is(mysql2, 50, 10000), is(mariadb, 750, 4)},
		},
		"a failed trial":                        {[]contract.Measurement{of(mysql2, 0.5, 10000)}, contract.Failed, nil},
		"of no known operations":                {[]contract.Measurement{{Name: contract.NameCPUTime, Labels: mysql2, Unit: "s", Value: new(0.5)}}, contract.Succeeded, nil},
		"of no operation, or of fewer":          {[]contract.Measurement{of(mysql2, 0.5, 0), of(mariadb, 0.5, -1)}, contract.Succeeded, nil},
		"without a number":                      {[]contract.Measurement{{Name: contract.NameCPUTime, Labels: mysql2, Unit: "s", N: new(int64(5))}}, contract.Succeeded, nil},
		"no CPU time is never 0":                {[]contract.Measurement{of(mysql2, 0, 5), of(mariadb, -1, 5)}, contract.Succeeded, nil},
		"beyond what a number can be":           {[]contract.Measurement{of(mysql2, math.MaxFloat64, 1)}, contract.Succeeded, nil},
		"of all operations, without their kind": {[]contract.Measurement{of(nil, 0.5, 10000)}, contract.Succeeded, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := trial(func(r *contract.Result) {
				r.State = tc.state
				r.Measurements = append([]contract.Measurement{{Name: contract.NameThroughput, Labels: mysql2, Unit: "ops/s", Value: new(100.0)}}, tc.evidence...)
			})
			var got []contract.Measurement
			for _, m := range Of([]contract.Result{r}, r, Rate{PerHour: 1, Currency: "EUR"}) {
				switch m.Name {
				case ClientCPU:
					got = append(got, m)
				case ServerMemory, ClientMemory:
				default:
					t.Errorf("%s has a cost per operation of many kinds: %+v", m.Name, m)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("costs (-want +got):\n%s", diff)
			}
		})
	}
}
