package trial

import (
	"cmp"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// values are the measurements of a trial that are for its record, in the order of the
// names. Measurements of one name differ by their labels, such as the operation: those
// without labels come first, because they are about all operations together.
func values(names []string, res contract.Result) []contract.RecordedValue {
	var out []contract.RecordedValue
	for _, name := range names {
		var same []contract.RecordedValue
		for _, m := range res.Measurements {
			if m.Name == name && m.Value != nil {
				same = append(same, contract.RecordedValue{
					Name: name, Labels: contract.CleanLabels(m.Labels), Value: *m.Value, Unit: contract.Line(m.Unit), Direction: m.Direction,
				})
			}
		}
		slices.SortStableFunc(same, func(a, b contract.RecordedValue) int { return cmp.Compare(len(a.Labels), len(b.Labels)) })
		out = append(out, same...)
	}
	return out
}

// machineSpeed is what the first client measured before the trial, on both sides.
func machineSpeed(res contract.Result) []contract.RecordedSpeed {
	var out []contract.RecordedSpeed
	add := func(side v1alpha1.SpeedSide, kernel v1alpha1.SpeedKernel, seconds float64) {
		out = append(out, contract.RecordedSpeed{Side: string(side), Kernel: string(kernel), Seconds: seconds})
	}
	sided := func(side v1alpha1.SpeedSide, speed *contract.Speed) {
		if speed == nil {
			return
		}
		for _, k := range []struct {
			clock, cpu v1alpha1.SpeedKernel
			kernel     *contract.Kernel
		}{{v1alpha1.KernelInteger, v1alpha1.KernelIntegerCPU, speed.Integer}, {v1alpha1.KernelMemory, v1alpha1.KernelMemoryCPU, speed.Memory}} {
			if k.kernel != nil {
				add(side, k.clock, k.kernel.MeanSeconds)
				add(side, k.cpu, k.kernel.CPUSeconds)
			}
		}
		if speed.Fsync != nil {
			add(side, v1alpha1.KernelFsync, speed.Fsync.P50Seconds)
		}
	}
	sided(v1alpha1.SideClient, res.Client.Speed)
	if res.Server != nil && res.Server.RoundTrip != nil {
		add(v1alpha1.SideClient, v1alpha1.KernelRoundTrip, res.Server.RoundTrip.P50Seconds)
	}
	if res.Target != nil {
		sided(v1alpha1.SideTarget, res.Target.Speed)
	}
	return out
}
