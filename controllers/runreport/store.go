package runreport

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/ground/store"
)

// mediaType of the page.
const mediaType = "text/html; charset=utf-8"

// maxMessage of the status, and maxProblem of an error in it, in bytes.
const maxMessage, maxProblem = 1024, 512

// begin writes the ConfigMap where it is to be written, and counts the next attempt at the page where there is a store. The
// report is what the status has to say before that attempt.
func (r *Reconciler) begin(ctx context.Context, run *v1alpha1.BenchmarkRun) (v1alpha1.ReportStatus, error) {
	var report v1alpha1.ReportStatus
	if run.Status.Report != nil {
		report = *run.Status.Report.DeepCopy()
	} else {
		var err error
		if report, err = r.storeTables(ctx, run); err != nil || report.ConfigMap == "" || r.Store == nil {
			return report, err
		}
	}
	if r.Store == nil {
		return ended(run, report, v1alpha1.ReasonReportNotStored, "the page was not stored, and the manager has no object store any more"), nil
	}
	report.Attempts++
	report.LastAttemptTime = &metav1.Time{Time: r.Clock.Now()}
	report.Reason, report.Message = v1alpha1.ReasonProgressing, fmt.Sprintf("%s; attempt %d of %d at the page", hasTables(report), report.Attempts, MaxAttempts)
	return report, nil
}

// storeTables writes the ConfigMap.
func (r *Reconciler) storeTables(ctx context.Context, run *v1alpha1.BenchmarkRun) (v1alpha1.ReportStatus, error) {
	tables, err := alone(ctx, r.Reading, run, r.Writer.Tables)
	if err != nil {
		return v1alpha1.ReportStatus{}, err
	}
	cm := &corev1.ConfigMap{ObjectMeta: resources.Meta(run, contract.ReportName(run.Name), resources.Labels(run, v1alpha1.RoleReport)), Data: tables}
	switch reason, problem, err := r.put(ctx, run, cm); {
	case err != nil:
		return v1alpha1.ReportStatus{}, err
	case reason != "":
		return ended(run, v1alpha1.ReportStatus{}, reason, problem), nil
	}
	report := v1alpha1.ReportStatus{
		Reason: v1alpha1.ReasonSucceeded, ConfigMap: cm.Name, SizeBytes: budget.OfConfigMap(cm),
		MarkdownSHA256: contract.Digest([]byte(tables[contract.KeyReport])), SummarySHA256: contract.Digest([]byte(tables[contract.KeyReportSummary])),
	}
	report.Message = hasTables(report)
	return report, nil
}

// hasTables says where the tables are.
func hasTables(report v1alpha1.ReportStatus) string {
	return fmt.Sprintf("ConfigMap %s has the tables (%s, %s)", report.ConfigMap, contract.KeyReport, contract.KeyReportSummary)
}

// put the ConfigMap there, also over that of an attempt before. A reason is why it cannot be.
func (r *Reconciler) put(ctx context.Context, run *v1alpha1.BenchmarkRun, cm *corev1.ConfigMap) (reason, problem string, err error) {
	err = r.Client.Create(ctx, cm.DeepCopy())
	if apierrors.IsAlreadyExists(err) {
		have := &corev1.ConfigMap{}
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(cm), have); err != nil {
			return "", "", fmt.Errorf("reading ConfigMap %s: %w", cm.Name, err)
		}
		owner := metav1.GetControllerOf(have)
		switch {
		case owner != nil && owner.Kind == "BenchmarkRun" && owner.Name == run.Name && owner.UID != run.UID:
			return "", "", fmt.Errorf("ConfigMap %s of an earlier run of the same name is not deleted yet", cm.Name)
		case !metav1.IsControlledBy(have, run):
			return v1alpha1.ReasonChildConflict, fmt.Sprintf("ConfigMap %s exists and does not belong to this run", cm.Name), nil
		case maps.Equal(have.Data, cm.Data):
			return "", "", nil
		}
		have.Data, have.BinaryData = cm.Data, nil
		err = r.Client.Update(ctx, have)
	}
	if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) {
		return v1alpha1.ReasonReportNotStored, fmt.Sprintf("the API server refuses ConfigMap %s: %v", cm.Name, err), nil
	}
	if err != nil {
		return "", "", fmt.Errorf("writing ConfigMap %s: %w", cm.Name, err)
	}
	return "", "", nil
}

