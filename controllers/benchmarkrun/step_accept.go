package benchmarkrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
)

// accept makes the plan and, once, resolves every reference of the spec and pins
// what it meant. It refuses what cannot work and names the field.
func (r *Reconciler) accept(ctx context.Context, s *scope) (outcome, error) {
	run := s.run
	name, params := workloadOf(run.Spec.Workload)
	var ok bool
	if s.runner, ok = r.Runner(name); !ok {
		return failWith(v1alpha1.ReasonInvalidSpec, "spec.workload: this operator has no runner %q", name), nil
	}
	var err error
	if s.workload, err = json.Marshal(params); err != nil {
		return outcome{}, fmt.Errorf("marshalling spec.workload.%s: %w", name, err)
	}
	if err := r.readPlan(ctx, s); err != nil {
		return outcome{}, err
	}
	run.Status.Progress.Planned = int32(len(s.plan.Trials))
	if run.Status.Resolved == nil {
		resolved, err := r.resolve(ctx, run, name)
		if err != nil {
			return outcome{}, err
		}
		run.Status.Resolved = resolved
		run.Status.AcceptedTime = &metav1.Time{Time: s.now}
		run.Status.SpecHash = specHash(run.Spec, *resolved)
	}
	if err := r.markRun(ctx, s); err != nil {
		return outcome{}, err
	}
	if run.Spec.Suspend && len(s.statefulSets) == 0 && len(s.jobs) == 0 {
		r.Queue.Forget(run.UID)
		return waitFor(v1alpha1.ReasonSuspended, "spec.suspend holds the run back; nothing was started"), nil
	}
	if run.Status.Plan == nil {
		if err := r.writePlan(ctx, s); err != nil {
			return outcome{}, err
		}
	}
	if err := r.readJournal(ctx, s); err != nil {
		return outcome{}, err
	}
	return doneWith("%d trials planned: %d cells x %d targets x %d blocks",
		len(s.plan.Trials), len(s.plan.Cells), len(s.plan.Targets), run.Spec.Design.Blocks), nil
}

// workloadOf names the tool of a workload and its part of the spec.
func workloadOf(w v1alpha1.Workload) (string, any) {
	switch {
	case w.YCSB != nil:
		return "ycsb", w.YCSB
	case w.Custom != nil:
		return "custom", w.Custom
	}
	return "sysbench", w.Sysbench
}

// newWorkload is an empty part of the spec of the same tool.
func newWorkload(w v1alpha1.Workload) any {
	switch {
	case w.YCSB != nil:
		return new(v1alpha1.YCSBWorkload)
	case w.Custom != nil:
		return new(v1alpha1.CustomWorkload)
	}
	return new(v1alpha1.SysbenchWorkload)
}

// resolve looks up every reference of the spec.
func (r *Reconciler) resolve(ctx context.Context, run *v1alpha1.BenchmarkRun, runnerName string) (*v1alpha1.Resolved, error) {
	image, ok := r.Config.Runners[runnerName]
	if !ok {
		return nil, refuse(v1alpha1.ReasonInvalidSpec,
			"spec.workload.%s: the operator's configuration has no image for this runner (chart value runners.%s.image)", runnerName, runnerName)
	}
	shape, err := r.resolveShape(ctx, "spec.clients.shape", run.Spec.Clients.Shape)
	if err != nil {
		return nil, err
	}
	out := &v1alpha1.Resolved{ClientShape: *shape, AgentImage: r.Config.Agent.Image, RunnerImage: image.Image}
	for i, t := range run.Spec.Targets {
		field := fmt.Sprintf("spec.targets[%d]", i)
		rt := v1alpha1.ResolvedTarget{Name: t.Name}
		if t.External != nil {
			if err := r.checkCredentials(ctx, run.Namespace, field+".external", t.External); err != nil {
				return nil, err
			}
		} else if rt, err = r.resolveServer(ctx, run.Namespace, field, t); err != nil {
			return nil, err
		}
		out.Targets = append(out.Targets, rt)
	}
	return out, nil
}

