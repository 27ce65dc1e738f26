package benchmarkrun

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// An API that was removed is not a request that is none.
func TestRequestedOfNoAPI(t *testing.T) {
	requests := schema.GroupResource{Group: "autoscaling.x-k8s.io", Resource: "provisioningrequests"}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"never there": {&apimeta.NoKindMatchError{}, true},
		"removed":     {apierrors.NewGenericServerResponse(http.StatusNotFound, "get", requests, "run-place", "404 page not found", 0, true), true},
		"no request":  {apierrors.NewNotFound(requests, "run-place"), false},
		"all is well": {nil, false},
	} {
		if got := isUnserved(tt.err); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

// What cannot be seen may be there where the template is, which is made before a request and goes after it: that template stays until then.
func TestWhatCannotBeSeen(t *testing.T) {
	group := schema.GroupResource{Group: "autoscaling.x-k8s.io", Resource: "provisioningrequests"}
	forbidden, noAPI := apierrors.NewForbidden(group, "run-place-db", errors.New("no")), error(&apimeta.NoKindMatchError{})
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "uid"}}
	run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Shape: &v1alpha1.InstanceShapeSpec{ProvisioningClass: atomicScaleUp}}}}
	template := &corev1.PodTemplate{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: "run-place-db", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))},
	}}
	foreign := template.DeepCopy()
	foreign.OwnerReferences = nil
	none := apierrors.NewNotFound(group, "run-place-db")
	tests := map[string]struct {
		// request and of are why the request and its template cannot be read.
		request, of error
		template    *corev1.PodTemplate
		refused     bool
		unseen      []string
		removable   int
	}{
		"all is gone":                     {request: none},
		"a template without a request":    {request: none, template: template, removable: 1},
		"no API, and nothing was asked":   {request: noAPI, refused: true},
		"no API any more":                 {request: noAPI, template: template, refused: true, unseen: []string{"run-place-db"}},
		"no right":                        {request: forbidden, template: template, refused: true, unseen: []string{"run-place-db"}},
		"no right, and nothing was asked": {request: forbidden, refused: true},
		"a template of somebody else":     {request: forbidden, template: foreign, refused: true},
		"no right on templates":           {request: none, of: forbidden, refused: true, unseen: []string{"run-place-db"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var objects []client.Object
			if tt.template != nil {
				objects = append(objects, tt.template)
			}
			live := interceptor.NewClient(fakeAPI(t, objects...).(client.WithWatch), interceptor.Funcs{
				Get: func(ctx context.Context, api client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
					if _, is := obj.(*unstructured.Unstructured); is {
						return tt.request
					}
					if tt.of != nil {
						return tt.of
					}
					return api.Get(ctx, key, obj, opts...)
				},
			})
			got, err := requestedOf(t.Context(), live, run)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.unseen, got.Unseen); diff != "" || (got.Refused != "") != tt.refused || len(got.Removable()) != tt.removable {
				t.Errorf("unseen (-want +got):\n%s refused %q, removable %v", diff, got.Refused, got.Removable())
			}
		})
	}
}
