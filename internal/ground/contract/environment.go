package contract

import (
	"strings"
	"time"
)

// Environment describes the machine and the container of a client or of a database server: properties that the kernel
// reports, limits of the container, and its usage during the measured window. Unknown values are absent, never 0.
type Environment struct {
	// Machine is the node.
	Machine Machine `json:"machine"`
	// Limits of the container.
	Limits Limits `json:"limits"`
	// Storage of the data directory; only of a database pod.
	Storage *Storage `json:"storage,omitempty"`
	// Replicas of the target, in their order; only of a database pod that has some.
	Replicas []Replica `json:"replicas,omitempty"`
	// Speed of the node just before the trial; only of the phase Run.
	Speed *Speed `json:"speed,omitempty"`
	// Before and After are the counters at the first and at the last sample inside the measured window, by the tool's
	// own clock. For a window too short for samples they are read just before the start and just after the end of the
	// tool, as context switches always are.
	Before *Usage `json:"before,omitempty"`
	After  *Usage `json:"after,omitempty"`
	// Gap in the samples of the measured window; absent if all of them were there in time.
	Gap *Gap `json:"gap,omitempty"`
	// Warnings are reasons to doubt the measurements, for people.
	Warnings []string `json:"warnings,omitempty"`
}

// Machine has properties of a node that the kernel reports. They do not change during a run.
type Machine struct {
	// Kernel release, as uname -r prints it.
	Kernel string `json:"kernel,omitempty"`
	// CPUModel as /proc/cpuinfo names it.
	CPUModel string `json:"cpuModel,omitempty"`
	// Microcode revision as /proc/cpuinfo names it, such as 0xd000404.
	Microcode string `json:"microcode,omitempty"`
	// Governor of the first CPU's frequency, such as performance.
	Governor string `json:"governor,omitempty"`
	// Clocksource of the kernel, such as tsc.
	Clocksource string `json:"clocksource,omitempty"`
	// HugePages is the setting of transparent huge pages, such as madvise.
	HugePages string `json:"hugePages,omitempty"`
	// HugePageBytes is the default size of a huge page that nodes set aside (hugetlb).
	HugePageBytes *int64 `json:"hugePageBytes,omitempty"`
	// HugePagesSetAsideBytes are the huge pages of that size that the node has set aside, in use or not.
	HugePagesSetAsideBytes *int64 `json:"hugePagesSetAsideBytes,omitempty"`
	// IdleStates are the driver that puts idle CPUs to sleep, and the states of the first CPU that it may use, such as
	// "intel_idle: POLL, C1, C6"; "none" on many virtual machines, whose host decides.
	IdleStates string `json:"idleStates,omitempty"`
	// NUMANodes that are online.
	NUMANodes *int64 `json:"numaNodes,omitempty"`
	// CPUs that are online on the node.
	CPUs *int64 `json:"cpus,omitempty"`
	// MemoryBytes of the node.
	MemoryBytes *int64 `json:"memoryBytes,omitempty"`
	// BootID of the kernel (/proc/sys/kernel/random/boot_id). Nodes with the same BootID, such
	// as those of kind, are one machine.
	BootID string `json:"bootID,omitempty"`
	// BootTime of the node.
	BootTime *time.Time `json:"bootTime,omitempty"`
	// InterruptTime is where the kernel counts the time of interrupts: InterruptsInTasks or InterruptsApart. Absent where
	// the kernel does not show it.
	InterruptTime string `json:"interruptTime,omitempty"`
}

// Values of Machine.InterruptTime.
const (
	// InterruptsInTasks: the time of an interrupt is part of the CPU time of the task, and of its control group, that
	// it interrupted.
	InterruptsInTasks = "InTasks"
	// InterruptsApart: the CPU time of tasks and control groups has no time of interrupts.
	InterruptsApart = "Apart"
)

// Storage describes the file system of a directory.
type Storage struct {
	// Filesystem type as the kernel names it, such as ext4 or tmpfs.
	Filesystem string `json:"filesystem,omitempty"`
	// Device that is mounted, such as /dev/nvme1n1.
	Device string `json:"device,omitempty"`
	// Options of the mount.
	Options string `json:"options,omitempty"`
	// WriteCache of the block device as the kernel reports it: WriteBack or WriteThrough. Absent where the file system
	// is not on a visible block device. With WriteThrough a flush costs nothing, and durability depends on the device.
	// A virtual device reports the setting of the hypervisor.
	WriteCache string `json:"writeCache,omitempty"`
	// SizeBytes and FreeBytes of the file system, when the agent started.
	SizeBytes *int64 `json:"sizeBytes,omitempty"`
	FreeBytes *int64 `json:"freeBytes,omitempty"`
	// Fsync are the times of sequential writes of 4 KiB with fdatasync, before the server started.
	Fsync *Probe `json:"fsync,omitempty"`
}

