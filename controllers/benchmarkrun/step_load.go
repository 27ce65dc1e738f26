package benchmarkrun

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
)

// load fills every target with the workload's data, one after the other, once.
func (r *Reconciler) load(ctx context.Context, s *scope) (outcome, error) {
	target := s.unloaded()
	if target == "" {
		return doneWith("every target holds the workload's data"), nil
	}
	e := execution{
		name: contract.LoadName(s.run.Name, target),
		ref:  contract.TrialRef{RunUID: string(s.run.UID), Phase: string(contract.PhasePrepare), Target: target},
		busy: r.Config.Limits.Load.Duration, workload: s.workload, clients: 1,
	}
	if s.runner.SharesLoad {
		e.clients = int(max(s.run.Spec.Clients.Count, 1))
	}
	if s.resets() && s.target(target).MySQL != nil {
		e.snapshot = true
		e.busy += r.Config.Limits.Reset.Duration
	}
	end, wait, err := r.advance(ctx, s, e)
	if err != nil || end == nil {
		return wait, err
	}
	if end.reason != "" {
		if err := r.keepLogs(ctx, s, e, end); err != nil {
			return outcome{}, err
		}
		return failWith(end.reason, "loading target %s: %s", target, end.message), nil
	}
	st := s.targetStatus(target)
	st.LoadResult = contract.ResultName(e.name, 0)
	st.RestartCount = s.restarts(target)
	s.describeServer(st, end.result())
	if st.Load, err = s.loadFigures(e, end.results); err != nil {
		return outcome{}, err
	}
	s.checkLoaded(target, end.result())
	if err := r.compareTargets(ctx, s, target, end.result()); err != nil {
		return outcome{}, err
	}
	s.compareDurability()
	// The outcome has to stand in the status before the Job may be deleted.
	return waitFor(v1alpha1.ReasonProgressing, "target %s is loaded", target), nil
}

// resets says whether data is put back during the run.
func (s *scope) resets() bool {
	d := s.run.Spec.Design.DataReset
	return d == v1alpha1.ResetPerBlock || d == v1alpha1.ResetPerTrial
}

// loadedTables are what the tables of a target held after loading.
func (r *Reconciler) loadedTables(ctx context.Context, s *scope, target string) ([]contract.Table, error) {
	res, err := r.loadResult(ctx, s, target)
	if err != nil {
		return nil, err
	}
	return res.Data.Tables, nil
}

// loadResult is the result of loading a target, which says what the tables held.
func (r *Reconciler) loadResult(ctx context.Context, s *scope, target string) (*contract.Result, error) {
	cm := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: s.run.Namespace, Name: s.targetStatus(target).LoadResult}
	if err := r.Live.Get(ctx, key, cm); apierrors.IsNotFound(err) {
		return nil, refuse(v1alpha1.ReasonJournalLost,
			"ConfigMap %s was deleted: it said what data target %s held after loading, and without it no trial can be shown to start from the same data", key.Name, target)
	} else if err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", key.Name, err)
	}
	res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
	if err == nil && res.Data == nil {
		err = errors.New("it does not say what the tables held")
	}
	if err != nil {
		return nil, refuse(v1alpha1.ReasonJournalLost, "ConfigMap %s cannot be used: %v", key.Name, err)
	}
	return &res, nil
}
