package benchmarkrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/contract"
)

// inputs are the files that a workload names.
type inputs struct {
	// field of the spec that names the ConfigMap.
	field, configMap string
	// file that has to be among them; empty for any.
	file string
}

// inputsOf a workload; ok is false without any.
func inputsOf(w v1alpha1.Workload) (in inputs, ok bool) {
	switch {
	case w.Sysbench != nil && w.Sysbench.Script != nil:
		return inputs{"spec.workload.sysbench.script.configMap", w.Sysbench.Script.ConfigMap.Name, w.Sysbench.Script.File}, true
	case w.Custom != nil && w.Custom.Files != nil:
		return inputs{field: "spec.workload.custom.files", configMap: w.Custom.Files.Name}, true
	}
	return inputs{}, false
}

// resolveInputs copies the files of the workload into a ConfigMap of the run that
// never changes. The copy counts: a manager that died before it wrote the status finds
// it again, whatever the user's ConfigMap has become meanwhile.
func (r *Reconciler) resolveInputs(ctx context.Context, s *scope) (*v1alpha1.ResolvedInputs, error) {
	in, ok := inputsOf(s.run.Spec.Workload)
	if !ok {
		return nil, nil
	}
	cm, err := r.configMap(ctx, s, in.field, in.configMap)
	if err != nil {
		return nil, err
	}
	if err := in.check(cm); err != nil {
		return nil, err
	}
	name := contract.InputsName(s.run.Name)
	cm, err = r.pin(ctx, s, resources.Pinned(s.run, name, v1alpha1.RoleInputs, cm.Data, cm.BinaryData))
	if err != nil {
		return nil, err
	}
	return &v1alpha1.ResolvedInputs{ConfigMap: name, SHA256: digest(filesOf(cm))}, in.check(cm)
}

// check that what the workload needs is there.
func (in inputs) check(cm *corev1.ConfigMap) error {
	files := filesOf(cm)
	if len(files) == 0 {
		return refuse(v1alpha1.ReasonConfigNotFound, "%s: ConfigMap %q is empty: each key becomes a file", in.field, in.configMap)
	}
	if _, has := files[in.file]; in.file != "" && !has {
		return refuse(v1alpha1.ReasonConfigNotFound, "%s: ConfigMap %q has no key %q; it has: %q",
			in.field, in.configMap, in.file, slices.Sorted(maps.Keys(files)))
	}
	return nil
}

// pin creates an object, or reads the one that an earlier pass created.
func (r *Reconciler) pin(ctx context.Context, s *scope, cm *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	key := client.ObjectKeyFromObject(cm)
	created, err := r.ensure(ctx, s, cm)
	if err != nil || created {
		return cm, err
	}
	found := &corev1.ConfigMap{}
	if err := r.Live.Get(ctx, key, found); err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", key.Name, err)
	}
	return found, nil
}

// filesOf a ConfigMap, by their names.
func filesOf(cm *corev1.ConfigMap) map[string][]byte {
	files := maps.Clone(cm.BinaryData)
	if files == nil {
		files = map[string][]byte{}
	}
	for name, text := range cm.Data {
		files[name] = []byte(text)
	}
	return files
}

// digest of files: the SHA-256 of what sha256sum prints of them in the order of their
// names, so that anybody can compute it.
func digest(files map[string][]byte) string {
	var lines []byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines = fmt.Appendf(lines, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	sum := sha256.Sum256(lines)
	return hex.EncodeToString(sum[:])
}
