package resources

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// The token, the credentials and the user's files are the agent's. Of what the containers share,
// the tool may write nothing.
func TestTheToolHasNoToken(t *testing.T) {
	custom := trial()
	custom.UseImage(corev1.PullNever, nil)
	custom.Inputs = "run-inputs"
	for name, c := range map[string]Client{"of Assay": trial(), "of the user": custom} {
		pod := c.Job().Spec.Template.Spec
		if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken || pod.HostPID || *pod.ShareProcessNamespace {
			t.Errorf("%s: a token, or the processes of others, in every container: %+v", name, pod)
		}
		agent, tool := container(&pod, AgentContainer), container(&pod, RunnerContainer)
		if !mounts(*agent, dirToken) || !mounts(*agent, contract.DirCredentials) {
			t.Errorf("%s: the agent mounts %v", name, agent.VolumeMounts)
		}
		for _, c := range append([]corev1.Container{*tool}, pod.InitContainers...) {
			for _, m := range c.VolumeMounts {
				i := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
				v := pod.Volumes[i]
				if v.Secret != nil || v.Projected != nil || v.ConfigMap != nil {
					t.Errorf("%s: container %s mounts %s", name, c.Name, v.Name)
				}
				if !m.ReadOnly && slices.ContainsFunc(agent.VolumeMounts, func(o corev1.VolumeMount) bool { return o.Name == m.Name }) {
					t.Errorf("%s: container %s may write to %s of the agent", name, c.Name, v.Name)
				}
			}
		}
		if agent.SecurityContext.RunAsUser == nil || *agent.SecurityContext.RunAsUser == *pod.SecurityContext.RunAsUser {
			t.Errorf("%s: agent and tool have one user", name)
		}
		if diff := cmp.Diff(c.Shape.CPU, tool.Resources.Limits[corev1.ResourceCPU]); diff != "" {
			t.Errorf("%s: the tool does not get the shape (-want +got):\n%s", name, diff)
		}
	}
}

func mounts(c corev1.Container, path string) bool {
	return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == path && m.ReadOnly })
}
