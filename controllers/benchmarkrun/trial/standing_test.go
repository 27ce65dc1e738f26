package trial

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Clients that stand are dismissed once, and by nothing but the ConfigMap of their run: to write over another one would end a run
// that has all it measured.
func TestDismiss(t *testing.T) {
	for name, tt := range map[string]struct {
		next    string
		foreign bool
		want    int
	}{
		"they wait for a trial":               {next: "run-trial-00000", want: 1},
		"they know":                           {next: contract.NoTrial},
		"a ConfigMap that somebody else made": {next: "run-trial-00000", foreign: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			c.pods()
			job := c.in.Children.Jobs[c.e.Name]
			job.Labels[v1alpha1.LabelStanding] = "true"
			cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: job.Name, Annotations: map[string]string{contract.AnnotationNext: tt.next}}}
			if !tt.foreign {
				cm.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(c.in.Run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))}
			}
			ask := decision.Known{}.With(decision.Named[*corev1.ConfigMap](job.Name), cm).Ask()
			got := Dismiss(c.in, ask)
			if len(got) != tt.want || !ask.Complete() {
				t.Errorf("%d actions, want %d; asks for %v", len(got), tt.want, ask.Missing())
			}
		})
	}
}
