package resources

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Volume of the data of a server.
type Volume struct{ Of Target }

// Outlives says whether it is no volume of its StatefulSet: a claim of the run, or that of an earlier run.
func (v Volume) Outlives() bool { return v.Of.Spec.OwnsClaim() || v.Of.Spec.FromRun() != nil }

// ClaimName of a volume that is none of its StatefulSet. That of an earlier run is in the resolved inputs.
func (v Volume) ClaimName() string {
	if from := v.Of.Resolved.Retained; from != nil {
		return from.ClaimName
	}
	return databasePod{v.Of}.dataName() + "-" + v.Of.name()
}

// Claim is the PersistentVolumeClaim of a volume that the run retains, makes a VolumeSnapshot of, or has made of one. It belongs to the
// run, and the server of the target is its first user.
func (v Volume) Claim() *corev1.PersistentVolumeClaim {
	meta := Meta(v.Of.Run, v.ClaimName(), v.Of.labels())
	meta.Annotations = map[string]string{v1alpha1.AnnotationUsedBy: v.User().String()}
	return &corev1.PersistentVolumeClaim{ObjectMeta: meta, Spec: claimSpec(v.Of.Spec.MySQL.Storage)}
}

// retainedData is what the agent is told of the data of an earlier run; nil for a volume that is empty at first.
func retainedData(t Target) *contract.Retained {
	out := &contract.Retained{RunUID: string(t.Run.UID)}
	switch from, copied := t.Resolved.Retained, t.Resolved.Snapshot; {
	case from != nil:
		out.ServerVersion = from.ServerVersion
	case copied != nil:
		out.ServerVersion, out.Snapshot = copied.ServerVersion, copied.Name
	default:
		return nil
	}
	return out
}

func claimSpec(s v1alpha1.Storage) corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		StorageClassName: s.StorageClassName,
		DataSource:       madeOf(s),
		Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: s.Size}},
	}
}

// VolumeUser is a server that uses a volume.
type VolumeUser struct {
	// RunName and RunUID are those of its run.
	RunName, RunUID string
	// StatefulSet is its name.
	StatefulSet string
	// GivenUp says that it does not use the volume any more, though its run goes on.
	GivenUp bool
}

// givenUp ends the annotation of a volume that was given up.
const givenUp = "given-up"

// User is the server.
func (v Volume) User() VolumeUser {
	return VolumeUser{RunName: v.Of.Run.Name, RunUID: string(v.Of.Run.UID), StatefulSet: v.Of.name()}
}

// String is the value of the annotation that says who uses a volume.
func (u VolumeUser) String() string {
	parts := []string{u.RunName, u.RunUID, u.StatefulSet}
	if u.GivenUp {
		parts = append(parts, givenUp)
	}
	return strings.Join(parts, "/")
}

// Pod is the name of its only pod.
func (u VolumeUser) Pod() string { return u.StatefulSet + "-0" }

// UserOf a volume, or the one that used it last; false where nothing says so.
func UserOf(claim *corev1.PersistentVolumeClaim) (VolumeUser, bool) {
	parts := strings.Split(claim.Annotations[v1alpha1.AnnotationUsedBy], "/")
	if len(parts) < 3 || len(parts) > 4 || slices.Contains(parts, "") || len(parts) == 4 && parts[3] != givenUp {
		return VolumeUser{}, false
	}
	return VolumeUser{RunName: parts[0], RunUID: parts[1], StatefulSet: parts[2], GivenUp: len(parts) == 4}, true
}
