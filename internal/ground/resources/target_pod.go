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

// podSpec is that of the target's StatefulSet.
func (t Target) podSpec(data []corev1.Volume) corev1.PodSpec {
	shape := t.Resolved.Shape
	name := t.name()
	return corev1.PodSpec{
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext:              podSecurity(),
		NodeSelector:                 shape.NodeSelector,
		Tolerations:                  shape.Tolerations,
		RuntimeClassName:             shape.RuntimeClassName,
		Affinity:                     onNodes([]string{t.Node}),
		ImagePullSecrets:             t.Spec.MySQL.ImagePullSecrets,
		// A clean shutdown writes the dirty pages of the buffer pool.
		TerminationGracePeriodSeconds: new(int64(120)),
		InitContainers:                []corev1.Container{installAgent(t.AgentImage)},
		Containers:                    []corev1.Container{t.serverContainer()},
		Volumes: append([]corev1.Volume{
			emptyDir("agent", corev1.StorageMediumDefault),
			emptyDir("run", corev1.StorageMediumMemory),
			emptyDir("tmp", corev1.StorageMediumDefault),
			{Name: "target", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}},
			}},
			secretVolume("credentials", t.secretName(), keep(agentKeys()...)),
		}, slices.Concat(t.tlsVolumes(), data)...),
	}
}

// tlsVolumes hold the server's certificate, under the names that agents read.
func (t Target) tlsVolumes() []corev1.Volume {
	if !t.HasTLS() {
		return nil
	}
	return []corev1.Volume{secretVolume("tls", t.secretName(), []corev1.KeyToPath{
		{Key: contract.KeyCA, Path: contract.KeyCA},
		{Key: contract.KeyServerCert, Path: contract.KeyCert},
		{Key: contract.KeyServerKey, Path: contract.KeyKey},
	})}
}

func (t Target) tlsMounts() []corev1.VolumeMount {
	if !t.HasTLS() {
		return nil
	}
	return []corev1.VolumeMount{{Name: "tls", MountPath: contract.DirTLS, ReadOnly: true}}
}

func (t Target) serverContainer() corev1.Container {
	probe := func(path string, period, failures int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
				Path: path, Port: intstr.FromInt32(AgentPort),
			}},
			PeriodSeconds: period, TimeoutSeconds: 5, FailureThreshold: failures,
		}
	}
	return corev1.Container{
		Name: ServerContainer, Image: t.Resolved.Image, ImagePullPolicy: t.Spec.MySQL.ImagePullPolicy,
		Command:         []string{agentBinary, "target"},
		Resources:       resourcesOf(*t.Resolved.Shape),
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
			{Name: t.dataName(), MountPath: contract.DirData},
			{Name: "target", MountPath: contract.DirTarget, ReadOnly: true},
			{Name: "credentials", MountPath: contract.DirCredentials, ReadOnly: true},
		}, t.tlsMounts()...),
	}
}

// dataName of the volume is unique for every run: a run must never find the data of a deleted
// run of the same name, nor its own after it gave its nodes back.
func (t Target) dataName() string {
	name := "data-" + string(t.Run.UID)[:8]
	if n := t.Run.Status.Releases; n > 0 {
		name += fmt.Sprintf("-r%d", n)
	}
	return name
}

// dataVolume is either a volume of the pod (memory) or a claim template.
func (t Target) dataVolume() ([]corev1.Volume, []corev1.PersistentVolumeClaim) {
	s := t.Spec.MySQL.Storage
	if s.Medium == v1alpha1.MediumMemory {
		v := emptyDir(t.dataName(), corev1.StorageMediumMemory)
		v.EmptyDir.SizeLimit = new(s.Size)
		return []corev1.Volume{v}, nil
	}
	return nil, []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: t.dataName(), Labels: t.labels()},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: s.StorageClassName,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: s.Size}},
		},
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
