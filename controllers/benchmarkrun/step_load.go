package benchmarkrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// load fills every target with the workload's data, one after the other, once.
func (r *Reconciler) load(ctx context.Context, s *scope) (outcome, error) {
	target := s.unloaded()
	if target == "" {
		return doneWith("every target holds the workload's data"), nil
	}
	e := execution{
		name: v1alpha1.LoadName(s.run.Name, target),
		ref:  result.TrialRef{RunUID: string(s.run.UID), Phase: string(runner.Prepare), Target: target},
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
	st.LoadResult = v1alpha1.ResultName(e.name, 0)
	st.Restarts = s.restarts(target)
	s.describeServer(st, end.result())
	// The outcome has to stand in the status before the Job may be deleted.
	return waitFor(v1alpha1.ReasonProgressing, "target %s is loaded", target), nil
}

// resets says whether data is put back during the run.
func (s *scope) resets() bool {
	d := s.run.Spec.Design.DataReset
	return d == v1alpha1.ResetPerBlock || d == v1alpha1.ResetPerTrial
}

// maxListed bounds the lists of settings in the status.
const maxListed = 40

// describeServer puts into the status what the server said of itself, and where it
// differs from what was asked for.
func (s *scope) describeServer(st *v1alpha1.TargetStatus, res *result.Result) {
	if res == nil || res.Server == nil {
		return
	}
	st.ServerVersion = res.Server.Version
	if res.Target != nil && st.Node != nil {
		st.Node.CPUModel = res.Target.Machine.CPUModel
	}
	st.NonDefault = nil
	for _, name := range slices.Sorted(maps.Keys(res.Server.NonDefault)) {
		if len(st.NonDefault) < maxListed {
			st.NonDefault = append(st.NonDefault, v1alpha1.ServerSetting{Name: name, Value: shorten(res.Server.NonDefault[name])})
		}
	}
	var asked []engine.Setting
	for _, set := range s.resolved(st.Name).Settings {
		asked = append(asked, engine.Setting{Name: set.Name, Value: set.Value})
	}
	st.Differences = nil
	if t := s.target(st.Name).MySQL; t != nil {
		asked = engine.Requested(asked, t.StorageEngine)
	}
	for _, d := range engine.Differences(asked, res.Server.Variables) {
		if len(st.Differences) < maxListed {
			st.Differences = append(st.Differences, v1alpha1.SettingDifference{Name: d.Name, Requested: d.Requested, Effective: d.Effective})
		}
		effective := "it has no such variable"
		if d.Effective != nil {
			effective = "it uses " + *d.Effective
		}
		s.find(v1alpha1.Finding{
			Target: st.Name, Check: "effective-settings", Severity: "Warning",
			Message: fmt.Sprintf("the server was asked for %s = %s, but %s", d.Name, d.Requested, effective),
		})
	}
}

// shorten cuts values such as optimizer_switch, which are whole in the result.
func shorten(value string) string {
	const most = 120
	if len(value) <= most {
		return value
	}
	return value[:most] + "..."
}

// loadedTables are what the tables of a target held after loading.
func (r *Reconciler) loadedTables(ctx context.Context, s *scope, target string) ([]result.Table, error) {
	cm := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: s.run.Namespace, Name: s.targetStatus(target).LoadResult}
	if err := r.Live.Get(ctx, key, cm); apierrors.IsNotFound(err) {
		return nil, refuse(v1alpha1.ReasonJournalLost,
			"ConfigMap %s was deleted: it said what data target %s held after loading, and without it no trial can be shown to start from the same data", key.Name, target)
	} else if err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", key.Name, err)
	}
	res, err := result.Decode(cm.BinaryData[result.KeyResult])
	if err == nil && res.Data == nil {
		err = errors.New("it does not say what the tables held")
	}
	if err != nil {
		return nil, refuse(v1alpha1.ReasonJournalLost, "ConfigMap %s cannot be used: %v", key.Name, err)
	}
	return res.Data.Tables, nil
}
