package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Phase is where a run stands, for people. Programs read the conditions.
type Phase string

// Phases of a run.
const (
	PhasePending      Phase = "Pending"
	PhaseQueued       Phase = "Queued"
	PhaseSuspended    Phase = "Suspended"
	PhaseProvisioning Phase = "Provisioning"
	PhaseLoading      Phase = "Loading"
	PhaseMeasuring    Phase = "Measuring"
	PhaseCleaning     Phase = "Cleaning"
	PhaseComplete     Phase = "Complete"
	PhaseFailed       Phase = "Failed"
)

// BenchmarkRunStatus is where a run stands and what it found.
type BenchmarkRunStatus struct {
	// ObservedGeneration is the generation of the spec that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Phase is a one-word summary for people.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// Conditions of the run; see docs/conditions.md for the meaning of each.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// AcceptedTime is when the run was accepted; its place in the queue counts from
	// here.
	// +optional
	AcceptedTime *metav1.Time `json:"acceptedTime,omitempty"`

	// StartTime is when the run got its nodes; the deadline counts from here.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// FinishTime is when the run became Complete or Failed.
	// +optional
	CompletionTime *metav1.Time `json:"finishTime,omitempty"`

	// SuspendedAt is since when the run is suspended.
	// +optional
	SuspendedTime *metav1.Time `json:"suspendedAt,omitempty"`

	// SuspendedFor is the time spent suspended before SuspendedAt; it does not
	// count towards the deadline.
	// +optional
	SuspendedDuration *metav1.Duration `json:"suspendedFor,omitempty"`

	// Headline is the median of the main measurement of every target in the first cell of
	// the plan, for people, such as "mariadb 585.3 | mysql 326.9 tx/s (n=6)": n is the number
	// of trials behind a median, with "of 6" where fewer count than were planned. "-" stands
	// for a target of which no trial counts.
	// +optional
	Headline string `json:"headline,omitempty"`

	// Progress of the trials.
	// +optional
	Progress Progress `json:"progress,omitempty"`

	// Resolved pins what the spec's references meant when the run was accepted.
	// +optional
	Resolved *Resolved `json:"resolved,omitempty"`

	// Targets are the databases as they really ran.
	// +optional
	// +listType=map
	// +listMapKey=name
	Targets []TargetStatus `json:"targets,omitempty"`

	// ClientNodes are the nodes that clients have run on.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Nodes []NodeInfo `json:"clientNodes,omitempty"`

	// SpecHash is the SHA-256 of the resolved spec, in hexadecimal: runs with the same
	// hash are the same experiment.
	// +optional
	SpecHash string `json:"specHash,omitempty"`

	// Placement is the nodes that the run holds.
	// +optional
	Placement *Placement `json:"placement,omitempty"`

	// Plan is where the plan is stored.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`

	// Results are where the results are stored.
	// +optional
	Results *ResultsStatus `json:"results,omitempty"`

	// Trials are the last attempts at trials that have ended, at most 10, and the one
	// that runs. All of them are in the ConfigMaps of results.records.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=11
	Trials []TrialStatus `json:"trials,omitempty"`

	// Summary of the valid, undisturbed trials per cell, target and measurement, at most 128
	// entries. Of more, measurements are shown in the order of the tool's list, each for all
	// cells and targets or for none; where not even the main one fits, as many whole cells
	// as do. results.summaryShown of results.summaryEntries stand here, and all of them in the
	// ConfigMaps of results.summary.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Summary []SummaryEntry `json:"summary,omitempty"`

	// MachineSpeed of the nodes over all trials of the run, for comparing it with other runs:
	// an entry for each side, node and kernel, and for each target where the kernel depends on
	// it; at most 48. The value of each trial stands in its record.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	MachineSpeed []NodeSpeed `json:"machineSpeed,omitempty"`

	// Findings of the validity checks, the last 20. All of them are in the records of
	// the trials.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Findings []Finding `json:"findings,omitempty"`
}

// Progress of a run.
type Progress struct {
	// Planned number of trials.
	// +optional
	Planned int32 `json:"planned"`
	Totals  `json:",inline"`
	// Text is "done/planned", for people.
	// +optional
	Text string `json:"text,omitempty"`
	// CurrentTrial is the index of the trial that is running.
	// +optional
	CurrentTrial *int32 `json:"currentTrial,omitempty"`
	// Current trial for people, such as "innodb threads=64 block 3".
	// +optional
	Current string `json:"current,omitempty"`
	// EstimatedEnd of the last trial, from the spec's durations and the pace so
	// far.
	// +optional
	EstimatedCompletionTime *metav1.Time `json:"estimatedEnd,omitempty"`
}

