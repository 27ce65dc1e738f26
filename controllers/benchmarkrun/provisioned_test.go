package benchmarkrun

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// What is known of the targets when nothing has to be waited for any more.
func TestProvisionedSaysWhatIsKnown(t *testing.T) {
	own := v1alpha1.Target{Name: "own", MySQL: &v1alpha1.MySQLTarget{}}
	cloud := v1alpha1.Target{Name: "cloud", External: &v1alpha1.ExternalTarget{Host: "db.example"}}
	tests := map[string]struct {
		targets []v1alpha1.Target
		loaded  []string
		want    outcome
	}{
		"servers that Assay started": {targets: []v1alpha1.Target{own}, want: outcome{message: "every target accepts logins"}},
		"an external one, with a password that may be wrong": {
			targets: []v1alpha1.Target{cloud},
			want:    outcome{reason: "NotContacted", message: "nobody has logged in yet to what Assay did not start: cloud; loading the data will"},
		},
		"both": {
			targets: []v1alpha1.Target{own, cloud},
			want: outcome{
				reason:  "NotContacted",
				message: "every target that Assay started accepts logins; nobody has logged in yet to what Assay did not start: cloud; loading the data will",
			},
		},
		"the load has logged in": {targets: []v1alpha1.Target{own, cloud}, loaded: []string{"cloud"}, want: outcome{message: "every target accepts logins"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{run: &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Targets: tc.targets}}}
			for _, target := range tc.loaded {
				s.targetStatus(target).LoadResult = "run-" + target + "-load-result-0"
			}
			if diff := cmp.Diff(tc.want, s.provisioned(), cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
