package resources

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// ExternalKeys are the keys of the Secret of an external target that client pods mount: those that it must have, and
// those that it may have. Whatever else the Secret holds stays out of the pods.
func ExternalKeys() (required, optional []string) {
	return []string{contract.KeyUsername, contract.KeyPassword}, []string{contract.KeyCA, contract.KeyCert, contract.KeyKey}
}

// credentialsVolume mounts keys of a Secret, readable by the pod's group. A pod does not start
// without the required keys.
func credentialsVolume(name, secret string, required, optional []string) corev1.Volume {
	if len(optional) == 0 {
		return secretVolume(name, secret, keep(required...))
	}
	source := func(keys []string, optional bool) corev1.VolumeProjection {
		return corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Items: keep(keys...), Optional: new(optional),
		}}
	}
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{source(required, false), source(optional, true)}, DefaultMode: new(int32(0o440)),
	}}}
}