// Values of Storage.WriteCache.
const (
	// WriteBack: the device has a cache, which a flush writes to the medium.
	WriteBack = "WriteBack"
	// WriteThrough: the device reports that a completed write is durable.
	WriteThrough = "WriteThrough"
)

// Probe is a short measurement of a physical limit (storage, network). Results are checked against it.
type Probe struct {
	// N is the number of samples.
	N int64 `json:"n"`
	// Min, P50, P99 and Max of the samples, in seconds.
	MinSeconds float64 `json:"minSeconds"`
	P50Seconds float64 `json:"p50Seconds"`
	P99Seconds float64 `json:"p99Seconds"`
	MaxSeconds float64 `json:"maxSeconds"`
}

// Replica describes the replication lag of one replica.
type Replica struct {
	// Index from 0.
	Index int `json:"index"`
	// ServerVersion is the result of SELECT VERSION().
	ServerVersion string `json:"serverVersion,omitempty"`
	// MaxLagSeconds is the maximum lag that the replica reported during the measured window,
	// sampled once a second; absent when it reported none.
	MaxLagSeconds *float64 `json:"maxLagSeconds,omitempty"`
	// CatchUpSeconds is the time from the end of the window until the replica had applied all
	// transactions of the primary; absent when this was not observed.
	CatchUpSeconds *float64 `json:"catchUpSeconds,omitempty"`
	// Error of replication that the replica reported; empty for none.
	Error string `json:"error,omitempty"`
	// Machine, Limits, Before and After are as in Environment. They are absent when the replica's agent did not report
	// them; Before and After also when the window was too short for samples.
	Machine *Machine `json:"machine,omitempty"`
	Limits  *Limits  `json:"limits,omitempty"`
	Before  *Usage   `json:"before,omitempty"`
	After   *Usage   `json:"after,omitempty"`
	// Gap is as in Environment.
	Gap *Gap `json:"gap,omitempty"`
}

// Limits are the resource limits of a container's control group; each is absent without a limit.
type Limits struct {
	// CgroupVersion is 1 or 2; absent where no control group was found.
	CgroupVersion int `json:"cgroupVersion,omitempty"`
	// CPUs as quota over period.
	CPUs *float64 `json:"cpus,omitempty"`
	// CPUSet is the list of CPUs that the processes of the container may run on, such as 0-3; absent where it is all that are online.
	CPUSet string `json:"cpuSet,omitempty"`
	// CPUNodes is the list of NUMA nodes that those CPUs belong to, such as 0; absent where it is all nodes.
	CPUNodes string `json:"cpuNodes,omitempty"`
	// MemoryNodes is the list of NUMA nodes that the container's memory may come from; absent where it is all nodes.
	MemoryNodes string `json:"memoryNodes,omitempty"`
	// CPUGroup has the CPUs that the control group allows, whatever its processes keep to beside that. It is there also where that is all
	// CPUs; absent where the kernel does not show it.
	CPUGroup *CPUGroup `json:"cpuGroup,omitempty"`
	// MemoryBytes of the container.
	MemoryBytes *int64 `json:"memoryBytes,omitempty"`
}

// CPUGroup has the CPUs of a control group, and where they are in the machine. Each is a list of the kernel, such as 0-3,8.
type CPUGroup struct {
	// CPUs that the processes of the group may run on.
	CPUs string `json:"cpus"`
	// Cores has all CPUs of the cores that those belong to; absent where the kernel does not show the topology.
	Cores string `json:"cores,omitempty"`
	// Nodes are the NUMA nodes that they belong to; absent where the kernel does not show them.
	Nodes string `json:"nodes,omitempty"`
}

