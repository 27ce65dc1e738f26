package contract

// Speed is the speed of a node just before a trial, measured by short loops of fixed work.
// Speeds that could not be measured are absent.
type Speed struct {
	// Integer is a chain of integer operations: it measures the clock rate of a core, and its share for this thread.
	Integer *Kernel `json:"integer,omitempty"`
	// Memory is a chain of reads from 8 MiB in an unpredictable order: it measures caches and address translation.
	Memory *Kernel `json:"memory,omitempty"`
	// Fsync are the times of writes of 4 KiB with fdatasync on the volume of the idle server; only in a database pod.
	Fsync *Probe `json:"fsync,omitempty"`
	// Seconds is the total time of these measurements.
	Seconds float64 `json:"seconds"`
}

// Kernel is a loop of fixed work that was repeated on one thread. Its times are those of one repetition.
type Kernel struct {
	// N is the number of repetitions behind the times.
	N int64 `json:"n"`
	// MeanSeconds is the mean time by the clock. It includes waiting for a CPU because of a quota or of other work.
	MeanSeconds float64 `json:"meanSeconds"`
	// CPUSeconds is the mean CPU time of the thread, without waiting.
	CPUSeconds float64 `json:"cpuSeconds"`
	// MinSeconds and P50Seconds by the clock.
	MinSeconds float64 `json:"minSeconds"`
	P50Seconds float64 `json:"p50Seconds"`
	// Throttled is the number of repetitions excluded from N, because the container's own CPU
	// limit stopped the thread. They do not measure the node.
	Throttled int64 `json:"throttled,omitempty"`
}

// Frequency of the CPUs of a node at one instant, as the kernel reports it. In a virtual
// machine it may be a nominal value of the hypervisor.
type Frequency struct {
	// CPUs is the number of CPUs.
	CPUs int64 `json:"cpus"`
	// MinMHz, P50MHz and MaxMHz over these CPUs.
	MinMHz float64 `json:"minMHz"`
	P50MHz float64 `json:"p50MHz"`
	MaxMHz float64 `json:"maxMHz"`
}
