package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Resolved pins the inputs of a run.
type Resolved struct {
	// clientShape is the shape of the client pods.
	// +required
	ClientShape InstanceShapeSpec `json:"clientShape"`
	// agentImage is the image of the agent, in database pods and in client pods.
	// +required
	AgentImage Line `json:"agentImage"`
	// agentResources of the agent's container in a client pod, in addition to clientShape, which
	// is the tool's.
	// +required
	AgentResources AgentResources `json:"agentResources"`
	// separateFromTargets is whether clients and targets are on different nodes.
	// +optional
	SeparateFromTargets Separation `json:"separateFromTargets,omitempty"`
	// runnerImage of the client pods.
	// +required
	RunnerImage Line `json:"runnerImage"`
	// runnerImages are the images by their names in the catalogue, where cells need different
	// images. runnerImage is then the image of the first cell.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	RunnerImages []RunnerImage `json:"runnerImages,omitempty"`
	// inputs are the files of the workload, copied when the run was accepted; absent without
	// files.
	// +optional
	Inputs *ResolvedInputs `json:"inputs,omitempty"`
	// targets in the order of the spec.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Targets []ResolvedTarget `json:"targets"`
}

// AgentResources are requests and limits of the agent's container in a client pod.
type AgentResources struct {
	// cpu of the container.
	// +required
	// +kubebuilder:validation:XValidation:rule="type(self) == int || size(self) <= 64",message="a quantity has at most 64 characters"
	CPU resource.Quantity `json:"cpu"`
	// memory of the container in bytes.
	// +required
	// +kubebuilder:validation:XValidation:rule="type(self) == int || size(self) <= 64",message="a quantity has at most 64 characters"
	Memory resource.Quantity `json:"memory"`
}

// RunnerImage is an image of the client pods.
// +kubebuilder:object:generate=false
type RunnerImage struct {
	// name in the catalogue of the operator's configuration.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// image of that name.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Image string `json:"image"`
}

// ResolvedInputs are the files of a workload, pinned.
// +kubebuilder:object:generate=false
type ResolvedInputs struct {
	// configMap of the run that holds the copy.
	// +required
	// +kubebuilder:validation:MaxLength=253
	ConfigMap string `json:"configMap"`
	// sha256 of the names and contents, in hexadecimal: the SHA-256 of the output of sha256sum
	// for the files, sorted by name.
	// +required
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
}

// ResolvedTarget pins the inputs of a target.
type ResolvedTarget struct {
	// name of the target.
	// +required
	Name Name `json:"name"`
	// shape of the database pod; absent for an external target.
	// +optional
	Shape *InstanceShapeSpec `json:"shape,omitempty"`
	// image of the database server; absent for an external target.
	// +optional
	Image Line `json:"image,omitempty"`
	// settings of the server: configFrom and config, merged, and the settings that Assay
	// derives. source is where each setting comes from.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	Settings []ServerSetting `json:"settings,omitempty"`
	// publishedSHA256 is the SHA-256 of the numbers of a published target, in hexadecimal.
	// +optional
	PublishedSHA256 Digest `json:"publishedSHA256,omitempty"`
	// service is what was found behind the Service of an external target when the run was accepted;
	// absent for any other target.
	// +optional
	Service *ResolvedService `json:"service,omitempty"`
	// retained is the volume of an earlier run that the target measures on; absent for a volume of its own.
	// +optional
	Retained *ResolvedVolume `json:"retained,omitempty"`
	// snapshot is the VolumeSnapshot that the volume of the target is made of; absent for any other volume.
	// +optional
	Snapshot *ResolvedSnapshot `json:"snapshot,omitempty"`
}

