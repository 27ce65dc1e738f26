package benchmarkrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// resolveInputs copies the files of the workload into a ConfigMap of the run that
// never changes. The copy counts: a manager that died before it wrote the status finds
// it again, whatever the user's ConfigMap has become meanwhile.
func (r *Reconciler) resolveInputs(ctx context.Context, s *scope) (*v1alpha1.ResolvedInputs, error) {
	pods, err := s.runner.PodsOf(s.workload)
	if err != nil {
		return nil, refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
	}
	in := pods.Files
	if in.ConfigMap == "" {
		return nil, nil
	}
	cm, err := r.configMap(ctx, s, "spec."+in.Field, in.ConfigMap)
	if err != nil {
		return nil, err
	}
	if err := checkFiles(in, cm); err != nil {
		return nil, err
	}
	name := contract.InputsName(s.run.Name)
	cm, err = r.pin(ctx, s, resources.Pinned(s.run, name, v1alpha1.RoleInputs, cm.Data, cm.BinaryData))
	if err != nil {
		return nil, err
	}
	return &v1alpha1.ResolvedInputs{ConfigMap: name, SHA256: digest(filesOf(cm))}, checkFiles(in, cm)
}

// checkFiles makes sure that what the workload needs is there.
func checkFiles(in runner.Files, cm *corev1.ConfigMap) error {
	files := filesOf(cm)
	if len(files) == 0 {
		return refuse(v1alpha1.ReasonConfigMapNotFound, "spec.%s: ConfigMap %q is empty: each key becomes a file", in.Field, in.ConfigMap)
	}
	if _, has := files[in.Needed]; in.Needed != "" && !has {
		return refuse(v1alpha1.ReasonConfigMapNotFound, "spec.%s: ConfigMap %q has no key %q; it has: %q",
			in.Field, in.ConfigMap, in.Needed, slices.Sorted(maps.Keys(files)))
	}
	return nil
}

// checkInputs makes sure, before clients are started, that the files are those that
// the run was accepted with.
func (r *Reconciler) checkInputs(ctx context.Context, s *scope) error {
	in := s.run.Status.Resolved.Inputs
	if in == nil {
		return nil
	}
	cm := &corev1.ConfigMap{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: in.ConfigMap}, cm)
	switch {
	case apierrors.IsNotFound(err):
		return refuse(v1alpha1.ReasonInputsLost, "ConfigMap %s with the files of the workload was deleted: create a new run", in.ConfigMap)
	case err != nil:
		return fmt.Errorf("reading ConfigMap %s: %w", in.ConfigMap, err)
	}
	if got := digest(filesOf(cm)); got != in.SHA256 {
		return refuse(v1alpha1.ReasonInputsLost, "ConfigMap %s with the files of the workload is another one (SHA-256 %.12s) than when the run was accepted (%.12s): create a new run",
			in.ConfigMap, got, in.SHA256)
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
