package ycsb

import (
	"encoding/json"
	"strings"

	"github.com/assay-bench/assay/runners/runner"
)

// percentiles that YCSB is asked for.
const percentiles = "50,95,99,99.9"

// offers is the rate of the open loop.
func offers(json.RawMessage) (runner.Offered, error) {
	return runner.Offered{Field: "target", Percentiles: strings.Split(percentiles, ",")}, nil
}
