package resources

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Journal is one ConfigMap of a run's journal. ConfigMaps with records grow; the others never change.
func Journal(run *v1alpha1.BenchmarkRun, name, key string, data []byte) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		ObjectMeta: Meta(run, name, Labels(run, v1alpha1.RoleJournal)),
		BinaryData: map[string][]byte{key: data},
	}
	if h := run.Status.SpecHash; h != "" {
		cm.Labels[v1alpha1.LabelSpecHash] = SpecHashLabel(h)
	}
	if key != contract.KeyRecords {
		cm.Immutable = new(true)
	}
	return cm
}

// SpecHashLabel is the part of a hash that fits into a label.
func SpecHashLabel(hash string) string { return hash[:min(len(hash), 32)] }