// Totals count trials.
type Totals struct {
	// Done is the number of trials that have ended for good.
	// +optional
	Done int32 `json:"done"`
	// Succeeded are those that have a result.
	// +optional
	Succeeded int32 `json:"succeeded,omitempty"`
	// Failed are those that have none.
	// +optional
	Failed int32 `json:"failed,omitempty"`
	// Invalid are those that succeeded with a result that contradicts itself.
	// +optional
	Invalid int32 `json:"invalid,omitempty"`
	// Disturbed are those that succeeded, but something else happened meanwhile.
	// +optional
	Disturbed int32 `json:"disturbed,omitempty"`
	// Retries are the attempts beyond the first ones.
	// +optional
	Retries int32 `json:"retries,omitempty"`
}

// Placement is the nodes that a run holds from its start to its end.
type Placement struct {
	// Clients are the nodes of the client pods.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	ClientNodeNames []string `json:"clients,omitempty"`
	// Targets are the nodes of the database pods.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Targets []TargetPlacement `json:"targets,omitempty"`
}

// TargetPlacement is the node of a database pod.
type TargetPlacement struct {
	// Name of the target.
	Name string `json:"name"`
	// Node of its pod.
	NodeName string `json:"node"`
	// Replicas are the nodes of its replicas.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	ReplicaNodeNames []string `json:"replicas,omitempty"`
}

// PlanStatus says where the plan is stored.
type PlanStatus struct {
	// Trials in the plan, 1 to 20,000.
	TrialCount int32 `json:"trials"`
	// Cells of the matrix, without those that are excluded.
	CellCount int32 `json:"cells"`
	// Seed of the order and of the tools' random numbers: design.seed, or what followed from
	// the spec.
	// +optional
	Seed *int64 `json:"seed,omitempty"`
	// SHA256 of the plan in its canonical form, in hexadecimal: same spec and seed,
	// same hash.
	SHA256 string `json:"sha256"`
	// Parts: the ConfigMaps RUN-plan-0000 and so on.
	ConfigMapCount int32 `json:"parts"`
}

// ResultsStatus says where the results are stored.
type ResultsStatus struct {
	// Records is the number of ConfigMaps RUN-records-0000 and so on, with what became
	// of every attempt at a trial and the names of the ConfigMaps with its results.
	RecordConfigMapCount int32 `json:"records"`
	// Summary is the number of ConfigMaps RUN-summary-0000 and so on.
	// +optional
	SummaryConfigMapCount int32 `json:"summary,omitempty"`
	// SummaryEntries is the number of entries of the whole summary, in these ConfigMaps.
	// +optional
	SummaryEntryCount int32 `json:"summaryEntries,omitempty"`
	// SummaryShown is how many of them stand in status.summary.
	// +optional
	ShownEntryCount int32 `json:"summaryShown,omitempty"`
}

// Resolved pins the inputs of a run.
type Resolved struct {
	// ClientShape that the clients got.
	ClientShape InstanceShapeSpec `json:"clientShape"`
	// AgentImage in the database pods, and in the client pods of a custom tool.
	AgentImage string `json:"agentImage"`
	// RunnerImage of the client pods.
	RunnerImage string `json:"runnerImage"`
	// RunnerImages by their names in the catalogue, where cells need different ones;
	// RunnerImage is then that of the first cell.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	RunnerImages []RunnerImage `json:"runnerImages,omitempty"`
	// Inputs are the files that the workload names, as they were when the run was
	// accepted; absent without any.
	// +optional
	Inputs *ResolvedInputs `json:"inputs,omitempty"`
	// Targets, in the order of the spec.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Targets []ResolvedTarget `json:"targets"`
}

// RunnerImage is an image of the client pods.
type RunnerImage struct {
	// Name in the catalogue of the operator's configuration.
	Name string `json:"name"`
	// Image of that name.
	Image string `json:"image"`
}

// ResolvedInputs are the files of a workload, pinned.
type ResolvedInputs struct {
	// ConfigMap of the run that holds the copy.
	ConfigMap string `json:"configMap"`
	// SHA256 of the names and contents, in hexadecimal: that of what sha256sum prints of
	// the files in the order of their names.
	SHA256 string `json:"sha256"`
}

