package trial

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// checkShapes compares what the containers of a trial had with what their shapes ask for, and with what they had when the data was loaded.
func checkShapes(in Input, rec contract.Record, results []contract.Result, ask *decision.Asking) []contract.RecordedFinding {
	asked, sizes := askedOf(in.Run, rec)
	return allRecorded(slices.Concat(validity.CheckExclusive(results, asked), validity.CheckSizes(results, sizes), resized(in, rec.Target, results, ask),
		validity.CheckLargePages(results, largePagesOf(in.Run, rec))))
}

// largePagesOf a trial are what its settings ask for: those of its cell, and those that its target has in every trial.
func largePagesOf(run *v1alpha1.BenchmarkRun, rec contract.Record) validity.LargePages {
	list := resources.Settings(run.ResolvedTarget(rec.Target).Settings)
	for axis, value := range rec.Parameters {
		if name, is := (v1alpha1.Axis{Name: axis}).Setting(); is {
			list = append(list, contract.Setting{Name: name, Value: value.String()})
		}
	}
	const pages, pool = "large_pages", "innodb_buffer_pool_size"
	all := settings.Variables(list, map[string]string{pages: "", pool: ""})
	on, is := all[pages]
	bytes, _ := settings.Integer(all[pool])
	return validity.LargePages{On: is && settings.SameValue(pages, on, "ON"), PoolBytes: bytes}
}

// askedOf the shapes of a trial are CPUs of their own, and sizes. Nobody knows the machine of an external target.
func askedOf(run *v1alpha1.BenchmarkRun, rec contract.Record) (validity.Exclusive, validity.Sizes) {
	asked := validity.Exclusive{TargetQOS: run.TargetStatus(rec.Target).QOSClass, ClientQOS: rec.ClientQOSClass}
	var sizes validity.Sizes
	if resolved := run.Status.Resolved; resolved != nil {
		asked.Clients, sizes.Clients = resolved.ClientShape.ExclusiveCPUs(), limitsOfShape(resolved.ClientShape)
	}
	if shape := run.ResolvedTarget(rec.Target).Shape; shape != nil {
		asked.Servers, sizes.Servers = shape.ExclusiveCPUs(), limitsOfShape(*shape)
	}
	return asked, sizes
}

func limitsOfShape(s v1alpha1.InstanceShapeSpec) contract.Limits {
	return contract.Limits{CPUs: new(s.CPU.AsApproximateFloat64()), MemoryBytes: new(s.Memory.Value())}
}

// resized are containers that have another size than when the data was loaded.
func resized(in Input, target string, results []contract.Result, ask *decision.Asking) []validity.Finding {
	if in.Run.TargetStatus(target).LoadResult == "" {
		return nil
	}
	loaded := loadResult(in, target, ask)
	if !loaded.Exists || loaded.Value.Err != nil {
		return nil // nothing says what they had
	}
	return validity.CheckResized(loaded.Value.Result, results)
}
