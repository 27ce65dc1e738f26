package accept

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/runners/runner"
)

// resolveFiles copies the files of the workload into a ConfigMap of the run that never
// changes.
func (in references) resolveFiles(r *resolution, w experiment.Work) error {
	pods, err := w.Tool.PodsOf(w.Params)
	if err != nil {
		return experiment.Refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
	}
	f := pods.Files
	if f.ConfigMap == "" {
		return nil
	}
	name := contract.InputsName(in.Run.Name)
	cm, copied := in.copied(name)
	if !copied {
		if cm, err = in.configMap("spec."+f.Field, f.ConfigMap); err != nil {
			return err
		}
	}
	if err := checkFiles(f, cm); err != nil {
		return err
	}
	if !copied {
		r.copies = append(r.copies, decision.Create{Object: resources.Pinned(in.Run, name, v1alpha1.RoleInputs, cm.Data, cm.BinaryData)})
	}
	r.resolved.Inputs = &v1alpha1.ResolvedInputs{ConfigMap: name, SHA256: resources.FilesDigest(cm)}
	return nil
}

// copied is a copy that an earlier pass made, before a manager died that had not
// written the status. It counts, whatever the user's object has become meanwhile. One
// of an earlier run of the same name is none: the Create waits until it has gone.
func (in references) copied(name string) (*corev1.ConfigMap, bool) {
	cm := in.ask.ConfigMap(name)
	return cm.Value, cm.Exists && cm.Value.DeletionTimestamp.IsZero() && metav1.IsControlledBy(cm.Value, in.Run)
}

// checkFiles makes sure that what the workload needs is there.
func checkFiles(f runner.Files, cm *corev1.ConfigMap) error {
	has := resources.Files(cm)
	if len(has) == 0 {
		return experiment.Refuse(v1alpha1.ReasonConfigMapNotFound, "spec.%s: ConfigMap %q is empty: each key becomes a file", f.Field, f.ConfigMap)
	}
	if _, is := has[f.Needed]; f.Needed != "" && !is {
		return experiment.Refuse(v1alpha1.ReasonConfigMapNotFound, "spec.%s: ConfigMap %q has no key %q; it has: %q",
			f.Field, f.ConfigMap, f.Needed, slices.Sorted(maps.Keys(has)))
	}
	return nil
}

// CheckFiles makes sure, before clients are started, that the files are those that the
// run was accepted with: Failed when the ConfigMap of that name is gone or another one.
func CheckFiles(want v1alpha1.ResolvedInputs, cm decision.Fact[*corev1.ConfigMap]) decision.State {
	if !cm.Exists {
		return decision.FailWith(v1alpha1.ReasonInputsLost, "ConfigMap %s with the files of the workload was deleted: create a new run", want.ConfigMap)
	}
	if got := resources.FilesDigest(cm.Value); got != want.SHA256 {
		return decision.FailWith(v1alpha1.ReasonInputsLost,
			"ConfigMap %s with the files of the workload is another one (SHA-256 %.12s) than when the run was accepted (%.12s): create a new run",
			want.ConfigMap, got, want.SHA256)
	}
	return decision.Done{}
}
