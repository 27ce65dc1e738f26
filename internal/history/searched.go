package history

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

// searched are the series of a run that searches: the rates that it found, of all clients together, as
// it summarises them and as its gate has them. Its trials are at different rates, which are among their
// parameters, and their values are no level. Where the answer of any block is only a bound, that place has no series: those that are
// left would be the best or the worst blocks. Left is the number of series that the status does not
// show; at least, as it is not known exactly.
func searched(run *v1alpha1.BenchmarkRun) (out []contract.PastSeries, left int32) {
	st := run.Status
	all := map[unit][]v1alpha1.SearchEntry{}
	var places []unit
	for _, e := range st.Searches {
		at := unit{e.Cell, e.Target}
		if all[at] == nil {
			places = append(places, at)
		}
		all[at] = append(all[at], e)
	}
	if r := st.Results; r != nil && int(r.SearchCount) > len(st.Searches) && len(places) > 0 {
		places, left = places[:len(places)-1], 1 // the last one may lack blocks
	}
	slices.SortFunc(places, compareUnits)
	unitName := "operations/s"
	for _, s := range st.Summary {
		if s.Name == contract.NameHighestRate && s.Unit != "" {
			unitName = s.Unit
			break
		}
	}
	for _, at := range places {
		one := contract.PastSeries{
			Target: at.target, Parameters: scalars(all[at][0].Parameters), Name: contract.NameHighestRate, Unit: unitName, Direction: contract.HigherIsBetter,
		}
		found, bounded := false, false
		for _, e := range all[at] {
			if e.Block < 0 || e.Block >= maxBlocks {
				continue
			}
			bounded = bounded || e.Outcome == v1alpha1.SearchAllHeld || e.Outcome == v1alpha1.SearchNoneHeld
			for len(one.Values) <= int(e.Block) {
				one.Values = append(one.Values, nil)
			}
			if e.Outcome == v1alpha1.SearchFound {
				one.Values[e.Block], found = new(float64(e.Held)*float64(max(run.Spec.Clients.Count, 1))), true
			}
		}
		if found && !bounded {
			out = append(out, one)
		}
	}
	return out, left
}

// scalars are the values of a cell, as records have them.
func scalars(parameters map[string]intstr.IntOrString) map[string]contract.Scalar {
	var out map[string]contract.Scalar
	for name, v := range parameters {
		if out == nil {
			out = map[string]contract.Scalar{}
		}
		out[name] = contract.Scalar{Text: v.StrVal, Int: v.IntVal, IsInt: v.Type == intstr.Int}
	}
	return out
}
