package accept

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/resources"
)

// files are what a workload names as its inputs.
type files struct {
	// field of the spec that names the ConfigMap.
	field, configMap string
	// file that has to be among them; empty for any.
	file string
}

// filesWanted by a workload; ok is false without any.
func filesWanted(w v1alpha1.Workload) (f files, ok bool) {
	switch {
	case w.Sysbench != nil && w.Sysbench.Script != nil:
		return files{"spec.workload.sysbench.script.configMap", w.Sysbench.Script.ConfigMap.Name, w.Sysbench.Script.File}, true
	case w.Custom != nil && w.Custom.Files != nil:
		return files{field: "spec.workload.custom.files", configMap: w.Custom.Files.Name}, true
	}
	return files{}, false
}

// resolveFiles copies the files of the workload into a ConfigMap of the run that never
// changes.
func (in references) resolveFiles(r *resolution) error {
	f, ok := filesWanted(in.Run.Spec.Workload)
	if !ok {
		return nil
	}
	name := contract.InputsName(in.Run.Name)
	cm, copied := in.copied(name)
	if !copied {
		var err error
		if cm, err = in.configMap(f.field, f.configMap); err != nil {
			return err
		}
	}
	if err := f.check(cm); err != nil {
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

// check that what the workload needs is there.
func (f files) check(cm *corev1.ConfigMap) error {
	has := resources.Files(cm)
	if len(has) == 0 {
		return refuse(v1alpha1.ReasonConfigMapNotFound, "%s: ConfigMap %q is empty: each key becomes a file", f.field, f.configMap)
	}
	if _, is := has[f.file]; f.file != "" && !is {
		return refuse(v1alpha1.ReasonConfigMapNotFound, "%s: ConfigMap %q has no key %q; it has: %q",
			f.field, f.configMap, f.file, slices.Sorted(maps.Keys(has)))
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
