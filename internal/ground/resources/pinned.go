package resources

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Pinned is an immutable copy of an object that the user may change later.
func Pinned(run *v1alpha1.BenchmarkRun, name, role string, data map[string]string, binary map[string][]byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: Meta(run, name, Labels(run, role)),
		Immutable:  new(true),
		Data:       maps.Clone(data),
		BinaryData: maps.Clone(binary),
	}
}
