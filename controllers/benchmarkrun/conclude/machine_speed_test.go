package conclude

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

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
		"10 % slower in the second half":  {speedRecords(40, "Integer", 1.1), []string{"Target/worker-1//Integer/40 1.1"}, "node worker-1 (Target): the kernel Integer took 1.10 times as long"},
		"10 % faster":                     {speedRecords(40, "IntegerCPU", 0.9), []string{"Target/worker-1//IntegerCPU/40 0.9"}, "node worker-1 (Target): the kernel IntegerCPU took 0.900 times as long"},
		"3 %, which is certain, and less": {speedRecords(40, "Integer", 1.03), []string{"Target/worker-1//Integer/40 1.03"}, ""},
		"too few to tell":                 {speedRecords(10, "Integer", 1.3), []string{"Target/worker-1//Integer/10 "}, ""},
		"storage may vary more": {speedRecords(40, "Fsync", 1.1),
			[]string{"Target/worker-1/a/Fsync/20 1.1", "Target/worker-1/b/Fsync/20 1.1"}, ""},
		"no trial at all": {nil, nil, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			speeds, findings := machineSpeed(tc.records)
			var shown []string
			for _, e := range speeds {
				shown = append(shown, strings.Join([]string{string(e.Side), e.NodeName, e.Target, string(e.Kernel), v1alpha1.Decimal(float64(e.TrialCount))}, "/")+" "+e.DriftRatio)
			}
			if diff := cmp.Diff(tc.shown, shown); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			found := ""
			for _, f := range findings {
				found += f.Check + "/" + f.Severity + ": " + f.Message
			}
			if want := tc.finding; (want == "") != (found == "") || want != "" && !strings.HasPrefix(found, "machine-speed-drift/Warning: "+want) {
				t.Errorf("findings %q, want %q", found, want)
			}
		})
	}
}