// ResolvedTarget pins the inputs of a target.
type ResolvedTarget struct {
	// Name of the target.
	Name string `json:"name"`
	// Shape of the database pod; absent for an external target.
	// +optional
	Shape *InstanceShapeSpec `json:"shape,omitempty"`
	// Image of the database server; absent for an external target.
	// +optional
	Image string `json:"image,omitempty"`
	// Settings of the server: those of configFrom and config, merged, and those that
	// Assay derives; the source tells them apart.
	// +optional
	// +listType=atomic
	Settings []ServerSetting `json:"settings,omitempty"`
	// PublishedSHA256 of the numbers of a published target, in hexadecimal.
	// +optional
	PublishedSHA256 string `json:"publishedSHA256,omitempty"`
}

// SettingSource is where a setting of a server comes from.
// +kubebuilder:validation:Enum=Spec;Shape;Workload;Replication
type SettingSource string

// Sources of settings.
const (
	// SourceSpec: config and configFrom.
	SourceSpec SettingSource = "Spec"
	// SourceShape: derived from the shape of the target (sizing: Shape).
	SourceShape SettingSource = "Shape"
	// SourceWorkload: a limit that the workload would exceed.
	SourceWorkload SettingSource = "Workload"
	// SourceReplication: what replication needs.
	SourceReplication SettingSource = "Replication"
)

// ServerSetting is one setting of a server.
type ServerSetting struct {
	// Name as in my.cnf.
	Name string `json:"name"`
	// Value; empty for a setting without one.
	// +optional
	Value string `json:"value,omitempty"`
	// Source of the setting; absent where it is what a server answered.
	// +optional
	Source SettingSource `json:"source,omitempty"`
}

// SettingDifference is a setting whose effective value is not the requested one.
type SettingDifference struct {
	// Name as in my.cnf.
	Name string `json:"name"`
	// Requested value.
	Requested string `json:"requested"`
	// Source of the setting; absent for the storage engine of the target.
	// +optional
	Source SettingSource `json:"source,omitempty"`
	// Effective value, as SHOW GLOBAL VARIABLES answered; absent when the server has
	// no such variable.
	// +optional
	Effective *string `json:"effective,omitempty"`
}

// TargetStatus is a database as it really ran.
type TargetStatus struct {
	// Name of the target.
	Name string `json:"name"`
	// Address that clients connect to.
	// +optional
	Address string `json:"address,omitempty"`
	// Image as the container runtime resolved it, by digest.
	// +optional
	ImageID string `json:"imageID,omitempty"`
	// AgentImageID is the image of the agent in the database pod, by digest.
	// +optional
	AgentImageID string `json:"agentImageID,omitempty"`
	// Node that the database pod runs on.
	// +optional
	NodeName *NodeInfo `json:"node,omitempty"`
	// ServerVersion as SELECT VERSION() answered.
	// +optional
	ServerVersion string `json:"serverVersion,omitempty"`
	// Restarts of the database container.
	// +optional
	RestartCount *int32 `json:"restarts,omitempty"`
	// QOSClass of the database pod; Guaranteed unless something changed it.
	// +optional
	QOSClass string `json:"qosClass,omitempty"`
	// Durability are the settings that decide what a commit costs, as the server answered:
	// whether the log of the storage engine and a binary log are written and flushed for each.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Durability []ServerSetting `json:"durability,omitempty"`
	// NonDefault are global variables whose value is not the server's own default, at
	// most 40, by name; all of them are in the load result.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	NonDefault []ServerSetting `json:"nonDefault,omitempty"`
	// Differences are settings that the server ignored or changed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Differences []SettingDifference `json:"differences,omitempty"`
	// Load is what loading the data took, observed once, so without a spread: its time,
	// the rows of the tables, rows per second, and the tool's own figures of the load. At
	// most 40 entries; all of them are in the load result.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Load []Value `json:"load,omitempty"`
	// LoadResult is the ConfigMap with the result of loading the data.
	// +optional
	LoadResult string `json:"loadResult,omitempty"`
	// InvalidatedBy are the findings of loading that make every trial of the target
	// invalid. None is left out, unlike in status.findings.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	InvalidatedBy []Finding `json:"invalidatedBy,omitempty"`
	// CleanupResult is the ConfigMap with the result of dropping the workload's
	// tables; only for an external target.
	// +optional
	CleanupResult string `json:"cleanupResult,omitempty"`
	// TLS of a connection of the benchmark's account, as the server told when the data
	// was loaded, such as "TLSv1.3 TLS_AES_256_GCM_SHA384"; none when it was not
	// encrypted.
	// +optional
	TLS string `json:"tls,omitempty"`
	// Storage of the data directory; absent for an external target.
	// +optional
	Storage *StorageStatus `json:"storage,omitempty"`
	// RoundTrip between client and server, the median in ms, when the data was loaded.
	// +optional
	RoundTripSeconds string `json:"roundTrip,omitempty"`
	// CommitFsyncs is how many times the server forced its log to the device for each
	// of the commits of the check before loading; absent where it does not tell.
	// +optional
	FsyncsPerCommit string `json:"commitFsyncs,omitempty"`
	// Replicas of the target.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	Replicas []ReplicaStatus `json:"replicas,omitempty"`
	// Quoted are the numbers of a published target, at most 40, the main ones first; all
	// of them are in the ConfigMap RUN-TARGET-quoted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Quoted []QuotedValue `json:"quoted,omitempty"`
	// Source of the quoted numbers.
	// +optional
	Source string `json:"source,omitempty"`
}

