package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// TargetStatus is a database as it ran.
type TargetStatus struct {
	// name of the target.
	// +required
	Name Name `json:"name"`
	// address that clients connect to.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Address string `json:"address,omitempty"`
	// imageID is the digest of the server's image, from the container runtime.
	// +optional
	ImageID Line `json:"imageID,omitempty"`
	// agentImageID is the digest of the agent's image in the database pod.
	// +optional
	AgentImageID Line `json:"agentImageID,omitempty"`
	// nodeName is the node that the database pod runs on; status.nodes describes it.
	// +optional
	NodeName Name `json:"nodeName,omitempty"`
	// serverVersion is the result of SELECT VERSION().
	// +optional
	ServerVersion Name `json:"serverVersion,omitempty"`
	// restartCount is the number of restarts of the database container.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RestartCount *int32 `json:"restartCount,omitempty"`
	// qosClass of the database pod; Guaranteed unless another component changed the pod.
	// +optional
	QOSClass Name `json:"qosClass,omitempty"`
	// durability are the settings that decide whether the storage engine's log and the binary
	// log are flushed for each commit, as the server reports them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Durability []ServerSetting `json:"durability,omitempty"`
	// nonDefault are global variables that differ from the server's own defaults, at most 40,
	// sorted by name. The load result has all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	NonDefault []ServerSetting `json:"nonDefault,omitempty"`
	// differences are settings whose effective value differs from the requested value.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Differences []SettingDifference `json:"differences,omitempty"`
	// load has the measurements of loading the data: time, rows, rows per second, and the
	// tool's own figures. They are measured once, so there is no spread. At most 40 entries;
	// the load result has all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Load []Value `json:"load,omitempty"`
	// data is how the target came by its data; absent without spec.data and a volume that is retained, of an earlier run or made of a
	// VolumeSnapshot, and until it has it.
	// +optional
	Data *TargetData `json:"data,omitempty"`
	// snapshot is the VolumeSnapshot that was made of the volume; absent without one, and until it is ready to use.
	// +optional
	Snapshot *SnapshotStatus `json:"snapshot,omitempty"`
	// snapshotMessage is what stands in the way of that VolumeSnapshot when the run has ended, in the words of the API server or of the CSI
	// driver, or what is waited for longer than a minute; absent when nothing is.
	// +optional
	SnapshotMessage Line `json:"snapshotMessage,omitempty"`
	// snapshotOver is true when that VolumeSnapshot will never be made, because the volume is gone; snapshotMessage says why. Another run may
	// make one of its name then.
	// +optional
	SnapshotOver bool `json:"snapshotOver,omitempty"`
	// loadResult is the ConfigMap with the result of loading the data; absent until the
	// data is loaded.
	// +optional
	LoadResult Name `json:"loadResult,omitempty"`
	// invalidatedBy are all findings of loading that make every trial of the target invalid,
	// also those that status.findings no longer has room for.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	InvalidatedBy []Finding `json:"invalidatedBy,omitempty"`
	// cleanupResult is the ConfigMap with the result of dropping the tables of the workload;
	// only for an external target.
	// +optional
	CleanupResult Name `json:"cleanupResult,omitempty"`
	// tls is the encryption of a session of the benchmark's account, as the server reported it
	// when the data was loaded. Absent until then, and where the session is not encrypted.
	// +optional
	TLS *TLSStatus `json:"tls,omitempty"`
	// storage of the data directory; absent for an external target.
	// +optional
	Storage *StorageStatus `json:"storage,omitempty"`
	// roundTripSeconds is the median time of a round trip between client and server, without workload.*.delay, when
	// the data was loaded, as a decimal number.
	// +optional
	RoundTripSeconds Number `json:"roundTripSeconds,omitempty"`
	// fsyncsPerCommit is the number of log flushes per commit, measured before loading, as a
	// decimal number; absent where the server does not count them.
	// +optional
	FsyncsPerCommit Number `json:"fsyncsPerCommit,omitempty"`
	// replicas of the target.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	Replicas []ReplicaStatus `json:"replicas,omitempty"`
	// servers of the tenants from the second on, with mysql.tenancy: Servers. What the other fields say of a server is of that of the first tenant.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=7
	Servers []ServerStatus `json:"servers,omitempty"`
	// quoted are the numbers of a published target, at most 40, the main ones first; the
	// ConfigMap RUN-TARGET-quoted has all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Quoted []QuotedValue `json:"quoted,omitempty"`
	// source of the quoted numbers.
	// +optional
	Source Line `json:"source,omitempty"`
}

