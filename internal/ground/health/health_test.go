package health_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/health"
	"github.com/assay-bench/assay/test/helpers/gitops"
)

// underWay is what a controller says of an object that will become ready or stalled.
func underWay(conditions *[]metav1.Condition, s health.Said) {
	for condition, status := range map[string]metav1.ConditionStatus{
		v1alpha1.ConditionReconciling: metav1.ConditionTrue, v1alpha1.ConditionStalled: metav1.ConditionFalse, v1alpha1.ConditionReady: metav1.ConditionUnknown,
	} {
		apimeta.SetStatusCondition(conditions, metav1.Condition{Type: condition, Status: status, Reason: s.Reason, Message: s.Message})
	}
}

// What each of the three says is what Flux and Argo CD understand, whatever was said before.
func TestWhatIsSaidIsUnderstood(t *testing.T) {
	said := health.Said{Generation: 3, Now: time.Now(), Reason: "Because", Message: "of something"}
	orders := map[string]struct {
		last    func(*[]metav1.Condition, health.Said)
		changed func(*v1alpha1.BenchmarkRunStatus)
		want    gitops.Health
	}{
		"it is under way": {last: underWay, want: gitops.Health{Flux: "InProgress", ArgoCD: "Progressing", Message: "of something"}},
		"it is ready":     {last: health.Ready, want: gitops.Health{Flux: "Current", ArgoCD: "Healthy", Message: "Resource is Ready"}},
		"it has stalled":  {last: health.Stalled, want: gitops.Health{Flux: "Failed", ArgoCD: "Degraded", Message: "of something"}},
		"it was ready in an older generation": {
			last: health.Ready, changed: func(st *v1alpha1.BenchmarkRunStatus) { st.ObservedGeneration = 2 },
			want: gitops.Health{Flux: "InProgress", ArgoCD: "Progressing", Message: "BenchmarkRun generation is 3, but latest observed generation is 2"},
		},
		"it is ready, and suspended": {
			last: health.Ready, changed: func(st *v1alpha1.BenchmarkRunStatus) {
				st.Conditions = append(st.Conditions, metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionTrue, Message: "spec.suspend is true"})
			},
			want: gitops.Health{Flux: "Current", ArgoCD: "Suspended", Message: "Resource is Ready"},
		},
		"it is not ready, and nothing else is known": {
			last: health.Ready, changed: func(st *v1alpha1.BenchmarkRunStatus) {
				st.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Message: "not yet"}}
			},
			want: gitops.Health{Flux: "InProgress", ArgoCD: "Progressing", Message: "not yet"},
		},
	}
	before := map[string]func(*[]metav1.Condition, health.Said){"": nil, ", progressing before": underWay, ", ready before": health.Ready, ", stalled before": health.Stalled}
	for name, tt := range orders {
		for first, say := range before {
			t.Run(name+first, func(t *testing.T) {
				run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Generation: 3}}
				run.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
				run.Status.ObservedGeneration = 3
				if say != nil {
					say(&run.Status.Conditions, health.Said{Generation: 3, Now: time.Now(), Reason: "Before", Message: "something else"})
				}
				tt.last(&run.Status.Conditions, said)
				if tt.changed != nil {
					tt.changed(&run.Status)
				}
				fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(run)
				if err != nil {
					t.Fatal(err)
				}
				got, err := gitops.Judge(&unstructured.Unstructured{Object: fields})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}
