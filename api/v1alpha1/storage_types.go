package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// Storage of a data directory.
// +kubebuilder:validation:XValidation:rule="self.medium == 'Volume' || !has(self.storageClassName)",fieldPath=".storageClassName",message="storageClassName must be left out with medium: Memory"
// +kubebuilder:validation:XValidation:rule="self.medium == 'Volume' || !has(self.fromRun) && !has(self.fromSnapshot) && !has(self.snapshot) && (!has(self.retain) || !self.retain)",fieldPath=".medium",message="medium must be Volume with retain, fromRun, fromSnapshot and snapshot: memory is lost with its pod"
// +kubebuilder:validation:XValidation:rule="!has(self.fromRun) || !has(self.storageClassName) && (!has(self.retain) || !self.retain)",fieldPath=".fromRun",message="storageClassName and retain must be left out with fromRun: the volume is that of the other run, which has its class and keeps it"
// +kubebuilder:validation:XValidation:rule="!has(self.fromSnapshot) || !has(self.fromRun) && (!has(self.retain) || !self.retain)",fieldPath=".fromSnapshot",message="fromRun and retain must be left out with fromSnapshot: the volume is made for this run, and the snapshot stays"
// +kubebuilder:validation:XValidation:rule="!has(self.snapshot) || !has(self.fromRun) && !has(self.fromSnapshot) && (!has(self.retain) || !self.retain)",fieldPath=".snapshot",message="snapshot must be left out with fromRun, fromSnapshot and retain: it is of data that the run has loaded itself, and that no other run writes into"
type Storage struct {
	// size of the data directory's volume. With fromRun it has to be that of the other run.
	// +optional
	// +kubebuilder:default="10Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('512Mi')) >= 0",message="size must be at least 512Mi, such as 50Gi"
	// +kubebuilder:validation:XValidation:rule="type(self) == int || size(self) <= 64",message="a quantity has at most 64 characters"
	Size resource.Quantity `json:"size,omitempty"`

	// medium is Volume (a PersistentVolumeClaim) or Memory (a tmpfs, which counts against the
	// memory of the shape and has no flushes).
	// +optional
	// +kubebuilder:default=Volume
	Medium StorageMedium `json:"medium,omitempty"`

	// storageClassName of the PersistentVolumeClaim; unset means the cluster's
	// default class.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`

	// retain keeps the volume when the run has ended, until the run is deleted, so that later runs measure on it by fromRun. Pods and
	// nodes are given back as of any run. The volume of a target that was not loaded is not kept.
	// +optional
	Retain bool `json:"retain,omitempty"`

	// fromRun is the volume that a run has retained, with the data that its trials left: nothing loads, puts back or drops it. Absent: a
	// volume of the run's own.
	// +optional
	FromRun *RetainedVolume `json:"fromRun,omitempty"`

	// fromSnapshot is the VolumeSnapshot (snapshot.storage.k8s.io/v1) that the volume of the target is made of, with its data: nothing
	// loads, puts back or drops it. The volume is the run's own and goes with it, so that a workload may write, and many runs take
	// one snapshot at once. Absent: a volume that is empty at first.
	// +optional
	FromSnapshot *SourceSnapshot `json:"fromSnapshot,omitempty"`

	// snapshot is the VolumeSnapshot to make of the volume when the run is complete and the pod of its server is gone, so that later runs take
	// it by fromSnapshot. It stays until somebody deletes it. A run that fails makes none.
	// +optional
	Snapshot *MadeSnapshot `json:"snapshot,omitempty"`
}

// StorageMedium is the kind of storage of a data directory.
// +kubebuilder:validation:Enum=Volume;Memory
type StorageMedium string

// Storage media.
const (
	MediumVolume StorageMedium = "Volume"
	MediumMemory StorageMedium = "Memory"
)

// HasData says that the data of the workload is there before the run, and stays.
func (t Target) HasData() bool {
	return t.External != nil && t.External.Data == DataExisting || t.FromRun() != nil || t.FromSnapshot() != nil
}

// FromRun is the volume of an earlier run that the target measures on; nil for a volume of its own, and without one.
func (t Target) FromRun() *RetainedVolume {
	if t.MySQL == nil {
		return nil
	}
	return t.MySQL.Storage.FromRun
}

// FromSnapshot is the VolumeSnapshot that the volume of the target is made of; nil for a volume that is empty at first, and without one.
func (t Target) FromSnapshot() *SourceSnapshot {
	if t.MySQL == nil {
		return nil
	}
	return t.MySQL.Storage.FromSnapshot
}

// MakesSnapshot is the VolumeSnapshot to make of the volume of the target; nil for none.
func (t Target) MakesSnapshot() *MadeSnapshot {
	if t.MySQL == nil {
		return nil
	}
	return t.MySQL.Storage.Snapshot
}

// OwnsClaim says that the volume of the target is a claim of the run, and none that its StatefulSet makes: it outlives that, or is made of
// a VolumeSnapshot, which a StatefulSet would do again after somebody deleted the claim.
func (t Target) OwnsClaim() bool {
	return t.Retains() || t.FromSnapshot() != nil || t.MakesSnapshot() != nil
}

// Retains says that the volume of the target stays when its run has ended.
func (t Target) Retains() bool { return t.MySQL != nil && t.MySQL.Storage.Retain }

// AllowsWrites says that the workload may write into data that was there before the run; into that of a volume of the run's own it may.
func (t Target) AllowsWrites() bool {
	if from := t.FromRun(); from != nil {
		return from.AllowWrites
	}
	return t.FromSnapshot() != nil || t.External != nil && t.External.AllowWrites
}
