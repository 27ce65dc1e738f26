package engine

// EnvironmentVersion names the format of Environment.
const EnvironmentVersion = "assay.dev/environment/v1"

// Environment is what `agent target` says of the server and the pod it runs in,
// as JSON under /environment. What is not known is absent, never 0.
type Environment struct {
	// Version is always EnvironmentVersion.
	Version string `json:"version"`
	// Flavor of the target.
	Flavor string `json:"flavor"`
	// ServerVersion as SELECT VERSION() gave it at the last login.
	ServerVersion string `json:"serverVersion,omitempty"`
	// Kernel release, as uname -r prints it.
	Kernel string `json:"kernel,omitempty"`
	// CPUModel as /proc/cpuinfo names it.
	CPUModel string `json:"cpuModel,omitempty"`
	// Cgroup of the container.
	Cgroup Cgroup `json:"cgroup"`
	// Warnings are findings that make measurements doubtful, for people.
	Warnings []string `json:"warnings,omitempty"`
}

// Cgroup is the container's control group, of either version.
type Cgroup struct {
	// Version is 1 or 2; absent where no control group was found.
	Version int `json:"version,omitempty"`
	// CPULimit in CPUs; absent without a limit.
	CPULimit *float64 `json:"cpuLimit,omitempty"`
	// Periods is how many enforcement periods have elapsed.
	Periods *int64 `json:"periods,omitempty"`
	// Throttled is in how many of them the group had to wait.
	Throttled *int64 `json:"throttled,omitempty"`
	// ThrottledSeconds is how long it had to wait, over all CPUs.
	ThrottledSeconds *float64 `json:"throttledSeconds,omitempty"`
	// MemoryLimit in bytes; absent without a limit.
	MemoryLimit *int64 `json:"memoryLimit,omitempty"`
	// MemoryCurrent in bytes, page cache included.
	MemoryCurrent *int64 `json:"memoryCurrent,omitempty"`
	// MemoryPeak in bytes.
	MemoryPeak *int64 `json:"memoryPeak,omitempty"`
}
