package sysbench

import (
	"encoding/json"
	"strconv"

	"github.com/assay-bench/assay/runners/runner"
)

// offers is the rate of the open loop, and the one percentile that sysbench computes.
func offers(workload json.RawMessage) (runner.Offered, error) {
	p, err := decodeParams(workload)
	if err != nil {
		return runner.Offered{}, err
	}
	return runner.Offered{Field: "rate", Percentiles: []string{strconv.Itoa(int(p.Percentile))}}, nil
}
