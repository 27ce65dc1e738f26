package resources

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
)

// acceptedBefore says that version 0.1 accepted a run. The run keeps the images of that version,
// in which the agent starts the tool itself, and signs with the password. So its client pods keep
// their one container, and a manager that is rolled back understands them.
func acceptedBefore(run *v1alpha1.BenchmarkRun) bool {
	return run.Status.Resolved.AgentResources == nil
}

// alone turns the pod into one of version 0.1: agent and tool share a container, and with it the
// token.
func (c Client) alone(spec corev1.PodSpec) corev1.PodSpec {
	agent, tool := container(&spec, AgentContainer), container(&spec, RunnerContainer)
	program := tool.Command[0]
	tool.Command = append([]string{program}, agent.Command[1:]...)
	tool.Env = agent.Env
	tool.VolumeMounts = []corev1.VolumeMount{
		{Name: "work", MountPath: contract.DirWork},
		{Name: "tmp", MountPath: contract.DirTmp},
		{Name: "credentials", MountPath: contract.DirCredentials, ReadOnly: true},
	}
	if c.Inputs != "" {
		tool.VolumeMounts = append(tool.VolumeMounts, corev1.VolumeMount{Name: "inputs", MountPath: contract.DirInputs, ReadOnly: true})
	}
	if c.foreign {
		tool.VolumeMounts = append(tool.VolumeMounts, corev1.VolumeMount{Name: "program", MountPath: contract.DirAgent, ReadOnly: true})
	}
	spec.AutomountServiceAccountToken = new(true)
	spec.Containers = []corev1.Container{*tool}
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool {
		return slices.Contains([]string{"run", "output", "token"}, v.Name)
	})
	return spec
}
