package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DataSet names the loaded data of a run, so that it is loaded once and restored from then on. It is kept as an archive of the stopped
// server's data directory in the object store of the operator (results.store), one for each key: what the bytes depend on. One client
// loads, also of a tool that can share a load between clients.
type DataSet struct {
	// name of the data set in the namespace of the run. Other namespaces cannot read it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// policy says what the run does with the data set. UseOrMake (the default) restores the archive that fits a target; where there is none, the tool loads the data and the archive
	// is made of it, or status.findings says why not. Use never loads: a run without an archive that fits fails with DataSetMissing. Make is UseOrMake and ends there:
	// nothing is measured.
	// +optional
	// +kubebuilder:default=UseOrMake
	Policy DataPolicy `json:"policy,omitempty"`
}

// DataPolicy says what is done with a data set.
// +kubebuilder:validation:Enum=UseOrMake;Use;Make
type DataPolicy string

// Policies of data sets.
const (
	DataUseOrMake DataPolicy = "UseOrMake"
	DataUse       DataPolicy = "Use"
	DataMake      DataPolicy = "Make"
)

// OnlyLoads says that the run ends when its data is loaded.
func (s BenchmarkRunSpec) OnlyLoads() bool { return s.Data != nil && s.Data.Policy == DataMake }

// RetainedVolume is the volume of a target of a run that has ended, with storage.retain. One run at a time measures on it.
// +kubebuilder:object:generate=false
type RetainedVolume struct {
	// name of the run, in the namespace of this one.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// target of that run; absent: that with the name of this target.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	Target string `json:"target,omitempty"`

	// allowWrites lets a workload write into the data of the volume, where it stays for the runs after this one. Without it, a workload
	// that may write is refused.
	// +optional
	AllowWrites bool `json:"allowWrites,omitempty"`
}

// SourceSnapshot is a VolumeSnapshot that is there, in the namespace of the run.
// +kubebuilder:object:generate=false
type SourceSnapshot struct {
	// name of the VolumeSnapshot. Whoever creates the run needs the right to create PersistentVolumeClaims: that is how Kubernetes
	// gives out what is in it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
}

// MadeSnapshot is a VolumeSnapshot that a run makes.
// +kubebuilder:object:generate=false
type MadeSnapshot struct {
	// name of the VolumeSnapshot, in the namespace of the run, where there is none of that name yet, and no other run is to make it. Whoever
	// creates the run needs the right to create VolumeSnapshots.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`

	// className is its VolumeSnapshotClass; absent: the default class of the driver of the volume. It is looked at when the VolumeSnapshot is
	// made, by its controller.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ClassName string `json:"className,omitempty"`
}

// TargetData is how a target came by its data: of a run with spec.data, or on a volume that is retained, is of an earlier run, or was made of a
// VolumeSnapshot.
type TargetData struct {
	// key is the SHA-256 of all that the bytes of the data depend on: image and settings of the server, image of the tool, and the load.
	// Absent without spec.data, and for data of an earlier run that may have been written into since it was loaded.
	// +optional
	Key Digest `json:"key,omitempty"`
	// origin is Restored (from an archive), Made (loaded, and kept as an archive), Loaded (loaded, while another run kept its own, or no
	// archive could be made: status.findings says why), Retained (left on its volume by the run in status.resolved) or Snapshot (of the
	// VolumeSnapshot in status.resolved).
	// +required
	// +kubebuilder:validation:Enum=Restored;Made;Loaded;Retained;Snapshot
	Origin DataOrigin `json:"origin"`
	// archive is the SHA-256 of the manifest of the archive, in hexadecimal; absent where the data is not that of one.
	// +optional
	Archive Digest `json:"archive,omitempty"`
	// madeTime is when the data was loaded: by this run, or by the run that made the archive or the VolumeSnapshot, or retained the
	// volume. Of a VolumeSnapshot that no run made, it is when that was taken.
	// +required
	MadeTime metav1.Time `json:"madeTime"`
	// writer is the run that was let write into the data of an earlier run last, and since when: it may be this run. Absent where none was
	// after the run that loaded it.
	// +optional
	Writer Name `json:"writer,omitempty"`
	// bytes of the data directory, before compression; absent where no archive could be made.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Bytes *int64 `json:"bytes,omitempty"`
}

// DataOrigin is where the data of a target came from.
type DataOrigin string

// Origins of data.
const (
	DataOriginRestored DataOrigin = "Restored"
	DataOriginMade     DataOrigin = "Made"
	DataOriginLoaded   DataOrigin = "Loaded"
	DataOriginRetained DataOrigin = "Retained"
	DataOriginSnapshot DataOrigin = "Snapshot"
)
