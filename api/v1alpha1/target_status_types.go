package v1alpha1

// TargetStatus is a database as it ran.
type TargetStatus struct {
	// name of the target.
	// +required
	Name string `json:"name"`
	// address that clients connect to.
	// +optional
	Address string `json:"address,omitempty"`
	// imageID is the server's image as the container runtime resolved it, by digest.
	// +optional
	ImageID string `json:"imageID,omitempty"`
	// agentImageID is the image of the agent in the database pod, by digest.
	// +optional
	AgentImageID string `json:"agentImageID,omitempty"`
	// nodeName is the node that the database pod runs on; status.nodes describes it.
	// +optional
	NodeName string `json:"nodeName,omitempty"`
	// serverVersion as SELECT VERSION() answered.
	// +optional
	ServerVersion string `json:"serverVersion,omitempty"`
	// restartCount is the number of restarts of the database container.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RestartCount *int32 `json:"restartCount,omitempty"`
	// qosClass of the database pod; Guaranteed unless something changed it.
	// +optional
	QOSClass string `json:"qosClass,omitempty"`
	// durability are the settings that decide what a commit costs, as the server answered:
	// whether the log of the storage engine and a binary log are written and flushed for each.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Durability []ServerSetting `json:"durability,omitempty"`
	// nonDefault are global variables whose value is not the server's own default, at
	// most 40, by name; the load result has all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	NonDefault []ServerSetting `json:"nonDefault,omitempty"`
	// differences are settings that the server ignored or changed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Differences []SettingDifference `json:"differences,omitempty"`
	// load is what loading the data took, observed once, so without a spread: its time,
	// the rows of the tables, rows per second, and the tool's own figures of the load. At
	// most 40 entries; the load result has all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Load []Value `json:"load,omitempty"`
	// loadResult is the ConfigMap with the result of loading the data; absent until the
	// data is loaded.
	// +optional
	LoadResult string `json:"loadResult,omitempty"`
	// InvalidatedBy are the findings of loading that make every trial of the target
	// invalid. None is left out, unlike in status.findings.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	InvalidatedBy []Finding `json:"invalidatedBy,omitempty"`
	// cleanupResult is the ConfigMap with the result of dropping the workload's
	// tables; only for an external target.
	// +optional
	CleanupResult string `json:"cleanupResult,omitempty"`
	// tls of a session of the benchmark's account, as the server reported it when the data
	// was loaded. Absent before, and where the session is not encrypted.
	// +optional
	TLS *TLSStatus `json:"tls,omitempty"`
	// storage of the data directory; absent for an external target.
	// +optional
	Storage *StorageStatus `json:"storage,omitempty"`
	// roundTripSeconds is the median time of a round trip between client and server when
	// the data was loaded, as a decimal number.
	// +optional
	RoundTripSeconds string `json:"roundTripSeconds,omitempty"`
	// fsyncsPerCommit is the number of log flushes per commit, measured before loading, as a
	// decimal number; absent where the server does not count them.
	// +optional
	FsyncsPerCommit string `json:"fsyncsPerCommit,omitempty"`
	// replicas of the target.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	Replicas []ReplicaStatus `json:"replicas,omitempty"`
	// quoted are the numbers of a published target, at most 40, the main ones first; the
	// ConfigMap RUN-TARGET-quoted has all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Quoted []QuotedValue `json:"quoted,omitempty"`
	// source of the quoted numbers.
	// +optional
	Source string `json:"source,omitempty"`
}

// TLSStatus is the encryption of a session.
type TLSStatus struct {
	// version of the protocol, such as TLSv1.3.
	// +required
	Version string `json:"version"`
	// cipher such as TLS_AES_256_GCM_SHA384; absent where the server does not report it.
	// +optional
	Cipher string `json:"cipher,omitempty"`
}

// StorageStatus is where a data directory lies, as the kernel says.
type StorageStatus struct {
	// filesystem such as ext4 or tmpfs.
	// +optional
	Filesystem string `json:"filesystem,omitempty"`
	// device such as /dev/nvme1n1.
	// +optional
	Device string `json:"device,omitempty"`
	// writeCache of the block device as the node's kernel reports it: WriteBack (a flush
	// empties it) or WriteThrough (a flush has nothing to do); absent where it cannot be read.
	// +optional
	WriteCache string `json:"writeCache,omitempty"`
	// fsyncP50Seconds is the median time of an fdatasync of 4 KiB, as a decimal number.
	// +optional
	FsyncP50Seconds string `json:"fsyncP50Seconds,omitempty"`
	// fsyncP99Seconds is the 99th percentile of the same.
	// +optional
	FsyncP99Seconds string `json:"fsyncP99Seconds,omitempty"`
}

// ReplicaStatus is a replica of a target.
type ReplicaStatus struct {
	// index from 0.
	// +required
	// +kubebuilder:validation:Minimum=0
	Index int32 `json:"index"`
	// nodeName is the node of its pod.
	// +optional
	NodeName string `json:"nodeName,omitempty"`
	// ready is true when it accepts logins and applies what the primary sends.
	// +optional
	Ready bool `json:"ready,omitempty"`
	// restartCount is the number of restarts of its database container.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RestartCount *int32 `json:"restartCount,omitempty"`
}

// QuotedValue is one number that somebody else measured.
type QuotedValue struct {
	// stage of the benchmark that it is of: Load or Run.
	// +required
	Stage QuotedStage `json:"stage"`
	// name of the measurement, such as throughput.
	// +required
	Name string `json:"name"`
	// labels that tell measurements of one name apart.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// value as a decimal number, digit by digit as it was published.
	// +required
	Value string `json:"value"`
	// unit such as ops/s or ms.
	// +required
	Unit string `json:"unit"`
}

// QuotedStage is the stage of a benchmark that a quoted number is of.
// +kubebuilder:validation:Enum=Load;Run
type QuotedStage string

// Stages of a benchmark of which numbers are quoted.
const (
	QuotedLoad QuotedStage = "Load"
	QuotedRun  QuotedStage = "Run"
)

// NodeInfo describes a node that a pod of the run has run on.
type NodeInfo struct {
	// name of the node.
	// +required
	Name string `json:"name"`
	// instanceType is the label node.kubernetes.io/instance-type.
	// +optional
	InstanceType string `json:"instanceType,omitempty"`
	// kernelVersion of the node.
	// +optional
	KernelVersion string `json:"kernelVersion,omitempty"`
	// architecture of the node.
	// +optional
	Architecture string `json:"architecture,omitempty"`
	// osImage of the node.
	// +optional
	OSImage string `json:"osImage,omitempty"`
	// containerRuntime of the node, with its version.
	// +optional
	ContainerRuntime string `json:"containerRuntime,omitempty"`
	// kubeletVersion of the node.
	// +optional
	KubeletVersion string `json:"kubeletVersion,omitempty"`
	// cpuModel of the node, as a pod of the run read it.
	// +optional
	CPUModel string `json:"cpuModel,omitempty"`
}