func (r *Reconciler) resolveShape(ctx context.Context, field string, ref v1alpha1.ShapeRef) (*v1alpha1.InstanceShapeSpec, error) {
	if ref.Inline != nil {
		return ref.Inline.DeepCopy(), nil
	}
	shape := &v1alpha1.InstanceShape{}
	err := r.Live.Get(ctx, types.NamespacedName{Name: ref.Name}, shape)
	if apierrors.IsNotFound(err) {
		return nil, refuse(v1alpha1.ReasonShapeNotFound,
			"%s.name: there is no InstanceShape %q: create it (kubectl get instanceshapes lists those that exist), or give the shape inline", field, ref.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading InstanceShape %s: %w", ref.Name, err)
	}
	return &shape.Spec, nil
}

func (r *Reconciler) resolveServer(ctx context.Context, namespace, field string, t v1alpha1.Target) (v1alpha1.ResolvedTarget, error) {
	out := v1alpha1.ResolvedTarget{Name: t.Name, Image: t.MySQL.Image}
	e, ok := r.Engine(t.MySQL.Flavor)
	if !ok {
		return out, refuse(v1alpha1.ReasonInvalidSpec, "%s.mysql.flavor: this operator has no engine %q", field, t.MySQL.Flavor)
	}
	if out.Image == "" {
		entry, ok := r.Config.Engines[t.MySQL.Flavor][t.MySQL.Version]
		if !ok {
			return out, refuse(v1alpha1.ReasonVersionNotInCatalogue,
				"%s.mysql.version: the engine catalogue has no %s %q; it has: %s. Add it to the chart value engines.%s, or set image",
				field, t.MySQL.Flavor, t.MySQL.Version, r.Config.Versions(t.MySQL.Flavor), t.MySQL.Flavor)
		}
		out.Image = entry.Image
	}
	var err error
	if out.Shape, err = r.resolveShape(ctx, field+".shape", *t.Shape); err != nil {
		return out, err
	}
	settings, err := r.resolveSettings(ctx, namespace, field+".mysql", t.MySQL)
	if err != nil {
		return out, err
	}
	if refusals := engine.Validate(e, field+".mysql.config", settings); len(refusals) > 0 {
		return out, refuse(v1alpha1.ReasonConfigRejected, "%v", errors.Join(refusals...))
	}
	for _, st := range settings {
		out.Settings = append(out.Settings, v1alpha1.ServerSetting{Name: st.Name, Value: st.Value})
	}
	return out, nil
}

// resolveSettings merges the settings of configFrom and config.
func (r *Reconciler) resolveSettings(ctx context.Context, namespace, field string, m *v1alpha1.MySQLTarget) ([]engine.Setting, error) {
	var lists [][]engine.Setting
	for i, ref := range m.ConfigFrom {
		cm := &corev1.ConfigMap{}
		err := r.Live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: ref.Name}, cm)
		if apierrors.IsNotFound(err) {
			return nil, refuse(v1alpha1.ReasonConfigNotFound, "%s.configFrom[%d]: there is no ConfigMap %q in namespace %s", field, i, ref.Name, namespace)
		}
		if err != nil {
			return nil, fmt.Errorf("reading ConfigMap %s: %w", ref.Name, err)
		}
		list, err := engine.ParseSettings(cm.Data)
		if err != nil {
			return nil, refuse(v1alpha1.ReasonConfigRejected, "%s.configFrom[%d] (ConfigMap %s): %v", field, i, ref.Name, err)
		}
		lists = append(lists, list)
	}
	list, err := engine.ParseSettings(m.Config)
	if err != nil {
		return nil, refuse(v1alpha1.ReasonConfigRejected, "%s.config: %v", field, err)
	}
	return engine.Merge(append(lists, list)...), nil
}

// checkCredentials makes sure that the Secret of an external target is complete.
func (r *Reconciler) checkCredentials(ctx context.Context, namespace, field string, e *v1alpha1.ExternalTarget) error {
	secret := &corev1.Secret{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: e.Credentials.Name}, secret)
	if apierrors.IsNotFound(err) {
		return refuse(v1alpha1.ReasonSecretNotFound, "%s.credentials: there is no Secret %q in namespace %s: create it with the keys username and password",
			field, e.Credentials.Name, namespace)
	}
	if err != nil {
		return fmt.Errorf("reading Secret %s: %w", e.Credentials.Name, err)
	}
	keys := []string{v1alpha1.KeyUsername, v1alpha1.KeyPassword}
	if e.TLS == "Required" {
		keys = append(keys, v1alpha1.KeyCA, v1alpha1.KeyCert, v1alpha1.KeyKey)
	}
	for _, k := range keys {
		if len(secret.Data[k]) == 0 {
			return refuse(v1alpha1.ReasonSecretIncomplete, "%s.credentials: Secret %q lacks the key %q (needed: %v)", field, e.Credentials.Name, k, keys)
		}
	}
	return nil
}
