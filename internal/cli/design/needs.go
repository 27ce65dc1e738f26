package design

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// needsOf a run whose workload meets a limit that some server has by default; nil for any other.
func needsOf(run *v1alpha1.BenchmarkRun, f experiment.Foreseen) *output.PlannedNeeds {
	for _, t := range run.Provided() {
		e, known := engines.Find(t.MySQL.Flavor)
		need := f.Demand.On(run.Spec.ServersOf(t))
		if !known || len(need.Limits(e)) == 0 {
			continue
		}
		return &output.PlannedNeeds{
			Connections: need.All.Connections, PreparedStatements: need.All.PreparedStatements, ServerBytes: need.ServerBytes(),
			ClientFiles: need.ClientFiles(), Says: need.Words(),
		}
	}
	return nil
}

// ownBytes are the memory of a server without caches, with a few connections, whose own are fewBytes: MySQL 9.7.4 was measured with 528 MiB, of
// which 64 MiB were its buffer pool.
const (
	ownBytes = 512 << 20
	fewBytes = 64 << 20
)

// memoryWarnings are about servers whose shape has no room for the connections beside the caches. Shapes that are only named here are not
// known, and neither are settings of ConfigMaps.
func memoryWarnings(run *v1alpha1.BenchmarkRun, f experiment.Foreseen) (out []string) {
	for i, t := range run.Spec.Targets {
		demand := f.Demand.On(run.Spec.ServersOf(t))
		need := demand.ServerBytes()
		if need <= fewBytes || t.MySQL == nil || t.Shape == nil || t.Shape.Inline == nil || len(t.MySQL.ConfigFrom) > 0 {
			continue
		}
		e, known := engines.Find(t.MySQL.Flavor)
		if !known {
			continue
		}
		has, caches := t.Shape.Inline.Memory.Value(), cachesOf(e, t)
		if has-caches-ownBytes >= need {
			continue
		}
		out = append(out, fmt.Sprintf("spec.targets[%d].shape.inline.memory: %s has caches of %s and the server itself, and %d connections with their prepared statements take about %s more: "+
			"the server may be killed; give it more memory or a smaller cache, or use fewer threads", i, t.Shape.Inline.Memory.String(), budget.Text(caches),
			demand.All.Connections, budget.Text(need)))
	}
	return out
}

// cachesOf a server, in bytes: the largest of its settings that are the size of one, as the spec or its shape gives them.
func cachesOf(e engine.Engine, t v1alpha1.Target) (bytes int64) {
	given := map[string]string{}
	for _, s := range experiment.ShapeSettings(e, *t.Shape.Inline, t.MySQL) {
		given[s.Name] = s.Value
	}
	for name, value := range t.MySQL.Config {
		given[settings.CanonicalName(name)] = value
	}
	for _, name := range []string{"innodb_buffer_pool_size", "rocksdb_block_cache_size"} {
		if n, ok := settings.Integer(given[name]); ok {
			bytes = max(bytes, n)
		}
	}
	return bytes
}
