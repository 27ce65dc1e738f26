package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
)

func TestMachineSpeedOfATrial(t *testing.T) {
	kernel := func(mean, cpu float64) *contract.Kernel {
		return &contract.Kernel{N: 24, MeanSeconds: mean, CPUSeconds: cpu, MinSeconds: cpu, P50Seconds: cpu}
	}
	entry := func(side v1alpha1.SpeedSide, kernel v1alpha1.SpeedKernel, seconds float64) contract.RecordedSpeed {
		return contract.RecordedSpeed{Side: string(side), Kernel: string(kernel), Seconds: seconds}
	}
	probe := func(p50 float64) *contract.Probe { return &contract.Probe{N: 9, P50Seconds: p50} }
	tests := map[string]struct {
		res  contract.Result
		want []contract.RecordedSpeed
	}{
		"nothing was measured": {contract.Result{Target: &contract.Environment{}}, nil},
		"both sides": {
			contract.Result{
				Client: contract.Client{Environment: contract.Environment{Speed: &contract.Speed{Integer: kernel(0.000612349, 0.0005), Memory: kernel(0.0021, 0.002)}}},
				Target: &contract.Environment{Speed: &contract.Speed{Integer: kernel(0.0007, 0.0006), Fsync: probe(0.00123)}},
				Server: &contract.Server{RoundTrip: probe(0.0000214)},
			},
			[]contract.RecordedSpeed{
				entry("Client", "Integer", 0.000612349), entry("Client", "IntegerCPU", 0.0005), entry("Client", "Memory", 0.0021), entry("Client", "MemoryCPU", 0.002),
				entry("Client", "RoundTrip", 0.0000214), entry("Target", "Integer", 0.0007), entry("Target", "IntegerCPU", 0.0006), entry("Target", "Fsync", 0.00123),
			},
		},
		"a target that nobody may look into": {
			contract.Result{Client: contract.Client{Environment: contract.Environment{Speed: &contract.Speed{Integer: kernel(0.001, 0.001)}}}},
			[]contract.RecordedSpeed{entry("Client", "Integer", 0.001), entry("Client", "IntegerCPU", 0.001)},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, machineSpeed(&tc.res)); diff != "" {
				t.Errorf("speed (-want +got):\n%s", diff)
			}
		})
	}
}

// speedRecords are trials of two targets in turn; later is the time of the kernel in the second
// half, over that in the first.
func speedRecords(n int, kernel v1alpha1.SpeedKernel, later float64) []contract.Record {
	var out []contract.Record
	for i := range n {
		value := 1 + 0.002*float64(i%5)
		if i >= n/2 {
			value *= later
		}
		rec := contract.Record{}
		rec.Index, rec.Target, rec.TargetNodeName, rec.ClientNodeNames = int32(i), []string{"a", "b"}[i%2], "worker-1", []string{"worker-2"}
		rec.MachineSpeed = []contract.RecordedSpeed{{Side: string(v1alpha1.SideTarget), Kernel: string(kernel), Seconds: value / 1000}}
		out = append(out, rec)
	}
	return out
}

func TestMachineSpeedOfARun(t *testing.T) {
	tests := map[string]struct {
		records []contract.Record
		// shown are side/node/target/kernel/n of the status, and the drift.
		shown []string
		// finding is the begin of the message of the warning.
		finding string
	}{
		"as fast at the end":              {speedRecords(40, "Integer", 1), []string{"Target/worker-1//Integer/40 1"}, ""},
		"10 % slower in the second half":  {speedRecords(40, "Integer", 1.1), []string{"Target/worker-1//Integer/40 1.1"}, "node worker-1 (Target): the kernel Integer took 1.1 times as long"},
		"10 % faster":                     {speedRecords(40, "IntegerCPU", 0.9), []string{"Target/worker-1//IntegerCPU/40 0.9"}, "node worker-1 (Target): the kernel IntegerCPU took 0.9 times as long"},
		"3 %, which is certain, and less": {speedRecords(40, "Integer", 1.03), []string{"Target/worker-1//Integer/40 1.03"}, ""},
		"too few to tell":                 {speedRecords(10, "Integer", 1.3), []string{"Target/worker-1//Integer/10 "}, ""},
		"storage may vary more": {speedRecords(40, "Fsync", 1.1),
			[]string{"Target/worker-1/a/Fsync/20 1.1", "Target/worker-1/b/Fsync/20 1.1"}, ""},
		"no trial at all": {nil, nil, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{run: &v1alpha1.BenchmarkRun{}}
			s.showMachineSpeed(tc.records)
			var shown []string
			for _, e := range s.run.Status.MachineSpeed {
				shown = append(shown, strings.Join([]string{string(e.Side), e.NodeName, e.Target, string(e.Kernel), decimal(float64(e.TrialCount))}, "/")+" "+e.DriftRatio)
			}
			if diff := cmp.Diff(tc.shown, shown); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			found := ""
			for _, f := range s.run.Status.Findings {
				found += f.Check + "/" + f.Severity + ": " + f.Message
			}
			if want := tc.finding; (want == "") != (found == "") || want != "" && !strings.HasPrefix(found, "machine-speed-drift/Warning: "+want) {
				t.Errorf("findings %q, want %q", found, want)
			}
		})
	}
}
