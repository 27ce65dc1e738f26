package drivers

import (
	"encoding/json"
	"maps"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// combinations of a workload, in all its languages and in the order of the spec. Some of them a
// harness may refuse.
func (p Params) combinations(json.RawMessage) (out []runner.Combination) {
	for _, c := range p.cells() {
		one := runner.Combination{Labels: c.labels()}
		one.Factors = maps.Clone(one.Labels)
		one.Factors[contract.LabelSession] = c.session
		one.Factors[contract.LabelConcurrency] = strconv.Itoa(c.concurrency)
		if p.Language == "" && len(p.languages()) > 1 {
			one.Axes = map[string]string{contract.LabelLanguage: string(c.driver.Language)}
		}
		out = append(out, one)
	}
	return out
}