// StorageStatus is where a data directory lies, as the kernel says.
type StorageStatus struct {
	// Filesystem such as ext4 or tmpfs.
	// +optional
	Filesystem string `json:"filesystem,omitempty"`
	// Device such as /dev/nvme1n1.
	// +optional
	Device string `json:"device,omitempty"`
	// WriteCache of the block device as the node's kernel believes it: WriteBack (a flush empties
	// it) or WriteThrough (a flush has nothing to do); empty where it cannot be read.
	// +optional
	WriteCache string `json:"writeCache,omitempty"`
	// FsyncP50 and FsyncP99 are percentiles of the time of an fdatasync of 4 KiB, in ms.
	// +optional
	FsyncP50Seconds string `json:"fsyncP50,omitempty"`
	// +optional
	FsyncP99Seconds string `json:"fsyncP99,omitempty"`
}

// ReplicaStatus is a replica of a target.
type ReplicaStatus struct {
	// Index from 0.
	Index int32 `json:"index"`
	// Node of its pod.
	// +optional
	NodeName string `json:"node,omitempty"`
	// Ready: it accepts logins and applies what the primary sends.
	// +optional
	Ready bool `json:"ready,omitempty"`
	// Restarts of its database container.
	// +optional
	RestartCount *int32 `json:"restarts,omitempty"`
}

// QuotedValue is one number that somebody else measured.
type QuotedValue struct {
	// Phase that it is of.
	// +kubebuilder:validation:Enum=load;run
	Stage string `json:"phase"`
	// Name of the measurement, such as throughput.
	Name string `json:"name"`
	// Labels that tell measurements of one name apart.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Value as a decimal number, digit by digit as it was published.
	Value string `json:"value"`
	// Unit such as ops/s or ms.
	Unit string `json:"unit"`
}

// NodeInfo is what a node says of itself.
type NodeInfo struct {
	// Name of the node.
	Name string `json:"name"`
	// InstanceType is the label node.kubernetes.io/instance-type.
	// +optional
	InstanceType string `json:"instanceType,omitempty"`
	// KernelVersion of the node.
	// +optional
	KernelVersion string `json:"kernelVersion,omitempty"`
	// Architecture of the node.
	// +optional
	Architecture string `json:"architecture,omitempty"`
	// OSImage of the node.
	// +optional
	OSImage string `json:"osImage,omitempty"`
	// ContainerRuntime of the node, with its version.
	// +optional
	ContainerRuntime string `json:"containerRuntime,omitempty"`
	// KubeletVersion of the node.
	// +optional
	KubeletVersion string `json:"kubeletVersion,omitempty"`
	// CPUModel of the node, as its pod read it.
	// +optional
	CPUModel string `json:"cpuModel,omitempty"`
}

// TrialState is how a trial stands.
// +kubebuilder:validation:Enum=Running;Succeeded;Failed
type TrialState string

// Trial states.
const (
	TrialRunning   TrialState = "Running"
	TrialSucceeded TrialState = "Succeeded"
	TrialFailed    TrialState = "Failed"
)

