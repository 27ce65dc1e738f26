package benchmarkrun

import (
	"cmp"
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
	if placed && err == nil && len(out.Unseen) == 0 && len(out.Objects()) == 0 {
		r.asksForNothing.Store(run.UID, true)
	}
	return out, err
}

// requestedOf a run are its requests for nodes, with the templates of their pods, from the API server: a cache would need an API that a
// cluster may lack. They are read by their names, since anybody may give large ones the labels of the run. What belongs to somebody else
// is none.
func requestedOf(ctx context.Context, live client.Reader, run *v1alpha1.BenchmarkRun) (decision.Requested, error) {
	out := decision.Requested{Requests: map[string]*unstructured.Unstructured{}, Templates: map[string]*corev1.PodTemplate{}}
	look := requestReader{live, run}
	for _, name := range provision.Names(run) {
		request, template := resources.NamedRequest(run.Namespace, name), &corev1.PodTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: name}}
		asked, noRequests, err := look.at(ctx, "ProvisioningRequest", request)
		if err != nil {
			return out, err
		}
		marked, noTemplates, err := look.at(ctx, "PodTemplate", template)
		if err != nil {
			return out, err
		}
		if asked {
			out.Requests[name] = request
		}
		if marked {
			out.Templates[name] = template
		}
		if noTemplates != "" || noRequests != "" && marked {
			out.Unseen = append(out.Unseen, name)
		}
		out.Refused = cmp.Or(noTemplates, noRequests, out.Refused)
	}
	return out, nil
}

// requestReader looks at what a run requests.
type requestReader struct {
	live client.Reader
	run  *v1alpha1.BenchmarkRun
}

// at an object by its name: whether it is there and belongs to the run, or why that cannot be seen, and what to do.
func (r requestReader) at(ctx context.Context, kind string, obj client.Object) (own bool, refused string, err error) {
	switch err := r.live.Get(ctx, client.ObjectKeyFromObject(obj), obj); {
	case isUnserved(err):
		return false, fmt.Sprintf("the cluster has no API %s with ProvisioningRequests: install its CRD, and let the autoscaler of the cluster follow it", resources.ProvisioningAPI), nil
	case apierrors.IsForbidden(err):
		return false, fmt.Sprintf("the manager may not use %ss (%v): give it the rights of the chart", kind, err), nil
	case client.IgnoreNotFound(err) != nil:
		return false, "", fmt.Errorf("reading %s %s: %w", kind, obj.GetName(), err)
	default:
		return err == nil && metav1.IsControlledBy(obj, r.run), "", nil
	}
}

// isUnserved says whether the API server has no such API: the client finds none, or had found it before it was removed.
func isUnserved(err error) bool {
	return apimeta.IsNoMatchError(err) || apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
