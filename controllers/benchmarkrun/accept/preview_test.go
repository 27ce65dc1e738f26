package accept

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
)

// What is foreseen without a cluster is what the manager decides with one.
func TestPreviewIsWhatIsDecided(t *testing.T) {
	for name, change := range map[string]change{
		"one target": spec(func(*v1alpha1.BenchmarkRunSpec) {}),
		"two of them": spec(func(s *v1alpha1.BenchmarkRunSpec) {
			second := s.Targets[0]
			second.Name = "b"
			s.Targets = append(s.Targets, second)
		}),
		"no such tool": spec(func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload = v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{Image: "x"}}
		}),
		"a server that is not verified": spec(func(s *v1alpha1.BenchmarkRunSpec) {
			s.Targets[0] = v1alpha1.Target{Name: "db", External: &v1alpha1.ExternalTarget{Host: "h", Port: 1, Credentials: corev1.LocalObjectReference{Name: "login"}}}
		}),
		"too short": spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Deadline.Duration = 1 }),
		"too many":  spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Blocks = 30000 }),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(change)
			decided := w.decide(t)
			got, err := experiment.Preview(w.in.Run, w.in.Catalogue)
			foreseen := "done: " + got.Message
			if err != nil {
				foreseen = words(failed(err))
			}
			if diff := cmp.Diff(words(decided.State), foreseen); diff != "" {
				t.Fatalf("the state (-decided +foreseen):\n%s", diff)
			}
			if err != nil {
				return
			}
			if got.Plan.SHA256() != decided.Status.Plan.SHA256 || got.Budget.Bytes != decided.Status.Results.BudgetBytes || got.Budget.Result != decided.Status.Results.ClientBudgetBytes || got.Budget.Bytes == 0 {
				t.Errorf("plan %s and budget %+v, decided are %s and %+v", got.Plan.SHA256(), got.Budget, decided.Status.Plan.SHA256, decided.Status.Results)
			}
			if diff := cmp.Diff(decided.Status.Plan.Analysis, got.Analysis); diff != "" {
				t.Errorf("the analysis (-decided +foreseen):\n%s", diff)
			}
			if want := len(got.Plan.Trials) * 60; int(got.Least.Seconds()) != want {
				t.Errorf("at least %s, want %d s", got.Least, want)
			}
		})
	}
}
