package trial

import (
	"cmp"
	"slices"

	"github.com/assay-bench/assay/internal/contract"
)

// maxValues of a trial stand in its record.
const maxValues = 5000

// values are the measurements of a trial that go into its record, in the order of the
// names. Measurements of one name differ by their labels, such as the operation: those
// without labels come first, because they are about all operations together.
func values(names []string, res contract.Result) []contract.RecordedValue {
	var out []contract.RecordedValue
	for _, name := range names {
		var same []contract.RecordedValue
		for _, m := range res.Measurements {
			if m.Name == name && m.Value != nil {
				same = append(same, contract.RecordedValue{
					Name: name, Labels: m.Labels, Value: *m.Value, Unit: m.Unit, Direction: m.Direction,
				})
			}
		}
		slices.SortStableFunc(same, func(a, b contract.RecordedValue) int { return cmp.Compare(len(a.Labels), len(b.Labels)) })
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
func machineSpeed(res contract.Result) []contract.RecordedSpeed {
	var out []contract.RecordedSpeed
	add := func(side, kernel string, seconds float64) {
		out = append(out, contract.RecordedSpeed{Side: side, Kernel: kernel, Seconds: seconds})
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
