package benchmarkrun

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// requestedOf a run is its request for nodes, with its templates where they are wanted, from the API server: a cache would need an API that a cluster may lack. What belongs to
// somebody else is none.
func requestedOf(ctx context.Context, live client.Reader, run *v1alpha1.BenchmarkRun, templates bool) (decision.Requested, error) {
	var out decision.Requested
	request := resources.NamedRequest(run)
	switch err := live.Get(ctx, client.ObjectKeyFromObject(request), request); {
	case apimeta.IsNoMatchError(err):
		out.Refused = fmt.Sprintf("the cluster has no API %s with ProvisioningRequests: install its CRD, and let the autoscaler of the cluster follow it", resources.ProvisioningAPI)
	case apierrors.IsForbidden(err):
		out.Refused = fmt.Sprintf("the manager may not use ProvisioningRequests (%v): give it the rights of the chart", err)
	case client.IgnoreNotFound(err) != nil:
		return out, fmt.Errorf("reading ProvisioningRequest %s: %w", request.GetName(), err)
	case err == nil && metav1.IsControlledBy(request, run):
		out.Request = request
	}
	if !templates {
		return out, nil
	}
	names := []string{contract.TemplateName(run.Name, "")}
	for _, t := range run.Provided() {
		names = append(names, contract.TemplateName(run.Name, t.Name))
	}
	for _, name := range names { // no list: anybody may give large ones the labels of the run
		var template corev1.PodTemplate
		switch err := live.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: name}, &template); {
		case apierrors.IsForbidden(err): // it could not make one
		case client.IgnoreNotFound(err) != nil:
			return out, fmt.Errorf("reading PodTemplate %s: %w", name, err)
		case err == nil && metav1.IsControlledBy(&template, run):
			out.Templates = append(out.Templates, template)
		}
	}
	return out, nil
}
