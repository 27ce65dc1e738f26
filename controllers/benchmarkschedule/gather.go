package benchmarkschedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// indexSchedule finds the runs of a schedule by its UID.
const indexSchedule = "assay.dev/schedule-uid"

func scheduleUID(o client.Object) []string {
	if run, is := o.(*v1alpha1.BenchmarkRun); is && run.Schedule() != nil {
		return []string{string(run.Schedule().UID)}
	}
	return nil
}

// gather what a pass decides from but its inputs and its history. Runs come from the cache: one that it does not know yet stands in
// the status, or is created again under the same name.
func (r *Reconciler) gather(ctx context.Context, schedule *v1alpha1.BenchmarkSchedule) (World, error) {
	w := World{Schedule: schedule, Now: r.Clock.Now()}
	var err error
	if w.Runs, w.Gone, err = r.runs(ctx, schedule); err != nil {
		return w, err
	}
	endedInTime(w)
	return w, nil
}

// mayNeedHistory says whether a pass may need the history. A time that looks missed may have a run that only the history has: the
// manager died before it wrote the status.
func mayNeedHistory(w World) bool {
	missing, err := timesOf(w)
	return slices.ContainsFunc(w.Runs, func(run Run) bool { return run.Ended }) || w.Schedule.Status.History != nil || err == nil && missing.missed.count > 0
}

// smallHistory is the size of a history that takes milliseconds and about a megabyte of memory to read, in bytes of etcd.
const smallHistory = 32 << 10

// isSmall says whether a pass reads only a small history, as the manager wrote it: no run has ended whose records it may have to read. One
// that somebody made larger has another digest, and is not decoded.
func isSmall(w World) bool {
	st := w.Schedule.Status
	return st.History != nil && st.History.SizeBytes > 0 && st.History.SizeBytes <= smallHistory && st.LastRun != nil &&
		!slices.ContainsFunc(w.Runs, func(run Run) bool { return run.Ended && run.Completed.After(st.LastRun.CompletionTime.Time) })
}

// runs of a schedule, the oldest first, and the names of active ones that are gone.
func (r *Reconciler) runs(ctx context.Context, schedule *v1alpha1.BenchmarkSchedule) (out []Run, gone []string, err error) {
	var list v1alpha1.BenchmarkRunList
	err = r.Client.List(ctx, &list, client.InNamespace(schedule.Namespace), client.MatchingFields{indexSchedule: string(schedule.UID)})
	if err != nil {
		return nil, nil, fmt.Errorf("listing the runs of the schedule: %w", err)
	}
	known := map[string]bool{}
	for i := range list.Items {
		if run := &list.Items[i]; ofSchedule(schedule, run) {
			known[run.Name] = true
			out = append(out, describe(run))
		}
	}
	for _, active := range schedule.Status.Active {
		if known[active.Name] {
			continue
		}
		run := &v1alpha1.BenchmarkRun{}
		err := r.Live.Get(ctx, client.ObjectKey{Namespace: schedule.Namespace, Name: active.Name}, run)
		if client.IgnoreNotFound(err) != nil {
			return nil, nil, fmt.Errorf("reading run %s: %w", active.Name, err)
		}
		switch {
		case err == nil && string(run.UID) == active.UID:
			out = append(out, describe(run))
		case !slices.ContainsFunc(out, func(by Run) bool { return slices.Contains(by.Replaces, active.UID) }):
			gone = append(gone, active.Name)
		}
	}
	slices.SortFunc(out, func(a, b Run) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name)) })
	return out, gone, nil
}

// ofSchedule says whether a schedule has started a run: it is its controller, and the name of the run has the id of what its
// annotations say has started it. The pattern of the name may have changed since.
func ofSchedule(schedule *v1alpha1.BenchmarkSchedule, run *v1alpha1.BenchmarkRun) bool {
	id := ""
	switch v1alpha1.RunTrigger(run.Annotations[v1alpha1.AnnotationTrigger]) {
	case v1alpha1.TriggerSchedule:
		if at, err := time.Parse(time.RFC3339, run.Annotations[v1alpha1.AnnotationScheduledTime]); err == nil {
			id = timeID(at)
		}
	case v1alpha1.TriggerChange:
		id = changeID(schedule, run.Annotations[v1alpha1.AnnotationChange])
	case v1alpha1.TriggerManual:
		id = contract.RunNowPrefix
	case v1alpha1.TriggerConfirm:
		id = confirmPrefix
	}
	return metav1.IsControlledBy(run, schedule) && id != "" && strings.Contains(run.Name, id)
}

