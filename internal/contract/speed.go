package contract

// Speed is how fast a node was just before a trial, by short loops of fixed work. What could
// not be measured is absent.
type Speed struct {
	// Integer is a chain of integer operations: the clock of a core, and what it gets of it.
	Integer *Kernel `json:"integer,omitempty"`
	// Memory is a chain of reads from 8 MiB in an order that cannot be guessed: caches and
	// address translation.
	Memory *Kernel `json:"memory,omitempty"`
	// Fsync are times of writing 4 KiB and an fdatasync beside the idle server's data; only
	// of a database pod.
	Fsync *Probe `json:"fsync,omitempty"`
	// Seconds that measuring all of it took.
	Seconds float64 `json:"seconds"`
}

// Kernel is a loop of fixed work that was repeated on one thread. Its times are those of one
// repetition.
type Kernel struct {
	// N is the number of repetitions behind the times.
	N int64 `json:"n"`
	// MeanSeconds by the clock: it holds what the thread waited for a CPU, such as a quota of
	// the node or the work of others.
	MeanSeconds float64 `json:"meanSeconds"`
	// CPUSeconds is the mean of what the thread had of a CPU: how fast it was while it ran.
	CPUSeconds float64 `json:"cpuSeconds"`
	// MinSeconds and P50Seconds by the clock.
	MinSeconds float64 `json:"minSeconds"`
	P50Seconds float64 `json:"p50Seconds"`
	// Throttled is how many repetitions are not among N, because the container's own CPU
	// limit stopped the thread: that says nothing of the node.
	Throttled int64 `json:"throttled,omitempty"`
}

// Frequency of the CPUs of a node at one instant, as the kernel tells; in a virtual machine it
// may be no more than what the hypervisor says.
type Frequency struct {
	// CPUs that were read.
	CPUs int64 `json:"cpus"`
	// MinMHz, P50MHz and MaxMHz over them.
	MinMHz float64 `json:"minMHz"`
	P50MHz float64 `json:"p50MHz"`
	MaxMHz float64 `json:"maxMHz"`
}
