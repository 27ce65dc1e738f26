package tpcc

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// Params are spec.workload.tpcc, which have their defaults and are within their bounds.
type Params v1alpha1.TPCCWorkload

func decodeParams(workload json.RawMessage) (Params, error) {
	return runner.Decode(Name, workload, func(p Params) error {
		if n := runner.Value(p.AnalyticalThreads); n > 0 && len(p.AnalyticalQueries) == 0 {
			return fmt.Errorf("workload.%s.analyticalThreads: %d threads have no queries: name some in analyticalQueries, such as [q1, q6]", Name, n)
		}
		return nil
	})
}

// dataFields decide what is loaded.
func dataFields(workload json.RawMessage) ([]string, error) {
	p, err := decodeParams(workload)
	if err != nil || !p.analyzes() {
		return []string{"warehouses"}, err
	}
	return []string{"warehouses", "analyticalQueries"}, nil
}

// workloadOf decodes the workload, and refuses what it cannot be with the trial.
func workloadOf(t contract.Trial) (Params, error) {
	p, err := decodeParams(t.Workload)
	if err == nil {
		err = gotpc.CheckEndpoint(t.Endpoint)
	}
	return p, err
}

const (
	// quantileError is the relative width of the buckets from which go-tpc reads percentiles:
	// one significant digit, which HdrHistogram keeps in 16 buckets for each power of two.
	quantileError = 1.0 / 16
	// statements that a terminal prepares: 39 for new orders, 10 for payments, 5 for the status
	// of orders, 7 for deliveries and 2 for stock levels.
	statements = 63
	// checkMost is how long the check of a warehouse may take. One query compares each of
	// 30,000 customers with all payments of the warehouse: 2.5 minutes on two old cores.
	checkMost = 10 * time.Minute
)

// Rows that go-tpc loads for each warehouse, but for item, which has as many for all. How many
// lines an order has is drawn at random.
var rowsPerWarehouse = map[string]int64{
	"warehouse": 1, "district": 10, "customer": 30_000, "history": 30_000, "orders": 30_000, "new_order": 9_000, "stock": 100_000,
}

const items = 100_000

// transactional is the number of tables of TPC-C.
const transactional = 9

func (p Params) expectations(t contract.Trial) runner.Expectations {
	// Threads is left out: the ping before each transaction, and transactions that failed, take
	// time that no latency has.
	return runner.Expectations{
		Headline:              contract.NameNewOrders,
		DurationSeconds:       t.DurationSeconds,
		StorageEngine:         t.Endpoint.StorageEngine,
		ReportIntervalSeconds: p.ReportIntervalSeconds,
		QuantileError:         quantileError,
		TLSRequired:           t.Endpoint.TLS == contract.TLSRequired,
		Shared:                p.analysts() > 0,
		// The least that each does; one new order in a hundred is rolled back, as it has to be.
		RowsOf: map[string]runner.Rows{"new_order": {Inserted: 2, Updated: 1}, "payment": {Inserted: 1, Updated: 3}},
	}
}

// demand of one client. While it loads, each thread has a connection beside its own.
func (p Params) demand(contract.Trial) contract.Demand {
	threads := int64(p.Threads)
	return contract.Demand{
		Connections: max(2*threads, threads+int64(p.analysts())), PreparedStatements: statements * threads, Tables: int64(p.tables()),
	}
}

// rows that the tables have to have when the first client has loaded. go-tpc passes over errors
// of its inserts, so that this is the only proof that it has loaded.
func (p Params) rows(contract.Trial) map[string]int64 {
	all := map[string]int64{"item": items}
	if p.analyzes() {
		maps.Copy(all, analyticalRows)
	}
	for table, n := range rowsPerWarehouse {
		all[table] = n * int64(p.Warehouses)
	}
	return all
}

// checkTime says how long the check of the data may take; 0 without one.
func checkTime(t contract.Trial) time.Duration {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return 0 // Command says what is wrong
	}
	return checkMost * time.Duration(runner.Value(p.CheckWarehouses))
}
