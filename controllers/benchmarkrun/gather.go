package benchmarkrun

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/holds"
	"github.com/assay-bench/assay/internal/experiment"
)

// indexRun finds the objects of a run by its UID.
const indexRun = "assay.dev/run-uid"

func runUID(o client.Object) []string {
	if uid := o.GetLabels()[v1alpha1.LabelRunUID]; uid != "" {
		return []string{uid}
	}
	return nil
}

// gather what every pass needs, from the cache. The rest is read when a room asks for it:
// which execution is the current one follows from the records, and each needs other
// objects.
func (r *Reconciler) gather(ctx context.Context, run *v1alpha1.BenchmarkRun, known decision.Known) (World, error) {
	w := World{Known: known}
	w.Run, w.Now, w.Catalogue = run.DeepCopy(), r.Clock.Now(), experiment.Catalogue{Tool: r.Runner, Engine: r.Engine, Config: r.Config}
	w.Run.Status = keepTime(run, w.Now)
	w.Planned, w.Seen = r.plans.of(run.UID)
	if checked, is := r.checked.Load(run.UID); is {
		w.Checked = checked.(conclude.Checked)
	}
	_, w.Outgrew = r.outgrew.Load(run.UID)
	w.Turn = r.plans.isPlanned(run.UID) && r.plans.mayPlan(run.UID, w.Now)
	var (
		sets appsv1.StatefulSetList
		jobs batchv1.JobList
		pods corev1.PodList
	)
	for _, list := range []client.ObjectList{&sets, &jobs, &pods} {
		if err := r.Client.List(ctx, list, client.InNamespace(run.Namespace), client.MatchingFields{indexRun: string(run.UID)}); err != nil {
			return w, fmt.Errorf("listing the run's objects: %w", err)
		}
	}
	var err error
	if holds.Releasing(w.Run) { // the nodes are free when none is left
		if pods.Items, err = r.nodes().madeByRuns(ctx, pods.Items); err != nil {
			return w, err
		}
	}
	w.Children = decision.NewChildren(run, sets.Items, jobs.Items, pods.Items)
	w.Nodes, err = r.nodes().askForNodes(ctx, w.Run, w.Children, w.Now)
	return w, err
}

// consult the rooms until they ask for nothing more. An answer that cannot be had makes
// the step that asked wait: its state says why. What was read is dropped at the end: it
// may be large.
func (r *Reconciler) consult(ctx context.Context, w World) (World, pass, error) {
	read := &reader{
		cache: r.Client, live: r.Live, logs: r.Logs, run: w.Run, limits: r.Config.Limits, store: r.Store,
		admit: r.nodes().admit, requested: r.requested,
	}
	alone := false
	defer func() {
		if alone {
			r.reading.Unlock()
		}
	}()
	for {
		p := decide(w)
		if len(p.missing) == 0 {
			if p.planned.Plan != nil {
				r.plans.keep(w.Run.UID, p.planned, r.Config.Limits.PlanMemory.Value())
			}
			if p.checked.Begun() {
				r.checked.Store(w.Run.UID, p.checked)
			}
			w.Known = decision.Known{}
			return w, p, nil
		}
		if !alone && slices.ContainsFunc(p.missing, func(q decision.Query) bool { return isLarge(q, w.Run.Status.Resolved == nil) }) {
			r.reading.Lock()
			alone = true
		}
		var err error
		if w.Known, err = read.answer(ctx, w.Known, p.missing); err != nil {
			last := p.last()
			last.answer = answerWith(retrying(err))
			return w, p, fmt.Errorf("%s: %w", last.condition, err)
		}
	}
}

// retrying is the state of a step after an error that time may mend.
func retrying(err error) decision.State {
	return decision.WaitFor(v1alpha1.ReasonRetrying, "trying again: %v", err)
}