func describe(run *v1alpha1.BenchmarkRun) Run {
	out := Run{
		Name: run.Name, UID: run.UID, Created: run.CreationTimestamp.Time, Change: run.Annotations[v1alpha1.AnnotationChange],
		Ended: run.Finished(), Deleting: !run.DeletionTimestamp.IsZero(), Completed: run.CreationTimestamp.Time,
	}
	out.Succeeded = out.Ended && succeeded(run.Status.Outcome)
	if at, err := time.Parse(time.RFC3339, run.Annotations[v1alpha1.AnnotationScheduledTime]); err == nil {
		out.Scheduled = at
	}
	if uids := run.Annotations[v1alpha1.AnnotationReplaces]; uids != "" {
		out.Replaces = strings.Split(uids, ",")
	}
	if run.Status.CompletionTime != nil {
		out.Completed = run.Status.CompletionTime.Time
	}
	return out
}

// readHistory of the schedule, and the next run that it lacks.
func (r *Reconciler) readHistory(ctx context.Context, w *World) error {
	cm := &corev1.ConfigMap{}
	name := contract.HistoryName(w.Schedule.Name, string(w.Schedule.UID))
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: w.Schedule.Namespace, Name: name}, cm)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	if err == nil {
		w.HistoryVersion, w.HistoryUID, w.HistoryImmutable = cm.ResourceVersion, cm.UID, ptr.Deref(cm.Immutable, false)
		w.HistoryOwned, w.HistoryBytes = metav1.IsControlledBy(cm, w.Schedule), budget.OfConfigMap(cm)
		if w.HistoryReason, w.HistoryError = w.open(cm); w.HistoryError != "" {
			return nil
		}
	}
	lacking := slices.DeleteFunc(slices.Clone(w.Runs), func(run Run) bool {
		return !run.Ended || history.Has(w.History, string(run.UID), run.Completed.Unix())
	})
	if len(lacking) == 0 {
		return nil
	}
	first := slices.MinFunc(lacking, func(a, b Run) int { return a.Completed.Compare(b.Completed) })
	w.MoreEnded = len(lacking) > 1
	w.Ended, err = r.past(ctx, w.Schedule.Namespace, first)
	return err
}

// open the history in a ConfigMap. Reason and message say why it cannot be used; empty where it can.
func (w *World) open(cm *corev1.ConfigMap) (reason, message string) {
	if !history.IsOf(w.Schedule, cm) {
		return v1alpha1.ReasonHistoryUnreadable, fmt.Sprintf("ConfigMap %s belongs to another object: delete it, or give the schedule another name", cm.Name)
	}
	data := cm.BinaryData[contract.KeyHistory]
	h, err := history.Read(w.Schedule, data)
	if err == nil {
		w.History, w.HistorySHA256 = h, contract.Digest(data)
		return "", ""
	}
	if reason = v1alpha1.ReasonHistoryUnreadable; errors.Is(err, history.ErrTampered) {
		reason = v1alpha1.ReasonTampered
	}
	return reason, fmt.Sprintf("ConfigMap %s: %v: the runs stay until it can be read; deleting it begins a new history", cm.Name, err)
}

// past is the entry of a run that has ended; none for one that is gone. Records that are not those of the run's chain give
// no values, and the entry says so.
func (r *Reconciler) past(ctx context.Context, namespace string, of Run) ([]contract.PastRun, error) {
	run := &v1alpha1.BenchmarkRun{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: of.Name}, run)
	if apierrors.IsNotFound(err) || err == nil && run.UID != of.UID {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading run %s: %w", of.Name, err)
	}
	build := history.NewBuilder(run)
	reading := integrity.NewReading(run, ptr.Deref(run.Status.Integrity, v1alpha1.IntegrityStatus{}))
	var found []integrity.Finding
	for i := range ptr.Deref(run.Status.Results, v1alpha1.ResultsStatus{}).RecordConfigMapCount {
		name := contract.RecordsName(run.Name, i)
		cm := &corev1.ConfigMap{}
		err := r.Live.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: name}, cm)
		if apierrors.IsNotFound(err) {
			cm, err = nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
		}
		records, differs := reading.Part(name, cm)
		found = append(found, differs...)
		build.Add(records)
	}
	// A run of before there were chains has nothing to be compared with.
	if run.Status.Integrity != nil {
		if found = append(found, reading.End()...); len(found) > 0 {
			build.Refuse(reasonOf(found[0]), found[0].String())
		}
	}
	return []contract.PastRun{build.Past()}, nil
}

// reasonOf a finding, as the run's own condition has it.
func reasonOf(f integrity.Finding) string {
	if f.Kind == integrity.Lost {
		return v1alpha1.ReasonJournalLost
	}
	return v1alpha1.ReasonTampered
}