// Usage has the counters of a container at one instant. All of them only grow, except the
// memory in use, the limits and the context switches.
type Usage struct {
	// At is the wall clock of the node.
	At time.Time `json:"at"`
	// CPUSeconds used, user and system.
	CPUSeconds *float64 `json:"cpuSeconds,omitempty"`
	// Periods of CPU bandwidth enforcement that have elapsed.
	Periods *int64 `json:"periods,omitempty"`
	// Throttled is the number of periods in which the container was throttled.
	Throttled *int64 `json:"throttled,omitempty"`
	// ThrottledSeconds is the total throttled time, over all CPUs.
	ThrottledSeconds *float64 `json:"throttledSeconds,omitempty"`
	// CPULimit and MemoryLimitBytes are the limits of the container at that instant, as in Limits: a pod can be resized while it runs.
	CPULimit         *float64 `json:"cpuLimit,omitempty"`
	MemoryLimitBytes *int64   `json:"memoryLimitBytes,omitempty"`
	// NodeCPUSeconds is the busy time of all CPUs of the machine (the columns user, nice and system; without steal time
	// and interrupts), from /proc/stat. Nodes of kind share one machine: see Machine.BootID.
	NodeCPUSeconds *float64 `json:"nodeCPUSeconds,omitempty"`
	// NodeIRQSeconds and NodeSoftIRQSeconds are the time of interrupts of all CPUs of the machine, and of the work that
	// interrupts defer, such as that for packets: the columns irq and softirq of /proc/stat. See Machine.InterruptTime.
	NodeIRQSeconds     *float64 `json:"nodeIRQSeconds,omitempty"`
	NodeSoftIRQSeconds *float64 `json:"nodeSoftIRQSeconds,omitempty"`
	// NodeStealSeconds is the steal time: the hypervisor gave the machine's CPUs to other virtual machines.
	NodeStealSeconds *float64 `json:"nodeStealSeconds,omitempty"`
	// TCPRetransmits of the network namespace of the pod (segments).
	TCPRetransmits *int64 `json:"tcpRetransmits,omitempty"`
	// TCPSegments that the network namespace of the pod sent, without retransmits.
	TCPSegments *int64 `json:"tcpSegments,omitempty"`
	// CPUFrequency of the node now.
	CPUFrequency *Frequency `json:"cpuFrequency,omitempty"`
	// MemoryBytes in use, page cache included.
	MemoryBytes *int64 `json:"memoryBytes,omitempty"`
	// MemoryPeakBytes since the container began.
	MemoryPeakBytes *int64 `json:"memoryPeakBytes,omitempty"`
	// HugePagesBytes are the huge pages (hugetlb) that the container has touched, of 2 MiB and 1 GiB together; absent where the kernel does
	// not show them. They are no part of MemoryBytes, unless cgroup v2 was mounted with memory_hugetlb_accounting (Linux 6.6).
	HugePagesBytes *int64 `json:"hugePagesBytes,omitempty"`
	// HugePagesReservedBytes are those that it has reserved, touched or not; absent before Linux 5.7.
	HugePagesReservedBytes *int64 `json:"hugePagesReservedBytes,omitempty"`
	// Pressure is the pressure stall time in seconds: some (or all, "full") tasks waited for a
	// resource. The keys are cpu.some, memory.full, io.some and so on for the container where
	// the kernel reports it, and else for the node (keys node.cpu.some); for memory both.
	Pressure map[string]float64 `json:"pressure,omitempty"`
	// VoluntarySwitches and InvoluntarySwitches are context switches. For a database server they include only its
	// present threads; a server ends threads with their connections, so the later number may be smaller. For the tool
	// they include all its threads, and are 0 before its start.
	VoluntarySwitches   *int64 `json:"voluntarySwitches,omitempty"`
	InvoluntarySwitches *int64 `json:"involuntarySwitches,omitempty"`
}

// PressureOwnMemory is the key of Usage.Pressure for the time in which all of the container
// waited for memory within its own limit.
const PressureOwnMemory = "memory.full"

// PressureOwnIO is the key of Usage.Pressure for the time in which all of the container waited for I/O, and PressureNodeIO that of all
// of the node, where the kernel does not report the container's.
const (
	PressureOwnIO  = "io.full"
	PressureNodeIO = "node.io.full"
)

// Increase is the difference of one counter over the measured window; ok is false unless both values are known.
func Increase[N int64 | float64](e Environment, counter func(Usage) *N) (n N, ok bool) {
	if e.Before == nil || e.After == nil {
		return 0, false
	}
	before, after := counter(*e.Before), counter(*e.After)
	if before == nil || after == nil {
		return 0, false
	}
	return *after - *before, true
}

// Table is the content of a table of the benchmark's schema.
type Table struct {
	// Name of the table.
	Name string `json:"name"`
	// Rows by COUNT(*), or what the server estimates.
	Rows int64 `json:"rows"`
	// Estimated: nobody has counted them.
	Estimated bool `json:"estimated,omitempty"`
	// Checksum by CHECKSUM TABLE; absent when the server returned none or it would have taken too long.
	Checksum *int64 `json:"checksum,omitempty"`
}