// ResolvedVolume is what a volume was when the run that measures on it was accepted.
type ResolvedVolume struct {
	// runName is the run that loaded the data.
	// +required
	RunName Name `json:"runName"`
	// runUID is the UID of that run.
	// +required
	RunUID Digest `json:"runUID"`
	// target of that run.
	// +required
	Target Name `json:"target"`
	// claimName is the PersistentVolumeClaim, in the namespace of the run.
	// +required
	ClaimName Name `json:"claimName"`
	// claimUID is its UID.
	// +required
	ClaimUID Digest `json:"claimUID"`
	// outcome of the run that loaded the data: Complete, or the reason why it failed.
	// +required
	Outcome Name `json:"outcome"`
	// writer is the last of the later runs that may have written into the data, and since when; absent without such a run.
	// +optional
	Writer Name `json:"writer,omitempty"`
	// imageID is the digest of the image of the server that wrote the data, from the container runtime.
	// +required
	ImageID Line `json:"imageID"`
	// serverVersion is what that server said of itself; absent where it is unknown.
	// +optional
	ServerVersion Name `json:"serverVersion,omitempty"`
	// key of the data set of that run; absent without spec.data, and where anything may have written into the data since it was loaded.
	// +optional
	Key Digest `json:"key,omitempty"`
	// loadedTime is when the data was loaded; what that run and later ones wrote into it came after.
	// +required
	LoadedTime metav1.Time `json:"loadedTime"`
}

// ResolvedSnapshot is a VolumeSnapshot as it was when the run that measures on its data was accepted. The run that made it, and the server that
// wrote it, are as its annotation assay.dev/data says, which whoever may write VolumeSnapshots can write; absent without that.
type ResolvedSnapshot struct {
	// name of the VolumeSnapshot, in the namespace of the run.
	// +required
	Name Name `json:"name"`
	// uid is its UID.
	// +required
	UID Digest `json:"uid"`
	// takenTime is when it was taken, as the storage says; where that does not say, when the VolumeSnapshot was created.
	// +required
	TakenTime metav1.Time `json:"takenTime"`
	// contentName is the VolumeSnapshotContent that it is bound to.
	// +optional
	ContentName Name `json:"contentName,omitempty"`
	// handle is the name of the snapshot on the storage, and driver that of the CSI driver; absent where the manager may not read the
	// VolumeSnapshotContent.
	// +optional
	Handle Line `json:"handle,omitempty"`
	// driver of the storage.
	// +optional
	Driver Name `json:"driver,omitempty"`
	// runName is the run that made it of a volume that it had loaded.
	// +optional
	RunName Name `json:"runName,omitempty"`
	// runUID is the UID of that run.
	// +optional
	RunUID Digest `json:"runUID,omitempty"`
	// target of that run.
	// +optional
	Target Name `json:"target,omitempty"`
	// imageID is the digest of the image of the server that wrote the data, from the container runtime.
	// +optional
	ImageID Line `json:"imageID,omitempty"`
	// serverVersion is what that server said of itself.
	// +optional
	ServerVersion Name `json:"serverVersion,omitempty"`
	// key of the data set of that run; absent without spec.data, and where its trials may have written into the data.
	// +optional
	Key Digest `json:"key,omitempty"`
	// loadedTime is when that run loaded the data; what its trials wrote came after.
	// +optional
	LoadedTime *metav1.Time `json:"loadedTime,omitempty"`
}

// SettingSource is where a setting of a server comes from.
// +kubebuilder:validation:Enum=Spec;Shape;Workload;Replication;Starts
type SettingSource string

// Sources of settings.
const (
	// SourceSpec: config and configFrom.
	SourceSpec SettingSource = "Spec"
	// SourceShape: derived from the shape of the target (sizing: Shape).
	SourceShape SettingSource = "Shape"
	// SourceWorkload: raised because the workload needs more.
	SourceWorkload SettingSource = "Workload"
	// SourceReplication: required by replication.
	SourceReplication SettingSource = "Replication"
	// SourceStarts: a server that is started again (design.starts: PerBlock) has its buffer pool as it was.
	SourceStarts SettingSource = "Starts"
)

// ServerSetting is one setting of a server.
// +kubebuilder:object:generate=false
type ServerSetting struct {
	// name as in my.cnf.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// value of the setting; absent for a setting without one.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Value string `json:"value,omitempty"`
	// source of the setting; absent for a value that the server reported.
	// +optional
	Source SettingSource `json:"source,omitempty"`
}

// SettingDifference is a setting whose effective value differs from the requested value.
type SettingDifference struct {
	// name as in my.cnf.
	// +required
	Name Name `json:"name"`
	// requested value.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	Requested string `json:"requested"`
	// source of the setting; absent for the storage engine of the target.
	// +optional
	Source SettingSource `json:"source,omitempty"`
	// effective value, from SHOW GLOBAL VARIABLES; absent when the server has no such
	// variable.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Effective *string `json:"effective,omitempty"`
}