// TrialStatus is one attempt at a trial that has begun.
type TrialStatus struct {
	// Index in the plan, from 0.
	Index int32 `json:"index"`
	// Attempt at the trial, from 0; more than 0 only with onTrialFailure: Retry.
	// +optional
	Attempt int32 `json:"attempt,omitempty"`
	// Block is the repetition, from 0.
	Block int32 `json:"block"`
	// Cell is the index of the cell in the plan, from 0.
	// +optional
	Cell int32 `json:"cell"`
	// Parameters are the values of the cell, by the names of the axes.
	// +optional
	Parameters map[string]intstr.IntOrString `json:"parameters,omitempty"`
	// Target that was measured.
	Target string `json:"target"`
	// State of the attempt.
	State TrialState `json:"state"`
	// Reason of a failure, from the list in docs/conditions.md.
	// +optional
	Reason string `json:"reason,omitempty"`
	// Message of a failure.
	// +optional
	Message string `json:"message,omitempty"`
	// Valid is false when the result contradicts itself: such a trial is kept,
	// and not part of the summary. Absent until the result was checked.
	// +optional
	Valid *bool `json:"valid,omitempty"`
	// Disturbed is true when something else happened during the measured window:
	// such a trial is kept, and not part of the summary.
	// +optional
	Disturbed bool `json:"disturbed,omitempty"`
	// LimitedBy names the limits that the trial ran into by its own work, at most one entry
	// for each. They are part of the result, and no reason to leave it out.
	// +optional
	// +listType=map
	// +listMapKey=by
	// +kubebuilder:validation:MaxItems=4
	LimitedBy []Limit `json:"limitedBy,omitempty"`
	// Saturated is true when the target did not keep up with the rate of an open loop: the
	// latencies then grow with the length of the window, and are no steady-state figures.
	// +optional
	Saturated bool `json:"saturated,omitempty"`
	// MachineSpeed of the nodes of the trial, measured by a short fixed kernel just before
	// the trial; an entry for each side and kernel.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	MachineSpeed []MachineSpeed `json:"machineSpeed,omitempty"`
	// Nodes that the client pods ran on, in the order of the clients.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	ClientNodeNames []string `json:"nodes,omitempty"`
	// TargetNode that the database ran on; absent for an external target.
	// +optional
	TargetNodeName string `json:"targetNode,omitempty"`
	// ClientImageID is the runner's image as the container runtime resolved it.
	// +optional
	ClientImageID string `json:"clientImageID,omitempty"`
	// ClientQOSClass of the client pods; Guaranteed unless something changed it.
	// +optional
	ClientQOSClass string `json:"clientQOSClass,omitempty"`
	// MeasureStarted is the start of the measured window, on the clock of the first
	// client.
	// +optional
	WindowStartTime *metav1.MicroTime `json:"measureStarted,omitempty"`
	// MeasureEnded is the end of the measured window, on the clock of the first
	// client.
	// +optional
	WindowEndTime *metav1.MicroTime `json:"measureEnded,omitempty"`
	// Ended is when the manager recorded the end.
	// +optional
	CompletionTime *metav1.MicroTime `json:"ended,omitempty"`
	// StartSkew is how much later the last client began to measure than the first,
	// in seconds, the offsets of the clients' clocks taken out; absent with one client, and
	// where the clocks are not known.
	// +optional
	StartSkewSeconds string `json:"startSkew,omitempty"`
	// StartSkewUncertainty is by how much StartSkew may be wrong, in seconds, for want of
	// knowing the clocks better, and when exactly a tool began that does not tell it: a skew
	// below it is none.
	// +optional
	StartSkewUncertaintySeconds string `json:"startSkewUncertainty,omitempty"`
	// ResetTime is how long putting the data back took, in seconds; it is no part of
	// the warm-up or the measured window. Absent without a reset.
	// +optional
	ResetSeconds string `json:"resetTime,omitempty"`
	// Values of the runner's main measurements, at most 60.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=60
	Values []Value `json:"values,omitempty"`
	// Result is the ConfigMap with the whole result and the raw output of the first
	// client; those of other clients end in -1, -2 and so on.
	// +optional
	Result string `json:"result,omitempty"`
}

// LimitKind is what held back what was measured.
// +kubebuilder:validation:Enum=CPU;Memory;Client
type LimitKind string

