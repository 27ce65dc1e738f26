package resources

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// VolumeWriter is a run that was let write into the volume of an earlier run. It has no name where none was.
type VolumeWriter struct {
	// RunName and RunUID are those of the run.
	RunName, RunUID string
	// since is when it took the volume, by RFC 3339.
	since string
}

// WrittenBy is the value of the annotation that says that a run was let write into a volume, from this time on.
func (u VolumeUser) WrittenBy(since time.Time) string {
	return strings.Join([]string{u.RunName, u.RunUID, since.UTC().Format(time.RFC3339)}, "/")
}

// String is the writer in words; empty for none.
func (w VolumeWriter) String() string {
	if w.RunName == "" {
		return ""
	}
	return fmt.Sprintf("run %s (%s) from %s on", w.RunName, w.RunUID, w.since)
}

// longestWriter in bytes: more is not the word of a manager.
const longestWriter = 200

// WriterOf a volume is the run that was let write into it last; none where none was after the run that retained it. False where what is said
// cannot be read.
func WriterOf(claim *corev1.PersistentVolumeClaim) (VolumeWriter, bool) {
	said, is := claim.Annotations[v1alpha1.AnnotationWrittenBy]
	if !is {
		return VolumeWriter{}, true
	}
	parts := strings.Split(said, "/")
	if len(said) > longestWriter || len(parts) != 3 || slices.Contains(parts, "") || len(validation.IsDNS1123Subdomain(parts[0])) > 0 {
		return VolumeWriter{}, false
	}
	if _, err := time.Parse(time.RFC3339, parts[2]); err != nil {
		return VolumeWriter{}, false
	}
	return VolumeWriter{parts[0], parts[1], parts[2]}, true
}

// Broke says that a run of its name is the writer, and failed so that nobody knows what it left; empty for any other.
func (w VolumeWriter) Broke(run *v1alpha1.BenchmarkRun) string {
	reason := BrokeData(run)
	if reason == "" || string(run.UID) != w.RunUID {
		return ""
	}
	return fmt.Sprintf("run %s, which was let write into it, failed with %s, so that nobody knows what its server left there: load again", w.RunName, reason)
}

// brokeData are the reasons of a run whose server, storage or reset failed: what is on its volumes is not known.
var brokeData = []string{
	v1alpha1.ReasonServerCrashed, v1alpha1.ReasonServerKilled, v1alpha1.ReasonStorageFailed, v1alpha1.ReasonTargetCrashed, v1alpha1.ReasonTargetRestarted,
	v1alpha1.ReasonTargetOOMKilled, v1alpha1.ReasonTargetPodDeleted, v1alpha1.ReasonNodeLost, v1alpha1.ReasonPodEvicted, v1alpha1.ReasonDiskLimitExceeded,
	v1alpha1.ReasonDataDiffers, v1alpha1.ReasonResetFailed, v1alpha1.ReasonSnapshotMissing, v1alpha1.ReasonSnapshotFailed,
}

// BrokeData is the reason with which a run failed so that nobody knows what is on its volumes; empty for any other.
func BrokeData(run *v1alpha1.BenchmarkRun) string {
	failed := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed)
	if failed == nil || failed.Status != metav1.ConditionTrue || !slices.Contains(brokeData, failed.Reason) {
		return ""
	}
	return failed.Reason
}
