package sysbench

import (
	"encoding/json"
	"strconv"

	"github.com/assay-bench/assay/runners/runner"
)

// offers is the rate of the open loop, and the one percentile that sysbench computes.
func (p Params) offers(json.RawMessage) runner.Offered {
	return runner.Offered{Field: "rate", Percentiles: []string{strconv.Itoa(int(p.Percentile))}}
}