// Lists says whether a table is among those whose rows are given by their names. Servers differ in the case of names.
func Lists(rows map[string]int64, table string) bool {
	for name := range rows {
		if strings.EqualFold(name, table) {
			return true
		}
	}
	return false
}

// Data is the data before or after a phase.
type Data struct {
	// Tables in the order of their names.
	Tables []Table `json:"tables,omitempty"`
	// Reset reports how the data was restored before the trial; absent without a reset.
	Reset *ResetReport `json:"reset,omitempty"`
	// Restart reports how the server was started again before the trial; absent where it was not.
	Restart *RestartReport `json:"restart,omitempty"`
	// Snapshot was taken after loading; absent if none was.
	Snapshot *Copy `json:"snapshot,omitempty"`
	// DataSet says how the data came, in the phase Prepare of a run with a data set; absent without one.
	DataSet *DataSetReport `json:"dataSet,omitempty"`
	// Check is what the tool's own check of the data found after the measured window; absent of a tool that has none.
	Check *DataCheck `json:"check,omitempty"`
	// Loaded is what the load left that the trial measured, and what it cost afterwards; absent of a trial that measures no load.
	Loaded *LoadReport `json:"loaded,omitempty"`
}

// Load is what the trial measured, where it is a load; nil for any other.
func (r Result) Load() *LoadReport {
	if r.Data == nil {
		return nil
	}
	return r.Data.Loaded
}

// LoadReport is what a load that was measured left, and what follows it outside of the measured window, in this order.
type LoadReport struct {
	// FlushSeconds is how long the server took to stop cleanly, with all that it had put off on its storage; absent of a server that
	// Assay does not start, with replicas, and where the stop failed.
	FlushSeconds *float64 `json:"flushSeconds,omitempty"`
	// StatisticsSeconds is how long ANALYZE TABLE of the tool's tables took, on the server that was started again; absent where they are not
	// known, or got none.
	StatisticsSeconds *float64 `json:"statisticsSeconds,omitempty"`
	// Tables in the order of their names, counted after that.
	Tables []Table `json:"tables,omitempty"`
}

// DataCheck is a tool's own check of the data: rules that hold whatever was measured.
type DataCheck struct {
	// Rules that were checked, each as often as it was; from 1.
	Rules int64 `json:"rules"`
	// Violations are the rules that the data breaks, in the words of the tool; empty when it
	// keeps all of them. A tool may stop at the first.
	Violations []string `json:"violations,omitempty"`
	// Seconds that the check took, outside of the measured window.
	Seconds float64 `json:"seconds"`
}

// ResetReport reports how the data was restored before a trial. Its time is not part of the
// warm-up or the measured window.
type ResetReport struct {
	// Method is Snapshot or Reload.
	Method string `json:"method"`
	// Started and Ended on the client's clock, without the check of the data.
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// Copy of the snapshot; absent for Reload.
	Copy *Copy `json:"copy,omitempty"`
	// VerifySeconds is the time to count rows and compute checksums.
	VerifySeconds float64 `json:"verifySeconds"`
}

// RestartReport reports how a server was started again before a trial. Its time is not part of the warm-up or the measured window.
type RestartReport struct {
	// Started and Ended on the client's clock.
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// StoppedSeconds is how long the server accepted no login.
	StoppedSeconds float64 `json:"stoppedSeconds"`
	// PoolSeconds is how long it then read pages into its buffer pool; 0 of a server that reads none.
	PoolSeconds float64 `json:"poolSeconds,omitempty"`
	// Pool is the server's last word on that (Innodb_buffer_pool_load_status).
	Pool string `json:"pool,omitempty"`
}

// Methods of a Reset.
const (
	// ResetSnapshot: the data directory was restored from a snapshot.
	ResetSnapshot = "Snapshot"
	// ResetReload: the tool dropped its tables and loaded them again.
	ResetReload = "Reload"
)

// Copy of a data directory.
type Copy struct {
	// Bytes and Files that were copied.
	Bytes int64 `json:"bytes"`
	Files int64 `json:"files"`
	// Reflink: the copy shares its blocks with the original until one side writes.
	Reflink bool `json:"reflink"`
	// Seconds is the time of the copy. StoppedSeconds is the downtime of the server.
	Seconds        float64 `json:"seconds"`
	StoppedSeconds float64 `json:"stoppedSeconds"`
	// StopSeconds is how long the server took to stop, from the signal to the end of its process, with all that it had put off on its
	// storage; absent where it did not stop cleanly.
	StopSeconds *float64 `json:"stopSeconds,omitempty"`
	// Parts that were written into an object store; absent of any other copy.
	Parts []DataPart `json:"parts,omitempty"`
}
