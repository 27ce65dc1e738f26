package config

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Agent is the agent in the pods of runs.
type Agent struct {
	// Image with the agent: client pods run it, and database pods copy it from there.
	Image string `json:"image"`
	// Resources of the agent's container in a client pod, in addition to the shape, which is the
	// tool's: requests and limits at once, so that client pods are Guaranteed. Default 250m and 512Mi.
	Resources v1alpha1.AgentResources `json:"resources"`
}

// leastMemory is enough for outputs of ordinary tools; of 64 MiB, the largest that is read, the default is.
var leastMemory = resource.MustParse("64Mi")

// defaultAgentResources have memory for an output of 64 MiB, and CPU for the work before and
// after a window. The log of an agent ends with what it needed.
func defaultAgentResources() v1alpha1.AgentResources {
	return v1alpha1.AgentResources{CPU: resource.MustParse("250m"), Memory: resource.MustParse("512Mi")}
}

// check returns an error that names the first setting that is not valid.
func (a Agent) check() error {
	switch {
	case a.Image == "":
		return fmt.Errorf("agent.image is missing: name the image that holds the agent")
	case a.Resources.CPU.Sign() <= 0:
		return fmt.Errorf("agent.resources.cpu must be greater than 0, such as 250m")
	case a.Resources.Memory.Cmp(leastMemory) < 0:
		return fmt.Errorf("agent.resources.memory must be at least %s", leastMemory.String())
	}
	return nil
}
