package resources

import (
	"fmt"
	"path"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Containers of a client pod. They share no process namespace and no directory but the one with
// the socket between them, which the tool may only read.
const (
	// AgentContainer has the agent, the token for the API server and the credentials of the database.
	AgentContainer = "agent"
	// RunnerContainer has the benchmark tool, and a supervisor that starts it for the agent.
	RunnerContainer = "runner"
)

// LivePort is where the agent of a client serves the live figures of the tool.
const LivePort int32 = 9464

// AgentUID is the user of the agent in a client pod: another one than the tool's.
const AgentUID int64 = 10002

// tokenSeconds is how long the token of an agent is valid; the kubelet replaces it after 80 % of
// this time. Another time than the 3607 s of automatic tokens, which API servers extend.
const tokenSeconds int64 = 1800

// dirToken is where clients of the API server look for a token and a CA.
const dirToken = "/var/run/secrets/kubernetes.io/serviceaccount"

// Agent is the agent of the client pods.
type Agent struct {
	Image string
	// Shape has the requests and limits of its container.
	Shape v1alpha1.InstanceShapeSpec
}

// AgentShape has the CPU and the memory of the agent in the client pods of a run that was accepted.
func AgentShape(run *v1alpha1.BenchmarkRun) v1alpha1.InstanceShapeSpec {
	r := run.Status.Resolved.AgentResources
	return v1alpha1.InstanceShapeSpec{CPU: r.CPU, Memory: r.Memory}
}

// ClientPodShape is what a client pod of a run needs of a node: the shape of the tool, and the
// agent on top of it. The run was accepted.
func ClientPodShape(run *v1alpha1.BenchmarkRun) v1alpha1.InstanceShapeSpec {
	agent := AgentShape(run)
	shape := *run.Status.Resolved.ClientShape.DeepCopy()
	shape.CPU.Add(agent.CPU)
	shape.Memory.Add(agent.Memory)
	return shape
}

func (c Client) podSpec() corev1.PodSpec {
	spec := corev1.PodSpec{
		RestartPolicy:      corev1.RestartPolicyNever,
		ServiceAccountName: contract.ClientName(c.Run.Name),
		// The token is for the agent's container only.
		AutomountServiceAccountToken: new(false),
		ShareProcessNamespace:        new(false),
		EnableServiceLinks:           new(false),
		SecurityContext:              podSecurity(),
		NodeSelector:                 c.Shape.NodeSelector,
		Tolerations:                  c.Shape.Tolerations,
		RuntimeClassName:             c.Shape.RuntimeClassName,
		ImagePullSecrets:             c.PullSecrets,
		// The agent ends the tool and still delivers its partial result.
		TerminationGracePeriodSeconds: new(int64(30)),
		// In this order the agent prepares the trial while the tool's container starts.
		Containers: []corev1.Container{c.agentContainer(), c.toolContainer()},
		Volumes: []corev1.Volume{
			emptyDir("run", corev1.StorageMediumMemory),
			emptyDir("output", corev1.StorageMediumDefault),
			tokenVolume(),
			emptyDir("work", corev1.StorageMediumDefault),
			emptyDir("tmp", corev1.StorageMediumDefault),
		},
	}
	c.addCredentials(&spec)
	c.addInputs(&spec)
	c.installAgent(&spec)
	spec.Affinity = onNodes(c.Nodes)
	if c.Run.Separates() {
		if spec.Affinity == nil {
			spec.Affinity = &corev1.Affinity{}
		}
		spec.Affinity.PodAntiAffinity = awayFromTargets(c.Run)
	}
	return spec
}

func (c Client) agentContainer() corev1.Container {
	security := containerSecurity()
	security.RunAsUser = new(AgentUID)
	container := corev1.Container{
		Name: AgentContainer, Image: c.Agent.Image, ImagePullPolicy: corev1.PullIfNotPresent,
		Command: c.agentCommand(),
		Env: []corev1.EnvVar{
			fromPod("NODE_NAME", "spec.nodeName"), fromPod("POD_NAME", "metadata.name"),
			// What a large output took is given up before it adds up with that of the next trial.
			{Name: "GOMEMLIMIT", Value: fmt.Sprint(c.Agent.Shape.Memory.Value() / 10 * 9)},
		},
		Resources:                resourcesOf(c.Agent.Shape),
		SecurityContext:          security,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		VolumeMounts: []corev1.VolumeMount{
			{Name: "run", MountPath: contract.DirRun},
			{Name: "output", MountPath: contract.DirWork},
			{Name: "token", MountPath: dirToken, ReadOnly: true},
		},
	}
	if c.Pods.Network.Live != nil {
		container.Command = append(container.Command, fmt.Sprintf("--live=:%d", LivePort))
		container.Ports = []corev1.ContainerPort{{Name: "live", ContainerPort: LivePort}}
	}
	return container
}

func (c Client) agentCommand() []string {
	command := []string{imageAgent, "client", "--namespace=" + c.Run.Namespace, "--client-index=$(JOB_COMPLETION_INDEX)"}
	if c.Standing != "" {
		return append(command, "--standing="+c.Standing)
	}
	return append(command, "--trial="+c.Name, "--result="+c.Name+"-result-$(JOB_COMPLETION_INDEX)")
}

func (c Client) toolCommand() []string {
	command := []string{runnerAgent, "tool"}
	if c.Standing != "" {
		command = append(command, "--standing")
	}
	return command
}

func (c Client) toolContainer() corev1.Container {
	return corev1.Container{
		Name: RunnerContainer, Image: c.Image, ImagePullPolicy: c.PullPolicy,
		Command:                  c.toolCommand(),
		Resources:                resourcesOf(c.Shape),
		SecurityContext:          containerSecurity(),
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		VolumeMounts: []corev1.VolumeMount{
			// A socket can be connected to all the same.
			{Name: "run", MountPath: contract.DirRun, ReadOnly: true},
			{Name: "work", MountPath: contract.DirWork},
			{Name: "tmp", MountPath: contract.DirTmp},
		},
	}
}

// tokenVolume has what automatic tokens come with: a token, for the API server only, and its CA.
func tokenVolume() corev1.Volume {
	return corev1.Volume{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: new(int32(0o440)),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: corev1.ServiceAccountTokenKey, ExpirationSeconds: new(tokenSeconds)}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: corev1.ServiceAccountRootCAKey, Path: corev1.ServiceAccountRootCAKey}},
			}},
		},
	}}}
}

