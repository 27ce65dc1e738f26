package benchmarkschedule

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// maxForetold digests of histories in a status.
const maxForetold = 4

// done is what came of the actions of a pass.
type done struct {
	// history as it was written, or as it was, its digest, and the bytes of etcd that it takes.
	history       contract.History
	historySHA256 string
	historyBytes  int64
	// scheduleVersion is the version of the schedule after a write of its status; empty for none.
	scheduleVersion string
	// unwritten is why the API server does not take the history; empty where it does.
	unwritten string
	// started is the run that was created, or that an earlier pass had created; empty for none.
	started Run
	// refused is why the run could not be created: reason and message; empty where it could.
	reason, refused string
	// replaced are runs that were deleted for another one.
	replaced []Run
}

// act in this order: the history, before what it keeps is deleted; the runs beyond the limits; the
// new run; the active runs that it replaces, which go on where it is refused.
func (r *Reconciler) act(ctx context.Context, w World, d decision) (done, error) {
	out := done{history: d.history, historySHA256: w.HistorySHA256, historyBytes: w.HistoryBytes}
	if w.HistoryError != "" && w.HistoryOwned && retained(w.Schedule) {
		if err := r.disown(ctx, w); err != nil {
			return out, err
		}
	}
	if d.write {
		switch err := r.writeHistory(ctx, w, d.history, &out); {
		case rejected(err):
			// Runs go on starting, and none is deleted that no history has.
			out.unwritten = contract.Cut(fmt.Sprintf("the history cannot be written, and no run is deleted meanwhile: %v", err), maxMessage)
			out.history, d.prune = w.History, nil
		case err != nil:
			return out, err
		}
	}
	for _, run := range d.prune {
		if err := r.remove(ctx, w.Schedule.Namespace, run); err != nil {
			return out, err
		}
	}
	if d.start != nil {
		var err error
		if out, err = r.create(ctx, w, *d.start, out); err != nil {
			return out, err
		}
	}
	for _, run := range d.replace {
		if out.refused != "" {
			break // what they would be deleted for is not there
		}
		deleted, err := replaceRun(ctx, r.Live, r.Client, client.ObjectKey{Namespace: w.Schedule.Namespace, Name: run.Name}, run.UID)
		if err != nil {
			return out, err
		}
		if deleted {
			out.replaced = append(out.replaced, run)
		}
	}
	return out, nil
}

// replaceRun deletes an active run. One that has ended since is left alone: the history is to have it first.
func replaceRun(ctx context.Context, live client.Reader, api client.Writer, name client.ObjectKey, uid types.UID) (deleted bool, err error) {
	now := &v1alpha1.BenchmarkRun{}
	if err = live.Get(ctx, name, now); err == nil {
		if now.UID != uid || now.Finished() {
			return false, nil
		}
		err = api.Delete(ctx, now, client.Preconditions{UID: &now.UID, ResourceVersion: &now.ResourceVersion}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	}
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("deleting run %s, which is replaced: %w", name.Name, err)
	}
	return err == nil, nil
}

// remove a run, and what belongs to it.
func (r *Reconciler) remove(ctx context.Context, namespace string, run Run) error {
	o := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: run.Name}}
	err := r.Client.Delete(ctx, o, client.Preconditions{UID: &run.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("deleting run %s: %w", run.Name, err)
	}
	return nil
}

// create the run. One of that name that exists is the one that an earlier pass created, unless it
// belongs to somebody else.
func (r *Reconciler) create(ctx context.Context, w World, s start, out done) (done, error) {
	run := newRun(w.Schedule, s)
	pin(&run.Spec, r.Config, w.Inputs.Images)
	err := r.Client.Create(ctx, run)
	if apierrors.IsAlreadyExists(err) {
		if err = r.Live.Get(ctx, client.ObjectKeyFromObject(run), run); err != nil {
			return out, fmt.Errorf("reading run %s, which exists: %w", s.name, err)
		}
		if !ofSchedule(w.Schedule, run) {
			out.reason = v1alpha1.ReasonChildConflict
			out.refused = fmt.Sprintf("run %s exists and does not belong to this schedule: delete it, or change namePattern", s.name)
			return out, nil
		}
	}
	switch {
	case err == nil:
		out.started = describe(run)
		return out, nil
	case rejected(err):
		out.reason = v1alpha1.ReasonRunRejected
		out.refused = contract.Cut(fmt.Sprintf("run %s was rejected: %v", s.name, err), maxMessage)
		return out, nil
	}
	return out, fmt.Errorf("creating run %s: %w", s.name, err)
}

// rejected says that the API server does not take an object, which no further attempt mends.
func rejected(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
}

