package resources

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// databasePod is the pod of a target's StatefulSet.
type databasePod struct{ target Target }

func (p databasePod) spec(data []corev1.Volume) corev1.PodSpec {
	shape := p.target.Resolved.Shape
	return corev1.PodSpec{
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext:              podSecurity(),
		NodeSelector:                 shape.NodeSelector,
		Tolerations:                  shape.Tolerations,
		RuntimeClassName:             shape.RuntimeClassName,
		Affinity:                     onNodes([]string{p.target.Node}),
		ImagePullSecrets:             p.target.Spec.MySQL.ImagePullSecrets,
		// A clean shutdown writes the dirty pages of the buffer pool.
		TerminationGracePeriodSeconds: new(int64(120)),
		InitContainers:                []corev1.Container{installAgent(p.target.AgentImage)},
		Containers:                    []corev1.Container{p.serverContainer()},
		Volumes: append([]corev1.Volume{
			emptyDir("agent", corev1.StorageMediumDefault),
			emptyDir("run", corev1.StorageMediumMemory),
			emptyDir("tmp", corev1.StorageMediumDefault),
			{Name: "target", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: p.target.configName()}},
			}},
			secretVolume("credentials", p.target.secretName(), keep(agentKeys()...)),
		}, slices.Concat(p.tlsVolumes(), data)...),
	}
}

// tlsVolumes hold the server's certificate, under the names that agents read.
func (p databasePod) tlsVolumes() []corev1.Volume {
	if !p.target.HasTLS() {
		return nil
	}
	return []corev1.Volume{secretVolume("tls", p.target.secretName(), []corev1.KeyToPath{
		{Key: contract.KeyCA, Path: contract.KeyCA},
		{Key: contract.KeyServerCert, Path: contract.KeyCert},
		{Key: contract.KeyServerKey, Path: contract.KeyKey},
	})}
}

func (p databasePod) tlsMounts() []corev1.VolumeMount {
	if !p.target.HasTLS() {
		return nil
	}
	return []corev1.VolumeMount{{Name: "tls", MountPath: contract.DirTLS, ReadOnly: true}}
}

func (p databasePod) serverContainer() corev1.Container {
	probe := func(path string, period, failures int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
				Path: path, Port: intstr.FromInt32(AgentPort),
			}},
			PeriodSeconds: period, TimeoutSeconds: 5, FailureThreshold: failures,
		}
	}
	return corev1.Container{
		Name: ServerContainer, Image: p.target.Resolved.Image, ImagePullPolicy: p.target.Spec.MySQL.ImagePullPolicy,
		Command:         []string{agentBinary, "target"},
		Resources:       resourcesOf(*p.target.Resolved.Shape),
		SecurityContext: containerSecurity(),
		Ports: []corev1.ContainerPort{
			{Name: "mysql", ContainerPort: DatabasePort}, {Name: "agent", ContainerPort: AgentPort},
		},
		// Checks are frequent during start-up and rare afterwards, because each one is a login on the measured server.
		// No liveness probe: a slow server under load is a result, not a reason to restart it.
		StartupProbe:             probe("/readyz", 1, 24*60*60),
		ReadinessProbe:           probe("/readyz", 10, 3),
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		VolumeMounts: append([]corev1.VolumeMount{
			{Name: "agent", MountPath: contract.DirAgent, ReadOnly: true},
			{Name: "run", MountPath: contract.DirRun},
			{Name: "tmp", MountPath: contract.DirTmp},
			{Name: p.dataName(), MountPath: contract.DirData},
			{Name: "target", MountPath: contract.DirTarget, ReadOnly: true},
			{Name: "credentials", MountPath: contract.DirCredentials, ReadOnly: true},
		}, p.tlsMounts()...),
	}
}

// dataName of the volume is unique for every run: a run must never find the data of a deleted
// run of the same name, nor its own after it gave its nodes back.
func (p databasePod) dataName() string {
	name := "data-" + string(p.target.Run.UID)[:8]
	if n := p.target.Run.Status.Releases; n > 0 {
		name += fmt.Sprintf("-r%d", n)
	}
	return name
}

// dataVolume is either a volume of the pod (memory, or one that outlives the StatefulSet) or a claim template.
func (p databasePod) dataVolume() ([]corev1.Volume, []corev1.PersistentVolumeClaim) {
	s := p.target.Spec.MySQL.Storage
	switch {
	case s.Medium == v1alpha1.MediumMemory:
		v := emptyDir(p.dataName(), corev1.StorageMediumMemory)
		v.EmptyDir.SizeLimit = new(s.Size)
		return []corev1.Volume{v}, nil
	case Volume{p.target}.Outlives():
		return []corev1.Volume{{Name: p.dataName(), VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: Volume{p.target}.ClaimName()},
		}}}, nil
	}
	return nil, []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: p.dataName(), Labels: p.target.labels()}, Spec: claimSpec(s),
	}}
}

// installAgent copies the agent into the volume agent.
func installAgent(image string) corev1.Container {
	return corev1.Container{
		Name: "agent", Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{imageAgent, "install", contract.DirAgent},
		Resources:       resourcesOf(installShape),
		SecurityContext: containerSecurity(),
		VolumeMounts:    []corev1.VolumeMount{{Name: "agent", MountPath: contract.DirAgent}},
	}
}

// installShape has the resources of the init container that copies the agent.
var installShape = v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("100m"), Memory: resource.MustParse("64Mi")}
