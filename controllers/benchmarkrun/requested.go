package benchmarkrun

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/provision"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// requested is what there is of the requests of a run for nodes. Once it has its nodes, what was found to be gone is not looked for again.
func (r *Reconciler) requested(ctx context.Context, run *v1alpha1.BenchmarkRun) (decision.Requested, error) {
	placed := run.Status.Placement != nil
	if !placed {
		r.asksForNothing.Delete(run.UID) // it may ask now
	} else if _, gone := r.asksForNothing.Load(run.UID); gone {
		return decision.Requested{}, nil
	}
	out, err := requestedOf(ctx, r.Live, run)
	if placed && err == nil && out.Refused == "" && len(out.Objects()) == 0 {
		r.asksForNothing.Store(run.UID, true)
	}
	return out, err
}

// requestedOf a run are its requests for nodes, with the templates of their pods, from the API server: a cache would need an API that a
// cluster may lack. They are read by their names, since anybody may give large ones the labels of the run. What belongs to somebody else
// is none.
func requestedOf(ctx context.Context, live client.Reader, run *v1alpha1.BenchmarkRun) (decision.Requested, error) {
	out := decision.Requested{Requests: map[string]*unstructured.Unstructured{}, Templates: map[string]*corev1.PodTemplate{}}
	for _, name := range provision.Names(run) {
		request := resources.NamedRequest(run.Namespace, name)
		switch err := live.Get(ctx, client.ObjectKeyFromObject(request), request); {
		case isUnserved(err):
			out.Refused = fmt.Sprintf("the cluster has no API %s with ProvisioningRequests: install its CRD, and let the autoscaler of the cluster follow it", resources.ProvisioningAPI)
		case apierrors.IsForbidden(err):
			out.Refused = fmt.Sprintf("the manager may not use ProvisioningRequests (%v): give it the rights of the chart", err)
		case client.IgnoreNotFound(err) != nil:
			return out, fmt.Errorf("reading ProvisioningRequest %s: %w", name, err)
		case err == nil && metav1.IsControlledBy(request, run):
			out.Requests[name] = request
		}
		template := &corev1.PodTemplate{}
		switch err := live.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: name}, template); {
		case apierrors.IsForbidden(err):
			out.Refused = fmt.Sprintf("the manager may not use PodTemplates (%v): give it the rights of the chart", err)
		case client.IgnoreNotFound(err) != nil:
			return out, fmt.Errorf("reading PodTemplate %s: %w", name, err)
		case err == nil && metav1.IsControlledBy(template, run):
			out.Templates[name] = template
		}
	}
	return out, nil
}

// isUnserved says whether the API server has no such API: the client finds none, or had found it before it was removed.
func isUnserved(err error) bool {
	return apimeta.IsNoMatchError(err) || apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
