package config

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Limits bound what one run may cost the manager: memory, time and space in the API server. A spec beyond them is
// refused with the arithmetic, before anything is started; a result beyond them ends its trial.
type Limits struct {
	// Cells of the matrix of a run, without the excluded ones, 1 to 20000. Default 2000.
	Cells int32 `json:"cells"`
	// Trials of a run (cells x targets x blocks), 1 to 20000. Default 20000.
	Trials int32 `json:"trials"`
	// Comparisons that a run declares (spec.analysis), 1 to 20000, and fewer where a plan has more
	// than 28 blocks: each keeps its pairs in memory at the end. Default 10000.
	Comparisons int32 `json:"comparisons"`
	// SpecBytes of the JSON of a spec together with the labels and annotations of its run, 4Ki to
	// 512Ki. The rest of what etcd stores for one object (1.5Mi) is left to the status. Default 384Ki.
	SpecBytes resource.Quantity `json:"specBytes"`
	// WorkBytes are cells x the bytes of the workload's JSON, 1Mi to 1Gi: the manager checks the
	// workload of each cell. Default 16Mi.
	WorkBytes resource.Quantity `json:"workBytes"`
	// Measurements of one result, and as many of its warm-up, 100 to 20000: agents write no more. Default 20000.
	Measurements int32 `json:"measurements"`
	// ResultMemory that the results of all clients of a trial take when they are read, 4Mi to 1Gi.
	// The manager reads the results of one trial at a time. Default 64Mi.
	ResultMemory resource.Quantity `json:"resultMemory"`
	// PlanMemory of the plans that are kept, 1Mi to 1Gi. A plan that does not fit is made again when
	// it is needed. Default 32Mi.
	PlanMemory resource.Quantity `json:"planMemory"`
}

// MaxTrials that can be configured.
const MaxTrials = 20000

// DefaultLimits hold the published sweeps with room: the largest has 36 cells and 864 trials, and
// the largest comparison of drivers 171 measurements in a trial.
func DefaultLimits() Limits {
	return Limits{
		Cells: 2000, Trials: MaxTrials, Comparisons: 10000, SpecBytes: resource.MustParse("384Ki"), WorkBytes: resource.MustParse("16Mi"),
		Measurements: 20000, ResultMemory: resource.MustParse("64Mi"), PlanMemory: resource.MustParse("32Mi"),
	}
}

// bounded is a number with the least and the largest value that can be configured.
type bounded struct {
	value       int64
	least, most resource.Quantity
}

func (l Limits) check() error {
	q := resource.MustParse
	all := map[string]bounded{
		"cells":        {int64(l.Cells), q("1"), q("20000")},
		"trials":       {int64(l.Trials), q("1"), q("20000")},
		"comparisons":  {int64(l.Comparisons), q("1"), q("20000")},
		"specBytes":    {l.SpecBytes.Value(), q("4Ki"), q("512Ki")},
		"workBytes":    {l.WorkBytes.Value(), q("1Mi"), q("1Gi")},
		"measurements": {int64(l.Measurements), q("100"), q("20000")},
		"resultMemory": {l.ResultMemory.Value(), q("4Mi"), q("1Gi")},
		"planMemory":   {l.PlanMemory.Value(), q("1Mi"), q("1Gi")},
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b := all[name]
		if b.value < b.least.Value() || b.value > b.most.Value() {
			return fmt.Errorf("limits.%s must be between %s and %s", name, b.least.String(), b.most.String())
		}
	}
	return nil
}
