package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"

	"github.com/assay-bench/assay/internal/contract"
)

func TestMachineSpeedOfATrial(t *testing.T) {
	kernel := func(mean, cpu float64) *contract.Kernel {
		return &contract.Kernel{N: 24, MeanSeconds: mean, CPUSeconds: cpu, MinSeconds: cpu, P50Seconds: cpu}
	}
	entry := func(side, kernel, value string) v1alpha1.MachineSpeed {
		return v1alpha1.MachineSpeed{Side: side, Kernel: kernel, Value: value, Unit: "ms"}
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
				entry("client", "integer", "0.6123"), entry("client", "integer-cpu", "0.5"), entry("client", "memory", "2.1"), entry("client", "memory-cpu", "2"),
				entry("client", "round-trip", "0.0214"), entry("target", "integer", "0.7"), entry("target", "integer-cpu", "0.6"), entry("target", "fsync", "1.23"),
			},
		},
		"a target that nobody may look into": {
			contract.Result{Client: contract.Client{Environment: contract.Environment{Speed: &contract.Speed{Integer: kernel(0.001, 0.001)}}}},
			[]v1alpha1.MachineSpeed{entry("client", "integer", "1"), entry("client", "integer-cpu", "1")},
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
func speedRecords(n int, kernel string, later float64) []journal.Record {
	var out []journal.Record
	for i := range n {
		value := 1 + 0.002*float64(i%5)
		if i >= n/2 {
			value *= later
		}
		rec := journal.Record{}
		rec.Index, rec.Target, rec.TargetNode, rec.Nodes = int32(i), []string{"a", "b"}[i%2], "worker-1", []string{"worker-2"}
		rec.MachineSpeed = []v1alpha1.MachineSpeed{{Side: "target", Kernel: kernel, Value: decimal(value), Unit: "ms"}}
		out = append(out, rec)
	}
	return out
}

func TestMachineSpeedOfARun(t *testing.T) {
	tests := map[string]struct {
		records []journal.Record
		// shown are side/node/target/kernel/n of the status, and the drift.
		shown []string
		// finding is the begin of the message of the warning.
		finding string
	}{
		"as fast at the end":              {speedRecords(40, "integer", 1), []string{"target/worker-1//integer/40 1"}, ""},
		"10 % slower in the second half":  {speedRecords(40, "integer", 1.1), []string{"target/worker-1//integer/40 1.1"}, "node worker-1 (target): the kernel integer took 1.1 times as long"},
		"10 % faster":                     {speedRecords(40, "integer-cpu", 0.9), []string{"target/worker-1//integer-cpu/40 0.9"}, "node worker-1 (target): the kernel integer-cpu took 0.9 times as long"},
		"3 %, which is certain, and less": {speedRecords(40, "integer", 1.03), []string{"target/worker-1//integer/40 1.03"}, ""},
		"too few to tell":                 {speedRecords(10, "integer", 1.3), []string{"target/worker-1//integer/10 "}, ""},
		"storage may vary more": {speedRecords(40, "fsync", 1.1),
			[]string{"target/worker-1/a/fsync/20 1.1", "target/worker-1/b/fsync/20 1.1"}, ""},
		"no trial at all": {nil, nil, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{run: &v1alpha1.BenchmarkRun{}}
			s.showMachineSpeed(tc.records)
			var shown []string
			for _, e := range s.run.Status.MachineSpeed {
				shown = append(shown, strings.Join([]string{e.Side, e.Node, e.Target, e.Kernel, decimal(float64(e.N))}, "/")+" "+e.Drift)
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
