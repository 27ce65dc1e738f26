// Package resources builds the objects that belong to a run. In: the run, its resolved inputs and its nodes. Out: the
// objects to create. The builders are pure: the same inputs give the same object, and nothing is read or written.
//
// Every object lives in the run's namespace, carries the run's labels and has the
// run as its controller, so that deleting the run deletes all of them.
package resources

import (
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// UID of the containers' processes. The images need no such user.
const UID int64 = 10001

// Labels of an object of a run.
func Labels(run *v1alpha1.BenchmarkRun, role string, more ...map[string]string) map[string]string {
	l := map[string]string{
		v1alpha1.LabelManagedBy: v1alpha1.ManagedBy,
		v1alpha1.LabelRun:       run.Name,
		v1alpha1.LabelRunUID:    string(run.UID),
		v1alpha1.LabelRole:      role,
	}
	for _, m := range more {
		maps.Copy(l, m)
	}
	return l
}

// Meta of an object of a run.
func Meta(run *v1alpha1.BenchmarkRun, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:      name,
		Namespace: run.Namespace,
		Labels:    labels,
		OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun")),
		},
	}
}

// podSecurity meets the restricted Pod Security Standard.
func podSecurity() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsNonRoot:        new(true),
		RunAsUser:           new(UID),
		RunAsGroup:          new(UID),
		FSGroup:             new(UID),
		FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

func containerSecurity() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// resourcesOf a shape: requests equal limits, so that the pod is Guaranteed.
func resourcesOf(s v1alpha1.InstanceShapeSpec) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: s.Resources(), Limits: s.Resources()}
}

// podAnnotations are the annotations of the shape, and those that prevent autoscalers from
// moving a pod during a measurement.
func podAnnotations(s v1alpha1.InstanceShapeSpec) map[string]string {
	a := maps.Clone(s.Annotations)
	if a == nil {
		a = map[string]string{}
	}
	a["cluster-autoscaler.kubernetes.io/safe-to-evict"] = "false"
	a["karpenter.sh/do-not-disrupt"] = "true"
	return a
}

// onNodes restricts a pod to the nodes that its run holds.
func onNodes(names []string) *corev1.Affinity {
	if len(names) == 0 {
		return nil
	}
	terms := make([]corev1.NodeSelectorTerm, 0, len(names))
	// One term per node: a field can be compared with one value only.
	for _, name := range names {
		terms = append(terms, corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{name},
		}}})
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
	}}
}

func emptyDir(name string, medium corev1.StorageMedium) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{Medium: medium},
	}}
}

// secretVolume mounts keys of a Secret, readable by the pod's group.
func secretVolume(name, secret string, items []corev1.KeyToPath) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secret, Items: items, DefaultMode: new(int32(0o440))},
	}}
}

// keep are items of a volume under their names in the object.
func keep(keys ...string) []corev1.KeyToPath {
	var items []corev1.KeyToPath
	for _, k := range keys {
		items = append(items, corev1.KeyToPath{Key: k, Path: k})
	}
	return items
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		// The contracts hold only strings, numbers and lists of them.
		panic(fmt.Sprintf("marshalling %T: %v", v, err))
	}
	return string(b)
}
