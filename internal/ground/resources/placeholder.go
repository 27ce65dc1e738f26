package resources

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Placeholder keeps the place of a pod on a node that does not exist yet. An autoscaler sees pods that are pending: those of a run
// are not made before it has its nodes.
type Placeholder struct {
	Run *v1alpha1.BenchmarkRun
	// Index among the placeholders of the run, from 0.
	Index int
	// Target whose place it keeps; empty for a client.
	Target string
	// Shape of the pod.
	Shape v1alpha1.InstanceShapeSpec
	// Exclusive: no other run is on the node.
	Exclusive bool
	// Request is the ProvisioningRequest that its node is provisioned for; empty for none.
	Request string
	// Within is how long the run waits for the node.
	Within time.Duration
	// Pods is what the pods may use beside their shape.
	Pods config.Pods
}

// A placeholder ends by itself some time after the run has stopped waiting: no manager may be there to delete it. That of a client stays
// while the servers start, which pull images and may be many.
const beyond, beyondOfClient = 5 * time.Minute, time.Hour

// Job of the placeholder. Its pod does nothing.
func (p Placeholder) Job() *batchv1.Job {
	var of map[string]string
	life := p.Within + beyondOfClient
	if p.Target != "" {
		of, life = map[string]string{v1alpha1.LabelTarget: p.Target}, p.Within+beyond
	}
	labels := Labels(p.Run, v1alpha1.RolePlaceholder, of)
	return &batchv1.Job{
		ObjectMeta: Meta(p.Run, contract.PlaceholderName(p.Run.Name, p.Index), labels),
		Spec: batchv1.JobSpec{
			ActiveDeadlineSeconds:   new(int64(life / time.Second)),
			TTLSecondsAfterFinished: new(int32(0)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: p.annotations()},
				Spec:       p.podSpec(),
			},
		},
	}
}

// annotations of the pod.
func (p Placeholder) annotations() map[string]string {
	a := podAnnotations(p.Shape)
	if p.Request != "" {
		a[annotationRequest], a[annotationClass] = p.Request, p.Shape.ProvisioningClass
	}
	return a
}

// podSpec has the containers of the pod whose place it keeps: a LimitRange bounds each of them.
func (p Placeholder) podSpec() corev1.PodSpec {
	spec := corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyNever,
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		SecurityContext:               podSecurity(),
		NodeSelector:                  p.Shape.NodeSelector,
		Tolerations:                   p.Shape.Tolerations,
		RuntimeClassName:              p.Shape.RuntimeClassName,
		TerminationGracePeriodSeconds: new(int64(0)),
		Affinity:                      &corev1.Affinity{PodAntiAffinity: p.apart()},
	}
	wait := func(name string, shape v1alpha1.InstanceShapeSpec) corev1.Container {
		return corev1.Container{
			Name: name, Image: p.Run.Status.Resolved.AgentImage, ImagePullPolicy: corev1.PullIfNotPresent, Command: []string{imageAgent, "wait"},
			Resources: resourcesOf(shape), SecurityContext: containerSecurity(),
		}
	}
	if p.Target != "" {
		spec.Containers = []corev1.Container{wait(ServerContainer, p.Shape)}
		return boundDisk(spec, ServerContainer, p.Pods.Disk.Target)
	}
	spec.Containers = []corev1.Container{wait(AgentContainer, AgentShape(p.Run)), wait(RunnerContainer, p.Run.Status.Resolved.ClientShape)}
	return boundDisk(spec, RunnerContainer, p.Pods.Disk.Client)
}

// apart are the pods that the placeholder shares no node with: those that its pod will share none with.
func (p Placeholder) apart() *corev1.PodAntiAffinity {
	own := func(expressions ...metav1.LabelSelectorRequirement) corev1.PodAffinityTerm {
		return corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{v1alpha1.LabelRunUID: string(p.Run.UID)}, MatchExpressions: expressions,
		}}
	}
	ofTargets := metav1.LabelSelectorRequirement{Key: v1alpha1.LabelTarget, Operator: metav1.LabelSelectorOpExists}
	var terms []corev1.PodAffinityTerm
	switch separate := p.Run.Separates(); {
	case p.Target != "" && separate:
		terms = append(terms, own())
	case p.Target != "" || separate:
		terms = append(terms, own(ofTargets))
	}
	if p.Exclusive {
		terms = append(terms, corev1.PodAffinityTerm{
			TopologyKey: corev1.LabelHostname, NamespaceSelector: &metav1.LabelSelector{},
			LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: v1alpha1.LabelRunUID, Operator: metav1.LabelSelectorOpExists},
				{Key: v1alpha1.LabelRunUID, Operator: metav1.LabelSelectorOpNotIn, Values: []string{string(p.Run.UID)}},
			}},
		})
	}
	return &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}
}
