package contract

import "time"

// Environment is where a process ran, on either side of a measurement: what the
// kernel says of the machine, the limits of the container, and what the container
// used during the measured window. What is not known is absent, never 0.
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
	// Before and After are the counters at the first and at the last sample inside the
	// measured window, by the tool's own clock; of a window that is too short for samples
	// just before the tool began and just after it ended. Context switches are always
	// those around the tool.
	Before *Usage `json:"before,omitempty"`
	After  *Usage `json:"after,omitempty"`
	// Warnings are findings that make measurements doubtful, for people.
	Warnings []string `json:"warnings,omitempty"`
}

// Machine is what the kernel says of a node. It does not change during a run.
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
	// CPUs that are online on the node.
	CPUs *int64 `json:"cpus,omitempty"`
	// MemoryBytes of the node.
	MemoryBytes *int64 `json:"memoryBytes,omitempty"`
	// BootID of the kernel (/proc/sys/kernel/random/boot_id): nodes that share one, such as
	// those of kind, are one machine.
	BootID string `json:"bootID,omitempty"`
	// BootTime of the node.
	BootTime *time.Time `json:"bootTime,omitempty"`
}

// Storage is where a directory lies.
type Storage struct {
	// Filesystem type as the kernel names it, such as ext4 or tmpfs.
	Filesystem string `json:"filesystem,omitempty"`
	// Device that is mounted, such as /dev/nvme1n1.
	Device string `json:"device,omitempty"`
	// Options of the mount.
	Options string `json:"options,omitempty"`
	// WriteCache of the block device as the kernel believes it: WriteBack or WriteThrough.
	// Absent where the file system is not on a block device that can be seen. A flush of a
	// device that writes through costs nothing, and is no promise beyond the device's own; a
	// virtual device tells what the hypervisor says.
	WriteCache string `json:"writeCache,omitempty"`
	// SizeBytes and FreeBytes of the file system, when the agent started.
	SizeBytes *int64 `json:"sizeBytes,omitempty"`
	FreeBytes *int64 `json:"freeBytes,omitempty"`
	// Fsync are times of writing 4 KiB and an fdatasync, one after the other, before
	// the server started.
	Fsync *Probe `json:"fsync,omitempty"`
}

// Values of Storage.WriteCache.
const (
	// WriteBack: the device has a cache that a flush empties.
	WriteBack = "WriteBack"
	// WriteThrough: the device says that a write that ended is durable.
	WriteThrough = "WriteThrough"
)

// Probe is a small measurement of what physics allows, so that results can be
// checked against it.
type Probe struct {
	// N is the number of tries.
	N int64 `json:"n"`
	// Min, P50, P99 and Max of the tries, in seconds.
	MinSeconds float64 `json:"minSeconds"`
	P50Seconds float64 `json:"p50Seconds"`
	P99Seconds float64 `json:"p99Seconds"`
	MaxSeconds float64 `json:"maxSeconds"`
}

// Replica is how far a replica has followed its primary.
type Replica struct {
	// Index from 0.
	Index int `json:"index"`
	// ServerVersion as SELECT VERSION() answered.
	ServerVersion string `json:"serverVersion,omitempty"`
	// MaxLagSeconds is the greatest lag that the replica told of, once a second, over
	// the measured window; absent when it did not tell.
	MaxLagSeconds *float64 `json:"maxLagSeconds,omitempty"`
	// CatchUpSeconds is how long after the end of the window the replica had applied
	// all that the primary had committed; absent when that was not seen.
	CatchUpSeconds *float64 `json:"catchUpSeconds,omitempty"`
	// Error of replication, as the replica told; empty for none.
	Error string `json:"error,omitempty"`
	// Machine, Limits, Before and After as in Environment; absent when its agent did not
	// tell, the counters also where the window was too short for samples.
	Machine *Machine `json:"machine,omitempty"`
	Limits  *Limits  `json:"limits,omitempty"`
	Before  *Usage   `json:"before,omitempty"`
	After   *Usage   `json:"after,omitempty"`
}

// Limits of a container's control group; each is absent without a limit.
type Limits struct {
	// CgroupVersion is 1 or 2; absent where no control group was found.
	CgroupVersion int `json:"cgroupVersion,omitempty"`
	// CPUs as quota over period.
	CPUs *float64 `json:"cpus,omitempty"`
	// CPUSet is the list of CPUs that the container may use, such as 0-3.
	CPUSet string `json:"cpuSet,omitempty"`
	// MemoryBytes of the container.
	MemoryBytes *int64 `json:"memoryBytes,omitempty"`
}

