package likeness

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/machinespeed"
)

const (
	// slower is the relative difference of the kernels of a CPU that is listed; farSlower is
	// that of storage and network, which vary with the load. They are those of the finding
	// machine-speed-drift.
	slower, farSlower = 0.05, 0.25
)

// kernel of a side of the trials.
type kernel struct{ side, name string }

// speeds compares how fast the machines of both sides were just before their trials: one
// difference for each kernel whose times differ certainly, by more than its bound.
func speeds(first, second []contract.Record) []Difference {
	a, b := timesOf(first), timesOf(second)
	var both []kernel
	for k := range a {
		if len(b[k]) > 0 {
			both = append(both, k)
		}
	}
	slices.SortFunc(both, func(x, y kernel) int { return slices.Compare([]string{x.side, x.name}, []string{y.side, y.name}) })
	var out []Difference
	for _, k := range both {
		change, ok := machinespeed.Compare(a[k], b[k], len(both))
		bound := slower
		if k.name == "Fsync" || k.name == "RoundTrip" {
			bound = farSlower
		}
		slow, fast := change.Slower() && change.Ratio >= 1+bound, change.Faster() && change.Ratio <= 1/(1+bound)
		if !ok || !slow && !fast {
			continue
		}
		d := Difference{
			Name: "machine-speed/" + k.side + "/" + k.name, Class: MachineSpeed, First: "1", Second: fmt.Sprintf("%.3g", change.Ratio), Matters: true, Faster: FirstFaster,
			Why: fmt.Sprintf("the same work took %.3g times as long before the trials of the second side (99 %% interval over all kernels %.3g to %.3g)", change.Ratio, change.Low, change.High),
		}
		if fast {
			d.Faster = SecondFaster
		}
		out = append(out, d)
	}
	return out
}

func timesOf(records []contract.Record) map[kernel][]float64 {
	out := map[kernel][]float64{}
	for i := range records {
		for _, m := range records[i].MachineSpeed {
			if m.Seconds > 0 {
				k := kernel{m.Side, m.Kernel}
				out[k] = append(out[k], m.Seconds)
			}
		}
	}
	return out
}
