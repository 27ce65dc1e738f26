package trial

import (
	"cmp"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
)

// maxValues of a trial stand in its record.
const maxValues = 5000

// values are the measurements of a trial that go into its record, in the order of the
// names. Measurements of one name differ by their labels, such as the operation: those
// without labels come first, because they are about all operations together.
func values(names []string, res contract.Result) []v1alpha1.Value {
	var out []v1alpha1.Value
	for _, name := range names {
		var same []v1alpha1.Value
		for _, m := range res.Measurements {
			if m.Name == name && m.Value != nil {
				same = append(same, v1alpha1.Value{
					Name: name, Labels: m.Labels, Value: v1alpha1.Decimal(*m.Value), Unit: m.Unit, Direction: string(m.Direction),
				})
			}
		}
		slices.SortStableFunc(same, func(a, b v1alpha1.Value) int { return cmp.Compare(len(a.Labels), len(b.Labels)) })
		out = append(out, same...)
	}
	return out[:min(len(out), maxValues)]
}

// valuesOf is how many values there are, whether or not a record has room for them.
func valuesOf(names []string, res contract.Result) (n int) {
	for _, m := range res.Measurements {
		if m.Value != nil && slices.Contains(names, m.Name) {
			n++
		}
	}
	return n
}

// Kernels of the machine speed that depend on the target, and not on a node alone.
const (
	fsyncKernel     = "fsync"
	roundTripKernel = "round-trip"
)

// machineSpeed is what the first client measured before the trial, on both sides.
func machineSpeed(res contract.Result) []v1alpha1.MachineSpeed {
	var out []v1alpha1.MachineSpeed
	add := func(side, kernel string, seconds float64) {
		out = append(out, v1alpha1.MachineSpeed{Side: side, Kernel: kernel, Value: v1alpha1.FourDigits(seconds * 1000), Unit: "ms"})
	}
	sided := func(side string, speed *contract.Speed) {
		if speed == nil {
			return
		}
		for _, k := range []struct {
			name   string
			kernel *contract.Kernel
		}{{"integer", speed.Integer}, {"memory", speed.Memory}} {
			if k.kernel != nil {
				add(side, k.name, k.kernel.MeanSeconds)
				add(side, k.name+"-cpu", k.kernel.CPUSeconds)
			}
		}
		if speed.Fsync != nil {
			add(side, fsyncKernel, speed.Fsync.P50Seconds)
		}
	}
	sided("client", res.Client.Speed)
	if res.Server != nil && res.Server.RoundTrip != nil {
		add("client", roundTripKernel, res.Server.RoundTrip.P50Seconds)
	}
	if res.Target != nil {
		sided("target", res.Target.Speed)
	}
	return out
}
