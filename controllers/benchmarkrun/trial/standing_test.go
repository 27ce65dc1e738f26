package trial

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/runners/runner"
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

// Only a client that is alone stands from the look at data on, and only where no target is loaded.
func TestWhoLooksAtData(t *testing.T) {
	exists := func(name string) v1alpha1.Target {
		return v1alpha1.Target{Name: name, External: &v1alpha1.ExternalTarget{Data: v1alpha1.DataExisting}}
	}
	for name, tt := range map[string]struct {
		change func(*cluster)
		want   bool
	}{
		"one that stands":            {func(*cluster) {}, true},
		"one for each trial":         {func(c *cluster) { c.in.Run.Spec.Design.ClientPods = v1alpha1.ClientPodsPerTrial }, false},
		"several":                    {func(c *cluster) { c.in.Run.Spec.Clients.Count = 2 }, false},
		"beside data that is loaded": {func(c *cluster) { c.in.Run.Spec.Targets[1].External.Data = "" }, false},
		"beside numbers of others": {func(c *cluster) {
			c.in.Run.Spec.Targets[1] = v1alpha1.Target{Name: "b", Published: &v1alpha1.PublishedTarget{}}
		}, true},
		"another manager began with it": {func(c *cluster) { c.in.Children.Jobs["run-a-load"] = &batchv1.Job{} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			c.in.Run.Spec.Targets, c.in.Run.Spec.Clients.Count = []v1alpha1.Target{exists("a"), exists("b")}, 1
			c.in.Run.Spec.Design.ClientPods = v1alpha1.ClientPodsStanding
			tt.change(c)
			e := Load(c.in, "a")
			if e.Standing != tt.want || e.Clients != 1 || e.Name != "run-a-load" {
				t.Errorf("%+v, want that it stands: %v", e, tt.want)
			}
			if got := standingName(c.in, e); tt.want && got != "run-a-clients" {
				t.Errorf("its Job is %s", got)
			}
		})
	}
}

// Clients that stand are free when what they did stands in the status or in the records, and go on with what follows.
func TestAfterALook(t *testing.T) {
	for name, tt := range map[string]struct {
		loaded string
		failed bool
		told   string
		want   []string
	}{
		"the look is in the status": {loaded: "run-db-load-result-0", told: "run-db-load", want: []string{"run-db-load"}},
		"it is not":                 {told: "run-db-load"},
		"it is one of another time": {loaded: "run-db-load-r1-result-0", told: "run-db-load"},
		"a trial failed after it":   {loaded: "run-db-load-result-0", failed: true, told: "run-trial-00000", want: []string{"run-db-load"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			c.in.Run.Spec.Clients.Count, c.in.Run.Spec.Design.ClientPods = 1, v1alpha1.ClientPodsStanding
			c.in.Run.Status.Targets[0].LoadResult = tt.loaded
			c.e = Measurement(c.in, journal.Position{}, nil, nil, runner.Length{})
			if tt.failed {
				c.in.Recorded = []contract.Record{{State: contract.Failed}}
			}
			if diff := cmp.Diff(tt.want, doneBefore(c.in)); diff != "" {
				t.Errorf("done before (-want +got):\n%s", diff)
			}
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "run-db-clients", Labels: map[string]string{v1alpha1.LabelStanding: "true"}}}
			c.in.Children.Jobs[job.Name] = job
			c.in.Children.ClientPods[job.Name] = []*corev1.Pod{{Status: corev1.PodStatus{Phase: corev1.PodRunning}}}
			told := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: job.Name, Annotations: map[string]string{contract.AnnotationNext: tt.told}}}
			ask := decision.Known{}.With(decision.GetMetadata{Name: job.Name}, told).Ask()
			want := ""
			if slices.Contains(tt.want, tt.told) {
				want = job.Name
			}
			if got := free(c.in, c.e, ask); got != want || !ask.Complete() {
				t.Errorf("free is %q, want %q; asks for %v", got, want, ask.Missing())
			}
		})
	}
}
