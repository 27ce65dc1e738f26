package decision

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Begun says whether a client has touched its result, so that the execution has begun.
func Begun(result *corev1.ConfigMap) bool { return Claimed(result) || len(result.BinaryData) > 0 }

// Claimed is as much of Begun as the metadata of a result says. A client of an earlier
// release marks its result only when it is ready.
func Claimed(result metav1.Object) bool {
	a := result.GetAnnotations()
	return a[v1alpha1.AnnotationClaimedBy] != "" || a[v1alpha1.AnnotationReady] != ""
}
