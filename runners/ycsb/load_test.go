package ycsb

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Together the clients load every row, and none twice.
func TestSharesCoverTheRows(t *testing.T) {
	for _, rows := range []int64{1, 2, 3, 10, 1000, 2_000_000_000} {
		for clients := 1; clients <= 12; clients++ {
			next := int64(0)
			for client := range clients {
				trial := aTrialOf(t, map[string]any{"recordCount": rows})
				trial.Clients, trial.Ref.Client = clients, client
				s, err := shareOf(trial, Params{RecordCount: rows})
				if err != nil {
					t.Fatal(err)
				}
				if s.start != next {
					t.Errorf("%d rows: client %d of %d begins at %d, want %d", rows, client, clients, s.start, next)
				}
				next += s.count
				if got := skips(trial, contract.PhasePrepare); got != (s.count == 0) {
					t.Errorf("%d rows: client %d of %d skips the load: %v, with %d rows", rows, client, clients, got, s.count)
				}
				if skips(trial, contract.PhaseRun) {
					t.Errorf("client %d of %d skips the run", client, clients)
				}
			}
			if next != rows {
				t.Errorf("%d clients load %d of %d rows", clients, next, rows)
			}
		}
	}
}

func TestOnlyTheFirstClientLoadsBehindJDBC(t *testing.T) {
	trial := aTrialOf(t, nil)
	trial.Clients, trial.Endpoint.JDBC = 3, &contract.JDBC{}
	for client, want := range []bool{false, true, true} {
		trial.Ref.Client = client
		if got := skips(trial, contract.PhasePrepare); got != want {
			t.Errorf("client %d skips the load: %v, want %v", client, got, want)
		}
	}
}

// No two phases, trials and clients of a run insert keys of the same range.
func TestRangesOfNewKeysAreApart(t *testing.T) {
	seen := map[int]bool{}
	for index := range 5 {
		for client := range 3 {
			for _, phase := range []contract.Phase{contract.PhaseWarmup, contract.PhaseRun} {
				trial := contract.Trial{Clients: 1 + index%3}
				trial.Ref.Index, trial.Ref.Client = &index, client
				n := insertRange(trial, phase)
				if seen[n] || n < 0 {
					t.Errorf("%s of trial %d, client %d: range %d is taken", phase, index, client, n)
				}
				seen[n] = true
			}
		}
	}
}

func TestExpectations(t *testing.T) {
	mix := map[string]float64{"read": 0.5, "update": 0.5, "scan": 0, "insert": 0, "read-modify-write": 0}
	tests := map[string]struct {
		changes  map[string]any
		tls      contract.TLSMode
		expected runner.Expectations
		demand   contract.Demand
	}{
		"a closed loop": {
			expected: runner.Expectations{DurationSeconds: 300, Threads: 20, ReportIntervalSeconds: 1, QuantileError: 0.001},
			demand:   contract.Demand{Connections: 20, Tables: 1},
		},
		"an open loop with TLS": {
			changes: map[string]any{"target": 500}, tls: contract.TLSRequired,
			expected: runner.Expectations{DurationSeconds: 300, Rate: 500, Pacers: 20, ReportIntervalSeconds: 1, QuantileError: 0.001, TLSRequired: true},
			demand:   contract.Demand{Connections: 20, Tables: 1},
		},
		"a number of operations, prepared in the server": {
			changes:  map[string]any{"operationCount": 5000, "urlParameters": map[string]string{"useServerPrepStmts": "true"}},
			expected: runner.Expectations{Operations: 5000, Threads: 20, ReportIntervalSeconds: 1, QuantileError: 0.001},
			demand:   contract.Demand{Connections: 20, PreparedStatements: 260, Tables: 1},
		},
		"batches of MariaDB's driver": {
			changes:  map[string]any{"driver": "MariaDB", "batchSize": 10, "batchUpdateAPI": true},
			expected: runner.Expectations{DurationSeconds: 300, Threads: 20, ReportIntervalSeconds: 1, QuantileError: 0.001},
			demand:   contract.Demand{Connections: 20, PreparedStatements: 20, Tables: 1},
		},
		"all fields written at once": {
			changes:  map[string]any{"urlParameters": map[string]string{"useServerPrepStmts": "true"}, "properties": map[string]string{"writeallfields": "true"}},
			expected: runner.Expectations{DurationSeconds: 300, Threads: 20, ReportIntervalSeconds: 1, QuantileError: 0.001},
			demand:   contract.Demand{Connections: 20, PreparedStatements: 80, Tables: 1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrialOf(t, tt.changes)
			if tt.tls != "" {
				trial.Endpoint.TLS = tt.tls
			}
			f, err := Runner().Expectations(trial)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Runner().Connection.Demand(trial)
			if err != nil {
				t.Fatal(err)
			}
			tt.expected.Mix, tt.expected.StorageEngine = mix, trial.Endpoint.StorageEngine
			tt.expected.RowsOf = map[string]runner.Rows{"insert": {Inserted: 1}, "update": {Updated: 1}}
			if tt.expected.DurationSeconds > 0 { // bounded by time: it warms up in the process that measures
				tt.expected.WarmupSeconds, tt.expected.Straddling = 30, 20
			}
			n, err := Runner().Data.Rows(trial)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.expected, f); diff != "" {
				t.Errorf("expectations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.demand, d); diff != "" {
				t.Errorf("demand (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]int64{"usertable": 1000}, n); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}
