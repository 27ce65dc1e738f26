package resources

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// KeepsVolume says whether the volume outlives the StatefulSet: one that the run retains, or that of an earlier run.
func (t Target) KeepsVolume() bool {
	s := t.Spec.MySQL.Storage
	return s.Retain || s.FromRun != nil
}

// ClaimName of a volume that outlives the StatefulSet. That of an earlier run is in the resolved inputs.
func (t Target) ClaimName() string {
	if from := t.Resolved.Retained; from != nil {
		return from.ClaimName
	}
	return databasePod{t}.dataName() + "-" + t.name()
}

// Claim is the PersistentVolumeClaim of a volume that the run retains. It belongs to the run, and the server of the target is its first
// user.
func (t Target) Claim() *corev1.PersistentVolumeClaim {
	meta := Meta(t.Run, t.ClaimName(), t.labels())
	meta.Annotations = map[string]string{v1alpha1.AnnotationUsedBy: t.User().String()}
	return &corev1.PersistentVolumeClaim{ObjectMeta: meta, Spec: claimSpec(t.Spec.MySQL.Storage)}
}

// retained is what the agent is told of the data of an earlier run; nil for a volume of its own.
func (t Target) retained() *contract.Retained {
	from := t.Resolved.Retained
	if from == nil {
		return nil
	}
	return &contract.Retained{RunUID: string(t.Run.UID), ServerVersion: from.ServerVersion}
}

func claimSpec(s v1alpha1.Storage) corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		StorageClassName: s.StorageClassName,
		Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: s.Size}},
	}
}

// VolumeUser is a server that uses a volume.
type VolumeUser struct {
	// RunName and RunUID are those of its run.
	RunName, RunUID string
	// StatefulSet is its name.
	StatefulSet string
}

// User is the server as the user of its volume.
func (t Target) User() VolumeUser {
	return VolumeUser{RunName: t.Run.Name, RunUID: string(t.Run.UID), StatefulSet: t.name()}
}

// String is the value of the annotation that says who uses a volume.
func (u VolumeUser) String() string {
	return strings.Join([]string{u.RunName, u.RunUID, u.StatefulSet}, "/")
}

// Pod is the name of its only pod.
func (u VolumeUser) Pod() string { return u.StatefulSet + "-0" }

// UserOf a volume, or the one that used it last; false where nothing says so.
func UserOf(claim *corev1.PersistentVolumeClaim) (VolumeUser, bool) {
	parts := strings.Split(claim.Annotations[v1alpha1.AnnotationUsedBy], "/")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return VolumeUser{}, false
	}
	return VolumeUser{RunName: parts[0], RunUID: parts[1], StatefulSet: parts[2]}, true
}