// Usage are counters of a container at one instant. All but the memory in use and
// the context switches only grow.
type Usage struct {
	// At is the wall clock of the node.
	At time.Time `json:"at"`
	// CPUSeconds used, user and system.
	CPUSeconds *float64 `json:"cpuSeconds,omitempty"`
	// Periods of CPU bandwidth enforcement that have elapsed.
	Periods *int64 `json:"periods,omitempty"`
	// Throttled is in how many of them the container had to wait.
	Throttled *int64 `json:"throttled,omitempty"`
	// ThrottledSeconds is how long it had to wait, over all CPUs.
	ThrottledSeconds *float64 `json:"throttledSeconds,omitempty"`
	// NodeCPUSeconds that all CPUs of the machine were busy (user, nice, system), steal
	// time and interrupts left out; of the whole machine (/proc/stat), which nodes of kind
	// share: see Machine.BootID.
	NodeCPUSeconds *float64 `json:"nodeCPUSeconds,omitempty"`
	// NodeStealSeconds in which the hypervisor gave the machine's CPUs to others.
	NodeStealSeconds *float64 `json:"nodeStealSeconds,omitempty"`
	// TCPRetransmits of the network namespace of the pod (segments).
	TCPRetransmits *int64 `json:"tcpRetransmits,omitempty"`
	// TCPSegments that the network namespace of the pod sent, those sent again left out.
	TCPSegments *int64 `json:"tcpSegments,omitempty"`
	// CPUFrequency of the node now.
	CPUFrequency *Frequency `json:"cpuFrequency,omitempty"`
	// MemoryBytes in use, page cache included.
	MemoryBytes *int64 `json:"memoryBytes,omitempty"`
	// MemoryPeakBytes since the container began.
	MemoryPeakBytes *int64 `json:"memoryPeakBytes,omitempty"`
	// Pressure is the time in which some (or all, "full") tasks waited for a
	// resource, in seconds; the keys are cpu.some, memory.full, io.some and so on.
	// Of the container where the kernel says it, else of the node (keys node.cpu.some);
	// for memory of both.
	Pressure map[string]float64 `json:"pressure,omitempty"`
	// VoluntarySwitches and InvoluntarySwitches are context switches. Of a database
	// server they are those of the threads that live, and it ends a thread with each
	// connection, so the later number may be the smaller one. Of the tool they are
	// those of all its threads, 0 before it started.
	VoluntarySwitches   *int64 `json:"voluntarySwitches,omitempty"`
	InvoluntarySwitches *int64 `json:"involuntarySwitches,omitempty"`
}

// Increase is the difference of one counter over the measured window; ok is false
// unless both ends are known.
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

// Table is what a table of the benchmark's schema holds.
type Table struct {
	// Name of the table.
	Name string `json:"name"`
	// Rows by COUNT(*).
	Rows int64 `json:"rows"`
	// Checksum by CHECKSUM TABLE; absent when the server gave none or it would have
	// taken too long.
	Checksum *int64 `json:"checksum,omitempty"`
}

// Data says what data a phase found or left.
type Data struct {
	// Tables in the order of their names.
	Tables []Table `json:"tables,omitempty"`
	// Reset is how the data was put back before the trial; absent if it was not.
	Reset *ResetReport `json:"reset,omitempty"`
	// Snapshot was taken after loading; absent if none was.
	Snapshot *Copy `json:"snapshot,omitempty"`
	// Check is what the tool's own check of the data found after the measured window; absent
	// of a tool that has none.
	Check *DataCheck `json:"check,omitempty"`
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

// ResetReport says how the data was put back before a trial. Its time is no part of the warm-up or the
// measured window.
type ResetReport struct {
	// Method is Snapshot or Reload.
	Method string `json:"method"`
	// Started and Ended on the client's clock; the check of the data is not in it.
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// Copy of the snapshot; absent for Reload.
	Copy *Copy `json:"copy,omitempty"`
	// VerifySeconds is how long counting rows and computing checksums took.
	VerifySeconds float64 `json:"verifySeconds"`
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
	// Reflink: the file system shares the blocks until one side writes.
	Reflink bool `json:"reflink"`
	// Seconds that the copy took; StoppedSeconds is how long the server was down.
	Seconds        float64 `json:"seconds"`
	StoppedSeconds float64 `json:"stoppedSeconds"`
}
