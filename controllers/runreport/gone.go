package runreport

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// gone says that the ConfigMap of a stored report is not there any more. The API server is asked only where the cache has none.
func (r *Reconciler) gone(ctx context.Context, run *v1alpha1.BenchmarkRun) (bool, error) {
	if run.Status.Report.SizeBytes == 0 { // it had none
		return false, nil
	}
	key := client.ObjectKey{Namespace: run.Namespace, Name: contract.ReportName(run.Name)}
	for _, from := range []client.Reader{r.Client, r.Live} {
		cm := &metav1.PartialObjectMetadata{} // without its content, which no cache has
		cm.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		err := from.Get(ctx, key, cm)
		if client.IgnoreNotFound(err) != nil {
			return false, fmt.Errorf("reading ConfigMap %s: %w", key.Name, err)
		}
		if err == nil && metav1.IsControlledBy(cm, run) {
			return false, nil
		}
	}
	return true, nil
}

// without its ConfigMap, a report that was stored. What it was made of may be gone, too, so it is not made again.
func without(run *v1alpha1.BenchmarkRun) v1alpha1.ReportStatus {
	report := *run.Status.Report.DeepCopy()
	report.ConfigMap, report.MarkdownSHA256, report.SummarySHA256, report.SizeBytes = "", "", "", 0
	return ended(run, report, v1alpha1.ReasonReportNotStored, fmt.Sprintf("ConfigMap %s was deleted", contract.ReportName(run.Name)))
}
