package conclude

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// entryAt a rate, with so many of 3 trials saturated.
func entryAt(cell int32, name string, saturated int32) v1alpha1.SummaryEntry {
	return v1alpha1.SummaryEntry{
		Cell: cell, Target: "db", Name: name, TrialCount: 3, SaturatedTrialCount: saturated,
		Parameters: map[string]intstr.IntOrString{"rate": intstr.FromInt32(100 * (cell + 1))},
	}
}

func TestSaturatedCellsAreNamed(t *testing.T) {
	names := []string{"tpmC", "throughput", "latency.avg"}
	for name, tt := range map[string]struct {
		entries []v1alpha1.SummaryEntry
		want    string
	}{
		"none":     {[]v1alpha1.SummaryEntry{entryAt(0, "throughput", 0), entryAt(1, "throughput", 1)}, ""},
		"one cell": {[]v1alpha1.SummaryEntry{entryAt(0, "throughput", 3)}, ""},
		"most trials of two": {
			[]v1alpha1.SummaryEntry{entryAt(0, "throughput", 0), entryAt(0, "latency.avg", 0), entryAt(1, "throughput", 2), entryAt(1, "latency.avg", 2), entryAt(2, "throughput", 3)},
			"the target did not keep up with the offered rate in db rate=200 (2 of 3 trials), db rate=300 (3 of 3 trials): " +
				"their throughput is the most that it achieved, and their latencies grow with the window",
		},
		"many": {
			[]v1alpha1.SummaryEntry{entryAt(0, "throughput", 3), entryAt(1, "throughput", 3), entryAt(2, "throughput", 3), entryAt(3, "throughput", 3)},
			"the target did not keep up with the offered rate in db rate=100 (3 of 3 trials), db rate=200 (3 of 3 trials), db rate=300 (3 of 3 trials) and 1 more: " +
				"their throughput is the most that it achieved, and their latencies grow with the window",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, f := range saturatedCells(names, tt.entries) {
				got += f.Message
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
