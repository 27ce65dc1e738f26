package resources

import (
	"cmp"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// runnerAgent is the path of the agent in every runner image.
	runnerAgent = "/usr/local/bin/assay-agent"
	// imageAgent is the path of the agent in its own image.
	imageAgent = "/assay-agent"
)

// Client is the input for the objects of one execution: one phase of the workload on one
// target, by one or more client pods that start together.
type Client struct {
	Run *v1alpha1.BenchmarkRun
	// Name of the trial's ConfigMap, and of the Job of clients that do not stand.
	Name string
	// Standing is the name of the Job and of the ConfigMap of clients that stand; empty for others.
	Standing string
	// Trial for the agent.
	Trial contract.Trial
	// Credentials that the agents of the clients mount: those of the target of the trial, or of all targets for clients that stand.
	Credentials []Credentials
	// Image of the runner, and how it is pulled.
	Image       string
	PullPolicy  corev1.PullPolicy
	PullSecrets []corev1.LocalObjectReference
	// Agent of the client pods.
	Agent Agent
	// Inputs is the ConfigMap with the files of the workload; empty for none.
	Inputs string
	// Shape of the tool's container.
	Shape v1alpha1.InstanceShapeSpec
	// Nodes that the client pods run on.
	Nodes []string
	// Attempt at the trial, from 0.
	Attempt int32
	// Began identifies the target's pod at the start of the trial; empty for an external target.
	Began string
	// Behind are the pods behind the Service of an external target at the start of the trial, as JSON; empty for any other.
	Behind string
	// Timeout of the Job, from the start of its pod.
	Timeout time.Duration
	// Pods is what the pods may use beside their shape.
	Pods config.Pods

	// foreign images have no agent, and get one.
	foreign bool
}

// UseImage makes the clients those of an image of the user, which the agent is put into. The
// secrets are the names of those that the image is pulled with.
func (c *Client) UseImage(pull corev1.PullPolicy, secrets []string) {
	c.foreign, c.PullPolicy = true, pull
	for _, name := range secrets {
		c.PullSecrets = append(c.PullSecrets, corev1.LocalObjectReference{Name: name})
	}
}

// count of client pods.
func (c Client) count() int { return max(c.Trial.Clients, 1) }

// job is the name of the Job.
func (c Client) job() string { return cmp.Or(c.Standing, c.Name) }

// jobLabels are those of the Job and its pods.
func (c Client) jobLabels() map[string]string {
	if c.Standing != "" {
		return map[string]string{v1alpha1.LabelStanding: "true", v1alpha1.LabelPhase: string(contract.PhaseRun)} // they may have begun with a look at data
	}
	return c.labels()
}

// labels of the objects of the trial.
func (c Client) labels() map[string]string {
	more := map[string]string{
		v1alpha1.LabelTarget: c.Trial.Ref.Target,
		v1alpha1.LabelPhase:  c.Trial.Ref.Phase,
	}
	if c.Trial.Ref.Index != nil {
		more[v1alpha1.LabelTrial] = fmt.Sprint(*c.Trial.Ref.Index)
		more[v1alpha1.LabelAttempt] = fmt.Sprint(c.Attempt)
	}
	return more
}

// TrialConfigMap has the trial for the agents; the start time is added later.
func (c Client) TrialConfigMap() *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		ObjectMeta: Meta(c.Run, c.Name, Labels(c.Run, v1alpha1.RoleTrial, c.labels())),
		Data:       map[string]string{contract.KeyTrial: mustJSON(c.Trial)},
	}
	note := func(name, value string) {
		if value != "" {
			metav1.SetMetaDataAnnotation(&cm.ObjectMeta, name, value)
		}
	}
	note(v1alpha1.AnnotationTarget, c.Began)
	note(v1alpha1.AnnotationServicePods, c.Behind)
	note(contract.AnnotationClients, c.Standing)
	return cm
}

// StandingConfigMap tells clients that stand which trial they carry out.
func (c Client) StandingConfigMap() *corev1.ConfigMap {
	cm := &corev1.ConfigMap{ObjectMeta: Meta(c.Run, c.Standing, Labels(c.Run, v1alpha1.RoleTrial, c.jobLabels()))}
	cm.Annotations = map[string]string{contract.AnnotationNext: c.Name}
	return cm
}

// ResultConfigMaps are empty, one for each client: the agents fill them.
func (c Client) ResultConfigMaps() []*corev1.ConfigMap {
	var out []*corev1.ConfigMap
	for i := range c.count() {
		out = append(out, &corev1.ConfigMap{
			ObjectMeta: Meta(c.Run, contract.ResultName(c.Name, i), Labels(c.Run, v1alpha1.RoleResult, c.labels())),
		})
	}
	return out
}

// Job of the clients: indexed, never retried. The failure of one pod ends all pods.
func (c Client) Job() *batchv1.Job {
	labels := Labels(c.Run, v1alpha1.RoleClient, c.jobLabels())
	return &batchv1.Job{
		ObjectMeta: Meta(c.Run, c.job(), labels),
		Spec: batchv1.JobSpec{
			CompletionMode:        new(batchv1.IndexedCompletion),
			Completions:           new(int32(c.count())),
			Parallelism:           new(int32(c.count())),
			BackoffLimit:          new(int32(0)),
			ActiveDeadlineSeconds: new(int64(c.Timeout / time.Second)),
			PodReplacementPolicy:  new(batchv1.Failed),
			// The Job then distinguishes an eviction from a failure even after the pod is deleted.
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action: batchv1.PodFailurePolicyActionFailJob,
				OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
					{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
				},
			}}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: podAnnotations(c.Shape)},
				Spec:       boundDisk(c.podSpec(), RunnerContainer, c.Pods.Disk.Client),
			},
		},
	}
}

func clientMeta(run *v1alpha1.BenchmarkRun) metav1.ObjectMeta {
	return Meta(run, contract.ClientName(run.Name), Labels(run, v1alpha1.RoleClient))
}

// ServiceAccount of a run's client pods.
func ServiceAccount(run *v1alpha1.BenchmarkRun) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: clientMeta(run), AutomountServiceAccountToken: new(false)}
}

// RoleBinding gives a run's client pods the Role of the same name.
func RoleBinding(run *v1alpha1.BenchmarkRun) *rbacv1.RoleBinding {
	name := contract.ClientName(run.Name)
	return &rbacv1.RoleBinding{
		ObjectMeta: clientMeta(run),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: run.Namespace}},
	}
}

// Role allows the clients of the running execution only to read its trial, to write their
// results, and to read the Secrets of their uploads. Clients that stand may also read what they are told.
func (c Client) Role() *rbacv1.Role {
	rule := func(names []string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: names, Verbs: verbs}
	}
	var results []string
	for i := range c.count() {
		results = append(results, contract.ResultName(c.Name, i))
	}
	trial := []string{c.Name}
	if c.Standing != "" {
		trial = append(trial, c.Standing)
	}
	return &rbacv1.Role{
		ObjectMeta: clientMeta(c.Run),
		Rules:      append([]rbacv1.PolicyRule{rule(trial, "get", "list", "watch"), rule(results, "get", "patch")}, c.uploadRules()...),
	}
}

// ClientDisruptionBudget prevents a drain from evicting a measuring client.
func ClientDisruptionBudget(run *v1alpha1.BenchmarkRun) *policyv1.PodDisruptionBudget {
	selector := map[string]string{v1alpha1.LabelRun: run.Name, v1alpha1.LabelRole: v1alpha1.RoleClient}
	return &policyv1.PodDisruptionBudget{ObjectMeta: clientMeta(run), Spec: disruptionBudget(selector)}
}
