package conclude

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/machinespeed"
	"github.com/assay-bench/assay/internal/trial/validity"
)

const (
	// maxSpeeds is how many entries of the machine speed stand in the status.
	maxSpeeds = 48
	// driftBound is the change within a run that is worth a warning, also where far less is
	// certain; driftBoundOfTarget is that of storage and network, which vary with the load.
	driftBound, driftBoundOfTarget = 0.05, 0.25
)

// speedSeries are the values of one kernel over the trials of a run, in their order.
type speedSeries struct {
	entry  v1alpha1.NodeSpeed
	values []float64
}

// speedsOf sorts the values of all trials into their series.
func speedsOf(records []contract.Record) []speedSeries {
	var all []speedSeries
	for _, rec := range records {
		for _, m := range rec.MachineSpeed {
			if m.Seconds <= 0 {
				continue
			}
			e := v1alpha1.NodeSpeed{Side: v1alpha1.SpeedSide(m.Side), Kernel: v1alpha1.SpeedKernel(m.Kernel), NodeName: rec.TargetNodeName}
			if e.Side == v1alpha1.SideClient {
				e.NodeName = ""
				if len(rec.ClientNodeNames) > 0 {
					e.NodeName = rec.ClientNodeNames[0]
				}
			}
			if dependsOnTarget(e.Kernel) {
				e.Target = rec.Target
			}
			i := slices.IndexFunc(all, func(s speedSeries) bool { return s.entry == e })
			if i < 0 {
				i, all = len(all), append(all, speedSeries{entry: e})
			}
			all[i].values = append(all[i].values, m.Seconds)
		}
	}
	slices.SortStableFunc(all, func(a, b speedSeries) int {
		return cmp.Or(cmp.Compare(a.entry.Side, b.entry.Side), cmp.Compare(a.entry.NodeName, b.entry.NodeName), cmp.Compare(a.entry.Target, b.entry.Target))
	})
	return all
}

// dependsOnTarget says whether a kernel depends on the target, and not on a node alone.
func dependsOnTarget(kernel v1alpha1.SpeedKernel) bool {
	return kernel == v1alpha1.KernelFsync || kernel == v1alpha1.KernelRoundTrip
}

// machineSpeed is how fast the nodes were over the run, with a finding for what became
// slower or faster while it lasted.
func machineSpeed(records []contract.Record) (shown []v1alpha1.NodeSpeed, found []v1alpha1.Finding) {
	all := speedsOf(records)
	for _, one := range all {
		sum, err := stats.Summarize(one.values)
		if err != nil {
			continue
		}
		e := one.entry
		e.MedianSeconds, e.MinSeconds, e.MaxSeconds, e.TrialCount = v1alpha1.FourDigits(sum.Median), v1alpha1.FourDigits(sum.Min), v1alpha1.FourDigits(sum.Max), int32(sum.N)
		half := len(one.values) / 2
		change, known := machinespeed.Compare(one.values[:half], one.values[len(one.values)-half:], len(all))
		if known {
			e.DriftRatio = v1alpha1.FourDigits(change.Ratio)
			if message := drifted(e, change); message != "" {
				found = append(found, v1alpha1.Finding{Check: "machine-speed-drift", Severity: string(validity.Warning), Message: message})
			}
		}
		if len(shown) < maxSpeeds {
			shown = append(shown, e)
		}
	}
	return shown, found
}

// drifted says what changed, if it is certain and more than the bound of the kernel.
func drifted(e v1alpha1.NodeSpeed, c machinespeed.Change) string {
	bound := driftBound
	if dependsOnTarget(e.Kernel) {
		bound = driftBoundOfTarget
	}
	slower := c.Slower() && c.Ratio >= 1+bound
	if !slower && !(c.Faster() && c.Ratio <= 1/(1+bound)) {
		return ""
	}
	of := fmt.Sprintf("node %s (%s)", e.NodeName, e.Side)
	if e.Target != "" {
		of = "target " + e.Target
	}
	return fmt.Sprintf("%s: the kernel %s took %s times as long in the second half of the trials as in the first (99 %% interval over all kernels %s to %s): "+
		"blocks of the first and of the second half are not of one machine speed; look for what else ran, for the CPU frequency and the quota of the node",
		of, e.Kernel, figure.Factor(c.Ratio), figure.Factor(c.Low), figure.Factor(c.High))
}
