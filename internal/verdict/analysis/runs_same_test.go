package analysis

import (
	"errors"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Runs that did not measure the same are refused, and what differs is named.
func TestNotOneExperiment(t *testing.T) {
	threads := int32(8)
	tests := map[string]struct {
		change func(*Run)
		// want in the message; empty: nothing that decides what is measured differs.
		want string
	}{
		"another number of threads": {func(r *Run) { r.Spec.Workload.Sysbench.Threads = threads }, "spec.workload.sysbench.threads ("},
		"another tool":              {func(r *Run) { r.Spec.Workload = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{}} }, "spec.workload."},
		"another matrix": {func(r *Run) {
			r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads"}}
		}, "spec.matrix[threads]"},
		"another number of clients": {func(r *Run) { r.Spec.Clients.Count = 3 }, "spec.clients.count ("},
		"another design":            {func(r *Run) { r.Spec.Design.DataReset = v1alpha1.ResetPerTrial }, "spec.design.dataReset (run1: PerRun, run2: PerTrial)"},
		"another plan":              {func(r *Run) { r.Layout.Plan = planOf(10, 2, "a", "b") }, "the cells of the plans"},
		"other files":               {func(r *Run) { r.FilesSHA256 = "x" }, "the files of the workload"},
		"another effect":            {func(r *Run) { r.Spec.Analysis.MinimumEffect = "5%" }, "spec.analysis.minimumEffect"},
		"other comparisons":         {func(r *Run) { r.Spec.Analysis.Comparisons = []v1alpha1.Comparison{{Factor: "target"}} }, ""},
		"another baseline": {func(r *Run) {
			r.Spec.Analysis.Comparisons = analysisOf(v1alpha1.Comparison{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}).Comparisons
		}, "spec.analysis.comparisons"},
		"more blocks, another seed":                  {func(r *Run) { r.Spec.Design.Blocks, r.Spec.Design.Seed = 20, new(int64) }, ""},
		"another version of a target, of three runs": {func(r *Run) { r.Spec.Targets[0].MySQL.Version = "9.7" }, "spec.targets[a].mysql.version"},
		"the same run":                               {func(r *Run) { r.Name = "run1" }, "run run1 is given twice"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			all := repeated(t, 10, usual, 1.5, 1.5, 1.5)
			tc.change(&all[1])
			declare(t, &all[1])
			_, err := ConcludeRuns(all)
			switch {
			case tc.want == "" && err != nil, tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error %v, want %q", err, tc.want)
			}
			var not *NotOneExperimentError
			if strings.Contains(tc.want, "spec.") && !errors.As(err, &not) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestRunsWithoutComparisons(t *testing.T) {
	alone := func(n int, targets ...string) []Run {
		all := repeated(t, 10, usual, 1, 1, 1)[:n]
		for i := range all {
			p := planOf(10, 1, targets[i])
			all[i].Layout.Plan, all[i].Records = p, recordsOf(p, 0.002, bOver(1))
			all[i].Spec.Targets = all[i].Spec.Targets[:1]
			all[i].Spec.Targets[0].Name = targets[i]
			declare(t, &all[i])
		}
		return all
	}
	got, err := ConcludeRuns(alone(2, "a", "a"))
	if err != nil || got.Kind != RunAgainstRun || len(got.Compared) != 0 {
		t.Errorf("two runs of one target: error %v, %+v", err, got)
	}
	for want, all := range map[string][]Run{"no target of one name": alone(2, "a", "b"), "compares nothing": alone(3, "a", "a", "a"), "no run": nil} {
		if _, err := ConcludeRuns(all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
