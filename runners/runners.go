// Package runners is the explicit list of the tools that Assay knows. Adding a
// tool is one folder and one line here.
package runners

import (
	"github.com/assay-bench/assay/runners/custom"
	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"
	"github.com/assay-bench/assay/runners/tpcc"
	"github.com/assay-bench/assay/runners/tpch"
	"github.com/assay-bench/assay/runners/ycsb"
)

// All lists the runners in the order in which documents show them.
func All() []runner.Runner {
	bench, cloud, orders := sysbench.Runner(), ycsb.Runner(), tpcc.Runner()
	return []runner.Runner{
		bench,
		cloud,
		orders,
		tpch.Runner(),
		drivers.Runner(),
		custom.Runner(map[string]custom.Format{
			"Sysbench": custom.Quoted(bench.Quote), "YCSB": custom.Quoted(cloud.Quote), "GoTPC": orders.Quote,
		}),
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
