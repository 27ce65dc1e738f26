// Package runners is the explicit list of the tools that Assay knows. Adding a
// tool is one folder and one line here.
package runners

import (
	"github.com/assay-bench/assay/runners/custom"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"
)

// All lists the runners in the order in which documents show them.
func All() []runner.Runner {
	bench := sysbench.Runner()
	return []runner.Runner{
		bench,
		custom.Runner(map[string]custom.Format{"Sysbench": bench.Quote}),
	}
}

// Find returns the runner of the name.
func Find(name string) (runner.Runner, bool) {
	for _, r := range All() {
		if r.Name == name {
			return r, true
		}
	}
	return runner.Runner{}, false
}