// newRun is the run that a start creates.
func newRun(schedule *v1alpha1.BenchmarkSchedule, s start) *v1alpha1.BenchmarkRun {
	t := schedule.Spec.RunTemplate
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: schedule.Namespace, Name: s.name, OwnerReferences: []metav1.OwnerReference{ownedBy(schedule)},
			Labels: notOurs(t.Metadata.Labels), Annotations: notOurs(t.Metadata.Annotations),
		},
		Spec: *t.Spec.DeepCopy(),
	}
	run.Labels[v1alpha1.LabelSchedule], run.Labels[v1alpha1.LabelScheduleUID] = schedule.Name, string(schedule.UID)
	run.Annotations[v1alpha1.AnnotationTrigger] = string(s.trigger)
	if !s.time.IsZero() {
		run.Annotations[v1alpha1.AnnotationScheduledTime] = s.time.UTC().Format(time.RFC3339)
	}
	if s.change != "" {
		run.Annotations[v1alpha1.AnnotationChange] = s.change
	}
	if len(s.replaces) > 0 {
		run.Annotations[v1alpha1.AnnotationReplaces] = strings.Join(s.replaces, ",")
	}
	return run
}

// notOurs are the labels or annotations that do not belong to Assay: the API server refuses those in a
// template.
func notOurs(all map[string]string) map[string]string {
	out := maps.Clone(all)
	if out == nil {
		out = map[string]string{}
	}
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasPrefix(name, "assay.dev/") })
	return out
}

func ownedBy(s *v1alpha1.BenchmarkSchedule) metav1.OwnerReference {
	return *metav1.NewControllerRef(s, v1alpha1.GroupVersion.WithKind(v1alpha1.KindSchedule))
}

// writeHistory of the schedule, over the version that was read: two managers that overlap do not
// lose what the other one wrote. The status knows its digest before, so that a manager that dies after the write is believed.
func (r *Reconciler) writeHistory(ctx context.Context, w World, h contract.History, out *done) error {
	data, written, err := history.Encode(h)
	if err != nil {
		return err
	}
	s, digest := w.Schedule, contract.Digest(data)
	if out.scheduleVersion, err = r.foretell(ctx, w, digest); err != nil {
		return err
	}
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Name: historyOf(w).ConfigMap, OwnerReferences: historyOwners(s),
			Labels: map[string]string{
				v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelRole: v1alpha1.RoleHistory,
				v1alpha1.LabelSchedule: s.Name, v1alpha1.LabelScheduleUID: string(s.UID),
			},
		},
		BinaryData: map[string][]byte{contract.KeyHistory: data},
	}
	switch {
	case w.HistoryVersion == "":
		err = r.Client.Create(ctx, cm)
	case w.HistoryImmutable:
		old := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: cm.Namespace, Name: cm.Name}}
		if err = r.Client.Delete(ctx, old, client.Preconditions{UID: &w.HistoryUID, ResourceVersion: &w.HistoryVersion}); err == nil {
			err = r.Client.Create(ctx, cm)
		}
	default:
		cm.ResourceVersion = w.HistoryVersion
		err = r.Client.Update(ctx, cm)
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %s: %w", cm.Name, err)
	}
	out.history, out.historySHA256, out.historyBytes = written, digest, budget.OfConfigMap(cm)
	return nil
}

// disown a history that cannot be read: it stays when the schedule goes, as it is.
func (r *Reconciler) disown(ctx context.Context, w World) error {
	cm := &corev1.ConfigMap{}
	if err := r.Live.Get(ctx, client.ObjectKey{Namespace: w.Schedule.Namespace, Name: historyOf(w).ConfigMap}, cm); err != nil {
		return client.IgnoreNotFound(err)
	}
	cm.OwnerReferences = slices.DeleteFunc(cm.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == w.Schedule.UID })
	if err := r.Client.Update(ctx, cm); err != nil {
		return fmt.Errorf("keeping ConfigMap %s: %w", cm.Name, err)
	}
	return nil
}

// retained says whether the history stays when the schedule goes.
func retained(s *v1alpha1.BenchmarkSchedule) bool {
	return s.Spec.HistoryReclaimPolicy == v1alpha1.RetainHistory
}

// historyOwners are those with which the history goes.
func historyOwners(s *v1alpha1.BenchmarkSchedule) []metav1.OwnerReference {
	if retained(s) {
		return nil
	}
	return []metav1.OwnerReference{ownedBy(s)}
}

// foretell in the status the digest of the history that is about to be written, beside those that are foretold: another manager
// may be about to write one of them. It returns the version of the schedule.
func (r *Reconciler) foretell(ctx context.Context, w World, digest string) (string, error) {
	next, st := w.Schedule.DeepCopy(), historyOf(w)
	if digest == st.SHA256 || slices.Contains(st.NextSHA256, digest) {
		return "", nil
	}
	st.NextSHA256 = append(st.NextSHA256, digest)
	st.NextSHA256 = st.NextSHA256[max(0, len(st.NextSHA256)-maxForetold):]
	next.Status.History = &st
	if err := r.Client.Status().Update(ctx, next); err != nil {
		return "", fmt.Errorf("writing the status: %w", err)
	}
	if st := next.Status.History; st == nil || !slices.Contains(st.NextSHA256, digest) {
		return "", errors.New("the API server does not keep the digest of the history: install the CRDs of this release")
	}
	return next.ResourceVersion, nil
}