// fromPod is a variable with a field of the pod.
func fromPod(name, field string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: field}}}
}

// addCredentials mounts those of the target, or those of each target in a folder of its name for clients that stand.
func (c Client) addCredentials(spec *corev1.PodSpec) {
	mounts := &container(spec, AgentContainer).VolumeMounts
	for i, of := range c.Credentials {
		name, dir := "credentials", contract.DirCredentials
		if c.Standing != "" {
			name, dir = fmt.Sprintf("credentials-%d", i), path.Join(contract.DirCredentials, of.Target)
		}
		spec.Volumes = append(spec.Volumes, of.volume(name))
		*mounts = append(*mounts, corev1.VolumeMount{Name: name, MountPath: dir, ReadOnly: true})
	}
}

// addInputs mounts the files of the workload for the agent, which gives the tool those that it needs.
func (c Client) addInputs(spec *corev1.PodSpec) {
	if c.Inputs == "" {
		return
	}
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "inputs", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: c.Inputs}},
	}})
	mounts := &container(spec, AgentContainer).VolumeMounts
	*mounts = append(*mounts, corev1.VolumeMount{Name: "inputs", MountPath: contract.DirInputs, ReadOnly: true})
}

// installAgent puts the supervisor into the container of an image without one, as in a database pod.
func (c Client) installAgent(spec *corev1.PodSpec) {
	if !c.foreign {
		return
	}
	spec.Volumes = append(spec.Volumes, emptyDir("program", corev1.StorageMediumDefault))
	install := installAgent(c.Agent.Image)
	install.Name, install.VolumeMounts[0].Name = "install", "program"
	spec.InitContainers = append(spec.InitContainers, install)
	tool := container(spec, RunnerContainer)
	tool.Command[0] = agentBinary
	tool.VolumeMounts = append(tool.VolumeMounts, corev1.VolumeMount{Name: "program", MountPath: contract.DirAgent, ReadOnly: true})
}

// container of a name, which the pod has.
func container(spec *corev1.PodSpec, name string) *corev1.Container {
	for i := range spec.Containers {
		if spec.Containers[i].Name == name {
			return &spec.Containers[i]
		}
	}
	return nil
}

// awayFromTargets keeps a client off every node with a server of its run.
func awayFromTargets(run *v1alpha1.BenchmarkRun) *corev1.PodAntiAffinity {
	return &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: corev1.LabelHostname,
			LabelSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{v1alpha1.LabelRun: run.Name},
				MatchExpressions: []metav1.LabelSelectorRequirement{{
					Key: v1alpha1.LabelRole, Operator: metav1.LabelSelectorOpIn, Values: []string{v1alpha1.RoleTarget, v1alpha1.RoleReplica, v1alpha1.RoleTenant},
				}},
			},
		}},
	}
}