// storePage makes the page and brings it to the store. The attempt stands in the status already. It fails only when the
// manager ends meanwhile: the next one tries again.
func (r *Reconciler) storePage(ctx context.Context, run *v1alpha1.BenchmarkRun, report v1alpha1.ReportStatus) (v1alpha1.ReportStatus, error) {
	page, err := alone(ctx, r.Reading, run, r.Writer.Page)
	var stored *v1alpha1.StoredPage
	if err == nil {
		stored, err = r.upload(ctx, run, page)
	}
	switch {
	case ctx.Err() != nil:
		return report, fmt.Errorf("the manager ends: %w", ctx.Err())
	case err == nil:
		report.Reason, report.Message, report.Page = v1alpha1.ReasonSucceeded, hasTables(report)+"; the page is in the object store", stored
	case errors.Is(err, contract.ErrTooLarge):
		report = ended(run, report, v1alpha1.ReasonReportTooLarge, "the page is not made: "+err.Error())
	case report.Attempts >= MaxAttempts:
		report = ended(run, report, v1alpha1.ReasonReportNotStored, fmt.Sprintf("the page is not stored after %d attempts: %v", report.Attempts, err))
	default:
		ctrl.LoggerFrom(ctx).Info("the page of a report is not stored, and is tried again", "attempt", report.Attempts, "error", err.Error())
		report.Reason = v1alpha1.ReasonRetrying
		report.Message = contract.Cut(fmt.Sprintf("%s; attempt %d of %d at the page failed, and it is tried again: %v", hasTables(report), report.Attempts, MaxAttempts, err), maxMessage)
	}
	return report, nil
}

// mostReading is how long a run may be read for a part of its report. Nobody else reads results meanwhile.
const mostReading = 30 * time.Second

// alone makes a part of a report while nobody else reads. What takes too long fails, and is tried again.
func alone[T any](ctx context.Context, reading sync.Locker, run *v1alpha1.BenchmarkRun, read func(context.Context, *v1alpha1.BenchmarkRun) (T, error)) (T, error) {
	reading.Lock()
	defer reading.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, mostReading, fmt.Errorf("reading the run took longer than %s", mostReading))
	defer cancel()
	part, err := read(ctx, run)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return part, err
}

// upload the page under its digest. One that is there already is that of an attempt before.
func (r *Reconciler) upload(ctx context.Context, run *v1alpha1.BenchmarkRun, page []byte) (*v1alpha1.StoredPage, error) {
	layout := store.Layout{Prefix: r.Config.Prefix, Cluster: r.Config.Cluster, Namespace: run.Namespace, Run: run.Name}
	digest := contract.Digest(page)
	key := layout.ReportKey(string(run.UID), digest)
	item := store.Item{Object: contract.Object{Name: contract.NameReportPage, SHA256: digest, Bytes: int64(len(page))}, Key: key}
	if state, err := r.Store.Write(ctx, item, mediaType, page); state != store.Present {
		return nil, err
	}
	return &v1alpha1.StoredPage{Object: "s3://" + r.Config.Bucket + "/" + key, URL: r.Store.URL(key), SHA256: digest, SizeBytes: item.Bytes}, nil
}

// ended is a report of which a part is not stored, and not tried again.
func ended(run *v1alpha1.BenchmarkRun, report v1alpha1.ReportStatus, reason, problem string) v1alpha1.ReportStatus {
	report.Reason, report.Message = reason, fmt.Sprintf("%s; kubectl assay report %s makes it", contract.Cut(problem, maxProblem), run.Name)
	return report
}

// record the report in the status, under the lock of the version that is read for it.
func (r *Reconciler) record(ctx context.Context, run *v1alpha1.BenchmarkRun, report v1alpha1.ReportStatus) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now := &v1alpha1.BenchmarkRun{}
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(run), now); err != nil {
			return err
		}
		if now.UID != run.UID {
			return nil
		}
		now.Status.Report = &report
		return r.Client.Status().Update(ctx, now)
	})
	if err := client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("writing status.report: %w", err)
	}
	run.Status.Report = &report
	return nil
}

// tell of a report that needs no further attempt.
func (r *Reconciler) tell(run *v1alpha1.BenchmarkRun) {
	report := run.Status.Report
	r.Metrics.Ended(report.Reason)
	if !pending(report) && report.Reason != v1alpha1.ReasonSucceeded {
		r.Events.Eventf(run, nil, corev1.EventTypeWarning, report.Reason, "Report", "%s", report.Message)
	}
}

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