// Limits that a trial may run into by its own work.
const (
	// LimitCPU: the target used up the CPU of its shape.
	LimitCPU LimitKind = "CPU"
	// LimitMemory: the target waited for memory within the limit of its shape.
	LimitMemory LimitKind = "Memory"
	// LimitClient: a client was at its own CPU limit, so that the numbers tell of the
	// client too.
	LimitClient LimitKind = "Client"
)

// Limit that a trial ran into by its own work.
type Limit struct {
	// By is CPU, Memory or Client.
	By LimitKind `json:"by"`
	// ThrottledShare is the share (0 to 1) of the periods of CPU bandwidth enforcement
	// (100 ms each) inside the measured window in which the container had to wait, as a
	// decimal number; absent where it is not known. Of several clients the largest.
	// +optional
	ThrottledShare string `json:"throttledShare,omitempty"`
}

// MachineSpeed is the speed of a node, measured just before a trial.
type MachineSpeed struct {
	// Side is client or target.
	// +kubebuilder:validation:Enum=client;target
	Side string `json:"side"`
	// Kernel is what was timed: integer and memory (the mean time of one repetition by the
	// clock, which holds what the thread waited for a CPU), integer-cpu and memory-cpu (the CPU
	// time of the same), fsync (the median of some on the target's storage), round-trip (the
	// median of some from the client to the server).
	Kernel string `json:"kernel"`
	// Value is the time that the kernel took, as a decimal number.
	Seconds string `json:"value"`
	// Unit of the value, such as ms.
	Unit string `json:"unit"`
}

// NodeSpeed is the speed of a node over the trials of a run.
type NodeSpeed struct {
	// Side is client or target.
	// +kubebuilder:validation:Enum=client;target
	Side string `json:"side"`
	// Node that was measured; empty where it is not known.
	// +optional
	NodeName string `json:"node,omitempty"`
	// Target that the kernel depends on (fsync, round-trip); empty for the others.
	// +optional
	Target string `json:"target,omitempty"`
	// Kernel is what was timed: see MachineSpeed.
	Kernel string `json:"kernel"`
	// Median, Min and Max over the trials, as decimal numbers.
	MedianSeconds string `json:"median"`
	MinSeconds    string `json:"min"`
	MaxSeconds    string `json:"max"`
	// Drift is the second half of the trials over the first (1.05 is 5 % slower), as a decimal
	// number; empty where there are fewer than twelve trials.
	// +optional
	DriftRatio string `json:"drift,omitempty"`
	// Unit of the values, such as ms.
	Unit string `json:"unit"`
	// N is the number of trials.
	TrialCount int32 `json:"n"`
}

// Value is one measured number. A number that was not measured has no entry.
type Value struct {
	// Name of the measurement, such as throughput.
	Name string `json:"name"`
	// Labels that tell measurements of one name apart, such as {"operation": "read"}.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Value as a decimal number.
	Value string `json:"value"`
	// Unit such as tx/s or ms.
	Unit string `json:"unit"`
	// Direction is HigherIsBetter or LowerIsBetter; absent for plain facts.
	// +optional
	Direction string `json:"direction,omitempty"`
}