// SnapshotStatus is a VolumeSnapshot that the run has made.
type SnapshotStatus struct {
	// name of the VolumeSnapshot.
	// +required
	Name Name `json:"name"`
	// uid is its UID.
	// +required
	UID Digest `json:"uid"`
	// takenTime is when it was taken, as the storage says; where that does not say, when the VolumeSnapshot was created.
	// +required
	TakenTime metav1.Time `json:"takenTime"`
	// handle is the name of the snapshot on the storage; absent where the manager may not read the VolumeSnapshotContent.
	// +optional
	Handle Line `json:"handle,omitempty"`
}

// TLSStatus is the encryption of a session.
// +kubebuilder:object:generate=false
type TLSStatus struct {
	// version of the protocol, such as TLSv1.3.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Version string `json:"version"`
	// cipher such as TLS_AES_256_GCM_SHA384; absent where the server does not report it.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Cipher string `json:"cipher,omitempty"`
}

// StorageStatus describes the storage of a data directory, as the kernel reports it.
// +kubebuilder:object:generate=false
type StorageStatus struct {
	// filesystem such as ext4 or tmpfs.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Filesystem string `json:"filesystem,omitempty"`
	// device such as /dev/nvme1n1.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Device string `json:"device,omitempty"`
	// writeCache of the block device, as the node's kernel reports it: WriteBack (a flush
	// writes the cache) or WriteThrough (there is nothing to flush); absent where it cannot be
	// read.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	WriteCache string `json:"writeCache,omitempty"`
	// fsyncP50Seconds is the median time of an fdatasync of 4 KiB, as a decimal number.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	FsyncP50Seconds string `json:"fsyncP50Seconds,omitempty"`
	// fsyncP99Seconds is the 99th percentile of the time of an fdatasync of 4 KiB, as a
	// decimal number.
	// +optional
	// +kubebuilder:validation:MaxLength=512
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
	NodeName Name `json:"nodeName,omitempty"`
	// ready is true when the replica accepts logins and applies the changes of the primary.
	// +optional
	Ready bool `json:"ready,omitempty"`
	// restartCount is the number of restarts of its database container.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RestartCount *int32 `json:"restartCount,omitempty"`
}

// ServerStatus is a server of a tenant that has one of its own.
type ServerStatus struct {
	// tenant is its number, from 2.
	// +required
	// +kubebuilder:validation:Minimum=1
	Tenant int32 `json:"tenant"`
	// nodeName is the node of its pod.
	// +optional
	NodeName Name `json:"nodeName,omitempty"`
	// ready is true when the server accepts logins.
	// +optional
	Ready bool `json:"ready,omitempty"`
	// restartCount is the number of restarts of its database container.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RestartCount *int32 `json:"restartCount,omitempty"`
}

// QuotedValue is one published number.
type QuotedValue struct {
	// stage of the benchmark: Load or Run.
	// +required
	Stage QuotedStage `json:"stage"`
	// name of the measurement, such as throughput.
	// +required
	Name Name `json:"name"`
	// labels of the measurement. Measurements of one name have different labels.
	// +optional
	// +kubebuilder:validation:MaxProperties=33
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 1024)",message="names have at most 253 characters, and values at most 1024 characters"
	Labels map[string]string `json:"labels,omitempty"`
	// value as a decimal number, exactly as published.
	// +required
	Value Number `json:"value"`
	// unit such as ops/s or ms.
	// +required
	Unit Name `json:"unit"`
}

// QuotedStage is the stage of a benchmark.
// +kubebuilder:validation:Enum=Load;Run
type QuotedStage string

// Stages of a benchmark.
const (
	QuotedLoad QuotedStage = "Load"
	QuotedRun  QuotedStage = "Run"
)

// NodeInfo describes a node that pods of the run have run on.
// +kubebuilder:object:generate=false
type NodeInfo struct {
	// name of the node.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// instanceType is the label node.kubernetes.io/instance-type.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	InstanceType string `json:"instanceType,omitempty"`
	// kernelVersion of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KernelVersion string `json:"kernelVersion,omitempty"`
	// architecture of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Architecture string `json:"architecture,omitempty"`
	// osImage of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	OSImage string `json:"osImage,omitempty"`
	// containerRuntime of the node, with its version.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ContainerRuntime string `json:"containerRuntime,omitempty"`
	// kubeletVersion of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KubeletVersion string `json:"kubeletVersion,omitempty"`
	// cpuModel of the node, from /proc/cpuinfo.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	CPUModel string `json:"cpuModel,omitempty"`
}
