package trial

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func measured(name, operation string, v float64) contract.Measurement {
	m := contract.Measurement{Name: name, Unit: "ms", Direction: contract.LowerIsBetter, Value: &v}
	if operation != "" {
		m.Labels = map[string]string{contract.LabelOperation: operation}
	}
	return m
}

// maxValues of the tests.
const maxValues = 5000

func TestValuesKeepLabelsApart(t *testing.T) {
	res := contract.Result{Measurements: []contract.Measurement{
		measured("latency.avg", "read", 1), measured("latency.avg", "", 2), {Name: "latency.avg", Unit: "ms"},
		measured("throughput", "", 3), measured("latency.avg", "update", 4), measured("other", "", 5),
	}}
	want := []contract.RecordedValue{
		{Name: "throughput", Value: 3, Unit: "ms", Direction: contract.LowerIsBetter},
		{Name: "latency.avg", Value: 2, Unit: "ms", Direction: contract.LowerIsBetter},
		{Name: "latency.avg", Labels: map[string]string{"operation": "read"}, Value: 1, Unit: "ms", Direction: contract.LowerIsBetter},
		{Name: "latency.avg", Labels: map[string]string{"operation": "update"}, Value: 4, Unit: "ms", Direction: contract.LowerIsBetter},
	}
	if diff := cmp.Diff(want, values([]string{"throughput", "latency.avg"}, res)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 2 * maxValues {
		res.Measurements = append(res.Measurements, measured("latency.avg", fmt.Sprint(i), 1))
	}
	if got := values([]string{"throughput", "latency.avg"}, res); len(got) != 2*maxValues+len(want) || got[0].Name != "throughput" {
		t.Errorf("%d values, the first %+v: what a record has no room for is counted", len(got), got[0])
	}
}

func TestMachineSpeedOfATrial(t *testing.T) {
	kernel := func(mean, cpu float64) *contract.Kernel {
		return &contract.Kernel{N: 24, MeanSeconds: mean, CPUSeconds: cpu, MinSeconds: cpu, P50Seconds: cpu}
	}
	entry := func(side v1alpha1.SpeedSide, kernel v1alpha1.SpeedKernel, value string) v1alpha1.MachineSpeed {
		return v1alpha1.MachineSpeed{Side: side, Kernel: kernel, Seconds: value}
	}
	probe := func(p50 float64) *contract.Probe { return &contract.Probe{N: 9, P50Seconds: p50} }
	tests := map[string]struct {
		res  contract.Result
		want []v1alpha1.MachineSpeed
	}{
		"nothing was measured": {contract.Result{Target: &contract.Environment{}}, nil},
		"both sides": {
			contract.Result{
				Client: contract.Client{Environment: contract.Environment{Speed: &contract.Speed{Integer: kernel(0.000612349, 0.0005), Memory: kernel(0.0021, 0.002)}}},
				Target: &contract.Environment{Speed: &contract.Speed{Integer: kernel(0.0007, 0.0006), Fsync: probe(0.00123)}},
				Server: &contract.Server{RoundTrip: probe(0.0000214)},
			},
			[]v1alpha1.MachineSpeed{
				entry("Client", "Integer", "0.0006123"), entry("Client", "IntegerCPU", "0.0005"), entry("Client", "Memory", "0.0021"), entry("Client", "MemoryCPU", "0.002"),
				entry("Client", "RoundTrip", "0.0000214"), entry("Target", "Integer", "0.0007"), entry("Target", "IntegerCPU", "0.0006"), entry("Target", "Fsync", "0.00123"),
			},
		},
		"a target that nobody may look into": {
			contract.Result{Client: contract.Client{Environment: contract.Environment{Speed: &contract.Speed{Integer: kernel(0.001, 0.001)}}}},
			[]v1alpha1.MachineSpeed{entry("Client", "Integer", "0.001"), entry("Client", "IntegerCPU", "0.001")},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Shown(contract.Record{MachineSpeed: machineSpeed(tc.res)}).MachineSpeed); diff != "" {
				t.Errorf("speed (-want +got):\n%s", diff)
			}
		})
	}
}

// Labels that a hostile tool wrote are recorded without their escapes.
func TestValuesHaveNoEscapes(t *testing.T) {
	m := measured("latency.avg", "\x1b[31mread\n", 1)
	m.Unit = "m\x1bs"
	want := []contract.RecordedValue{{Name: "latency.avg", Labels: map[string]string{"operation": "\uFFFD[31mread "}, Value: 1, Unit: "m\uFFFDs", Direction: contract.LowerIsBetter}}
	if diff := cmp.Diff(want, values([]string{"latency.avg"}, contract.Result{Measurements: []contract.Measurement{m}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
