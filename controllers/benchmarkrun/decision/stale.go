package decision

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Stale is the deletion of a part of the journal that was written by a pass which did not end,
// and which differs from the part that is to be written; nil when there is none, or it is the
// same. It means nothing while ask is not complete.
func Stale(ask *Asking, part *corev1.ConfigMap, key string) Action {
	stored := ask.Stored(part.Name).Value
	if !stored.Exists || stored.Digests[key] == contract.Digest(part.BinaryData[key]) {
		return nil
	}
	return Delete{Object: &corev1.ConfigMap{ObjectMeta: stored.Meta}}
}
