package resources

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Credentials are the part of a target's Secret that client pods mount. Whatever else the Secret holds stays out of the pods.
type Credentials struct {
	// Target is the name of the target, and Secret that of its Secret.
	Target, Secret string
	// keys that the Secret must have: a pod does not start without. Those of optional are mounted as far as the Secret has them.
	keys, optional []string
}

// CredentialsOf a target of a run.
func CredentialsOf(run *v1alpha1.BenchmarkRun, t v1alpha1.Target) Credentials {
	if t.External != nil {
		return Credentials{
			Target: t.Name, Secret: t.External.Credentials.Name,
			keys: []string{contract.KeyUsername, contract.KeyPassword}, optional: []string{contract.KeyCA, contract.KeyCert, contract.KeyKey},
		}
	}
	return Credentials{Target: t.Name, Secret: contract.TargetName(run.Name, t.Name), keys: Primary(run, t).ClientKeys()}
}

// volume of the keys, readable by the pod's group.
func (c Credentials) volume(name string) corev1.Volume {
	if len(c.optional) == 0 {
		return secretVolume(name, c.Secret, keep(c.keys...))
	}
	source := func(keys []string, optional bool) corev1.VolumeProjection {
		return corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: c.Secret}, Items: keep(keys...), Optional: new(optional),
		}}
	}
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{source(c.keys, false), source(c.optional, true)}, DefaultMode: new(int32(0o440)),
	}}}
}
