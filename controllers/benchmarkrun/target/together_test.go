package target

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// What is known of the targets when nothing has to be waited for any more.
func TestWhatIsKnown(t *testing.T) {
	own := v1alpha1.Target{Name: "own", MySQL: &v1alpha1.MySQLTarget{}}
	cloud := v1alpha1.Target{Name: "cloud", External: &v1alpha1.ExternalTarget{Host: "db.example"}}
	tests := map[string]struct {
		targets []v1alpha1.Target
		loaded  []string
		want    decision.Done
	}{
		"servers that Assay started": {targets: []v1alpha1.Target{own}, want: decision.Done{Message: "every target accepts logins"}},
		"an external one, with a password that may be wrong": {
			targets: []v1alpha1.Target{cloud},
			want:    decision.Done{Reason: "NotContacted", Message: "not yet logged in to the servers that Assay did not start: cloud; loading the data does"},
		},
		"both": {
			targets: []v1alpha1.Target{own, cloud},
			want: decision.Done{
				Reason:  "NotContacted",
				Message: "every target that Assay started accepts logins; not yet logged in to the servers that Assay did not start: cloud; loading the data does",
			},
		},
		"the load has logged in": {targets: []v1alpha1.Target{own, cloud}, loaded: []string{"cloud"}, want: decision.Done{Message: "every target accepts logins"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Targets: tc.targets}}
			for _, target := range tc.loaded {
				run.Status.Targets = append(run.Status.Targets, v1alpha1.TargetStatus{Name: target, LoadResult: "run-" + target + "-load-result-0"})
			}
			if diff := cmp.Diff(tc.want, Input{Run: run}.known()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