// SummaryEntry is one measurement of one target in one cell over all its valid,
// undisturbed trials.
type SummaryEntry struct {
	// Cell is the index of the cell in the plan, from 0.
	// +optional
	Cell int32 `json:"cell"`
	// Parameters are the values of the cell, by the names of the axes.
	// +optional
	Parameters map[string]intstr.IntOrString `json:"parameters,omitempty"`
	// Target that was measured.
	Target string `json:"target"`
	// Name of the measurement, such as throughput.
	Name string `json:"name"`
	// Labels that tell measurements of one name apart, such as {"operation": "read"}.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Unit such as tx/s or ms.
	Unit string `json:"unit"`
	// Direction is HigherIsBetter or LowerIsBetter.
	// +optional
	Direction string `json:"direction,omitempty"`
	// Median of the trials; absent, as Min and Max, when N is 0.
	// +optional
	Median string `json:"median,omitempty"`
	// Min of the trials.
	// +optional
	Min string `json:"min,omitempty"`
	// Max of the trials.
	// +optional
	Max string `json:"max,omitempty"`
	// IntervalLow is the lower end of the distribution-free interval of the
	// median (confidence at least 95 %); absent for fewer than 6 trials.
	// +optional
	IntervalLow string `json:"intervalLow,omitempty"`
	// IntervalHigh is the upper end of that interval.
	// +optional
	IntervalHigh string `json:"intervalHigh,omitempty"`
	// IntervalCoverage is the probability (0.95 to 1) with which an interval made this way
	// holds the true median; more than 0.95 because ranks are whole numbers.
	// +optional
	IntervalCoverage string `json:"intervalCoverage,omitempty"`
	// N is the number of trials behind the median.
	TrialCount int32 `json:"n"`
	// Planned is the number of trials of the target in the cell: one for each block.
	// +optional
	PlannedTrialCount int32 `json:"planned,omitempty"`
	// LeftOut counts the trials that are not behind the median, by the reason; N and these
	// add up to Planned.
	// +optional
	// +listType=map
	// +listMapKey=reason
	// +kubebuilder:validation:MaxItems=6
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// WithDisturbed is the same over all valid trials, the disturbed ones and those of their
	// blocks included; absent when none was left out for a disturbance.
	// +optional
	WithDisturbed *Spread `json:"withDisturbed,omitempty"`
	// LimitedBy names the limits that trials behind the median ran into.
	// +optional
	// +listType=map
	// +listMapKey=by
	// +kubebuilder:validation:MaxItems=4
	LimitedBy []LimitCount `json:"limitedBy,omitempty"`
	// Saturated is the number of trials behind the median in which the target did not keep
	// up with the rate that was offered.
	// +optional
	SaturatedTrialCount int32 `json:"saturated,omitempty"`
	// Caveat says why the value is not what its name suggests, such as a percentile of the
	// latency that the period of CPU bandwidth enforcement decides; empty where nothing is
	// known against it.
	// +optional
	Caveat string `json:"caveat,omitempty"`
}

// LeftOut counts trials that are not behind a median.
type LeftOut struct {
	// Reason: Failed (no result), Invalid (it contradicts itself), Disturbed (by a cause
	// outside of what is measured), BlockDisturbed (a trial that it is compared with was),
	// NoValue (the measurement has no number), NotRun (the run ended before).
	// +kubebuilder:validation:Enum=Failed;Invalid;Disturbed;BlockDisturbed;NoValue;NotRun
	Reason LeftOutReason `json:"reason"`
	// N is the number of trials.
	TrialCount int32 `json:"n"`
}

// LeftOutReason is why a trial is not behind a median.
type LeftOutReason string

// Reasons for which trials are left out.
const (
	LeftOutFailed         LeftOutReason = "Failed"
	LeftOutInvalid        LeftOutReason = "Invalid"
	LeftOutDisturbed      LeftOutReason = "Disturbed"
	LeftOutBlockDisturbed LeftOutReason = "BlockDisturbed"
	LeftOutNoValue        LeftOutReason = "NoValue"
	LeftOutNotRun         LeftOutReason = "NotRun"
)

// Spread of a measurement over trials, as decimal numbers.
type Spread struct {
	// Median of the trials.
	Median string `json:"median"`
	// Min of the trials.
	Min string `json:"min"`
	// Max of the trials.
	Max string `json:"max"`
	// N is the number of trials.
	TrialCount int32 `json:"n"`
}

// LimitCount says how many trials ran into a limit.
type LimitCount struct {
	// By is CPU, Memory or Client.
	By LimitKind `json:"by"`
	// N is the number of trials.
	TrialCount int32 `json:"n"`
	// ThrottledShare is the median over these trials of the share (0 to 1) of throttled
	// periods, as a decimal number; absent where it is not known.
	// +optional
	ThrottledShare string `json:"throttledShare,omitempty"`
}

// Finding is what a validity check found.
type Finding struct {
	// Trial is the index of the trial that the finding is about.
	// +optional
	Trial *int32 `json:"trial,omitempty"`
	// Client is the index of the client that the finding is about, where there are
	// several.
	// +optional
	Client *int32 `json:"client,omitempty"`
	// Target that the finding is about.
	// +optional
	Target string `json:"target,omitempty"`
	// Check that found it.
	Check string `json:"check"`
	// Severity is Invalid (the number must not be used), Disturbed (something outside of what
	// is measured happened meanwhile; not used either), Warning (the number is used; the
	// reader should know) or Note (a fact, and nothing against the number).
	// +kubebuilder:validation:Enum=Invalid;Disturbed;Warning;Note
	Severity string `json:"severity"`
	// Message with the numbers that contradict each other.
	Message string `json:"message"`
}
