package benchmarkschedule

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// A reference means one series of each cell of each target, as objectives of a search do.
func TestSearchedSeries(t *testing.T) {
	var all []contract.PastSeries
	for _, threads := range []int32{8, 16} {
		for _, labels := range []map[string]string{nil, {"p": "99"}, {"p": "95"}, {"p": "95", "op": "read"}, {"p": "99", "timing": "intended"}} {
			name := "latency.percentile"
			if labels == nil {
				name = "throughput"
			}
			all = append(all, contract.PastSeries{Target: "db", Parameters: map[string]contract.Scalar{"threads": {Int: threads, IsInt: true}}, Name: name, Labels: labels})
		}
	}
	p := func(labels map[string]string) v1alpha1.MeasurementRef {
		return v1alpha1.MeasurementRef{Name: "latency.percentile", Labels: labels}
	}
	tests := map[string]struct {
		named []v1alpha1.MeasurementRef
		// want are places in all of the first cell; those of the second one follow.
		want []int
	}{
		"the main one":                     {nil, []int{0}},
		"a name":                           {[]v1alpha1.MeasurementRef{p(nil)}, []int{4}},
		"the fewest labels":                {[]v1alpha1.MeasurementRef{p(map[string]string{"p": "95"})}, []int{2}},
		"all that is asked for":            {[]v1alpha1.MeasurementRef{p(map[string]string{"op": "read"})}, []int{3}},
		"two names, and one of them twice": {[]v1alpha1.MeasurementRef{p(map[string]string{"p": "95"}), {Name: "throughput"}, p(map[string]string{"p": "95"})}, []int{0, 2}},
		"nothing has it":                   {[]v1alpha1.MeasurementRef{{Name: "rows"}, p(map[string]string{"p": "50"})}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var want []contract.PastSeries
			for _, first := range []int{0, 5} {
				for _, at := range tt.want {
					want = append(want, all[first+at])
				}
			}
			got := searched(tt.named)(contract.PastRun{Series: all})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
