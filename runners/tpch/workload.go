package tpch

import (
	"encoding/json"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// Params are spec.workload.tpch, which have their defaults and are within their bounds.
type Params v1alpha1.TPCHWorkload

// decodeParams refuses a scale factor whose rows are not known, which a workload without defaults has, too.
func decodeParams(workload json.RawMessage) (Params, error) {
	return runner.Decode(Name, workload, func(p Params) error {
		if p.ScaleFactor < 1 || int(p.ScaleFactor) > len(lineItems) {
			return fmt.Errorf("workload.%s.scaleFactor: %d is not 1 to %d", Name, p.ScaleFactor, len(lineItems))
		}
		return nil
	})
}

// workloadOf decodes the workload, and refuses what it cannot be with the trial.
func workloadOf(t contract.Trial) (Params, error) {
	p, err := decodeParams(t.Workload)
	if err == nil {
		err = gotpc.CheckEndpoint(t.Endpoint)
	}
	return p, err
}

// operations that a trial of one client has: each thread executes each query once.
func (p Params) operations() int64 { return int64(p.Threads) * int64(len(p.Queries)) }

// checked says whether go-tpc compares results with its answers: it has them for scale factor 1 alone.
func (p Params) checked() bool { return runner.Value(p.Check) && p.ScaleFactor == 1 }

// expectations have no Threads: a thread that has executed its own queries waits for the others, however long theirs take, and the client is
// no bottleneck.
func (p Params) expectations(t contract.Trial) runner.Expectations {
	return runner.Expectations{
		Headline:      contract.NameQueryMean,
		Operations:    p.operations(),
		StorageEngine: t.Endpoint.StorageEngine,
		TLSRequired:   t.Endpoint.TLS == contract.TLSRequired,
	}
}

// demand of one client. While it loads, each thread has a connection of its own, which does nothing, and one for each of two tables that are
// loaded together.
func (p Params) demand(contract.Trial) contract.Demand {
	return contract.Demand{Connections: 3 * int64(p.Threads), Tables: int64(len(tables))}
}

// tables that it makes, in the order in which it drops them.
var tables = []string{"lineitem", "partsupp", "supplier", "part", "orders", "customer", "region", "nation"}

// rowsPerScale of the tables that grow with the scale factor, but for lineitem (TPC-H 4.2.5).
var rowsPerScale = map[string]int64{"supplier": 10_000, "part": 200_000, "partsupp": 800_000, "customer": 150_000, "orders": ordersPerScale}

// ordersPerScale is the number of orders for each 1 of the scale factor.
const ordersPerScale = 1_500_000

// rows that the tables have to have after the load. go-tpc passes over errors of its inserts, so that this is the only proof that it has
// loaded.
func (p Params) rows(contract.Trial) map[string]int64 {
	all := map[string]int64{"region": 5, "nation": 25, "lineitem": lineItems[p.ScaleFactor-1]}
	for table, n := range rowsPerScale {
		all[table] = n * int64(p.ScaleFactor)
	}
	return all
}

// lineItems is the number of rows of lineitem by the scale factor, from 1. An order has 1 to 7 lines by a generator that is always seeded
// alike (go-tpc's tpch/dbgen), so that the number is exact: a test draws it again. TPC-H 4.2.5 has those of 1, 10, 30 and 100.
var lineItems = [100]int64{
	6001215, 11997996, 17996609, 23996604, 29999795, 36000148, 41995307, 47989007, 53986608, 59986052,
	65986968, 71985077, 77988851, 83988094, 89987373, 95988640, 101987778, 107989282, 113993503, 119994608,
	125999478, 131998273, 137999548, 143999787, 149996355, 155998566, 161996700, 167998091, 173996256, 179998372,
	186001783, 192000551, 197999368, 204000768, 210007583, 216010453, 222011257, 228011443, 234012501, 240012290,
	246012324, 252010621, 258008345, 264012492, 270012109, 276010131, 282013658, 288013498, 294009336, 300005811,
	306007298, 312011435, 318008483, 324009311, 330011026, 336006288, 342009061, 348008548, 354007452, 360011594,
	366010469, 372014281, 378014054, 384016850, 390015791, 396017923, 402020882, 408019619, 414017707, 420017438,
	426019104, 432020146, 438021547, 444018351, 450019701, 456021850, 462021764, 468020933, 474022652, 480025129,
	486025434, 492025239, 498025402, 504025985, 510027404, 516024912, 522027412, 528026066, 534026265, 540030432,
	546033681, 552031226, 558032267, 564032806, 570038800, 576037642, 582038243, 588034893, 594036667, 600037902,
}
