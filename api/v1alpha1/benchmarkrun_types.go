package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkRunSpec is one experiment. It cannot be changed after creation, except
// suspend, retain and ttlSecondsAfterFinished: a result always belongs to its spec.
//
// +kubebuilder:validation:XValidation:rule="self.targets == oldSelf.targets",fieldPath=".targets",message="targets cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.clients == oldSelf.clients",fieldPath=".clients",message="clients cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.workload == oldSelf.workload",fieldPath=".workload",message="workload cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.design == oldSelf.design",fieldPath=".design",message="design cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.deadline == oldSelf.deadline",fieldPath=".deadline",message="deadline cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="duration(self.deadline).getSeconds() >= self.design.blocks * size(self.targets) * (duration(self.design.warmup).getSeconds() + duration(self.design.duration).getSeconds())",fieldPath=".deadline",message="deadline is shorter than blocks x targets x (warmup + duration): raise deadline, or measure less"
// +kubebuilder:validation:XValidation:rule="!has(self.workload.sysbench) || self.workload.sysbench.reportIntervalSeconds == 0 || duration(self.design.duration).getSeconds() <= 10000 * self.workload.sysbench.reportIntervalSeconds",fieldPath=".workload",message="workload.sysbench.reportIntervalSeconds: at most 10000 intervals fit into a result: raise it, or shorten design.duration"
type BenchmarkRunSpec struct {
	// Targets are the databases under test, 1 to 8. Every block measures each of
	// them once, in this order, one at a time.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Targets []Target `json:"targets"`

	// Clients are the pods that generate the load.
	Clients Clients `json:"clients"`

	// Workload is what the clients do. Exactly one tool.
	Workload Workload `json:"workload"`

	// Design says how often and how long to measure.
	// +optional
	// +kubebuilder:default={}
	Design Design `json:"design"`

	// Deadline for the whole run, from its acceptance; time spent suspended does
	// not count. A run that has not ended by then fails with reason
	// DeadlineExceeded.
	// +optional
	// +kubebuilder:default="24h"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1m') && duration(self) <= duration('720h')",message="deadline must be between 1m and 720h, such as 24h"
	Deadline metav1.Duration `json:"deadline,omitempty"`

	// Retain says when the pods, volumes and other objects of the run stay for
	// inspection after it has ended: Never, OnFailure (only when the run failed)
	// or Always. The ConfigMaps with the results always stay until the run itself
	// is deleted. Can be changed at any time.
	// +optional
	// +kubebuilder:default=Never
	Retain RetainPolicy `json:"retain,omitempty"`

	// TTLSecondsAfterFinished deletes the run, results included, this many seconds
	// after it has ended. Unset means never. Can be changed at any time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`

	// Suspend keeps the run from starting anything new. A trial that is being
	// measured ends first; the targets and their data stay. Can be changed at any
	// time.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// RetainPolicy says when the objects of a run stay after it has ended.
// +kubebuilder:validation:Enum=Never;OnFailure;Always
type RetainPolicy string

// Retain policies.
const (
	RetainNever     RetainPolicy = "Never"
	RetainOnFailure RetainPolicy = "OnFailure"
	RetainAlways    RetainPolicy = "Always"
)

// Clients are the pods that generate load.
type Clients struct {
	// Shape of a client pod.
	Shape ShapeRef `json:"shape"`

	// Placement of the client pods.
	// +optional
	// +kubebuilder:default={}
	Placement ClientPlacement `json:"placement,omitempty"`
}

// ClientPlacement says where client pods may run.
type ClientPlacement struct {
	// SeparateFromTargets says whether clients and targets must run on different
	// nodes. Required (the default) refuses a run for which the cluster cannot do
	// that; None allows one node, where client and server compete for the same
	// processors.
	// +optional
	// +kubebuilder:default=Required
	SeparateFromTargets Separation `json:"separateFromTargets,omitempty"`
}

// Separation of clients and targets.
// +kubebuilder:validation:Enum=Required;None
type Separation string

// Separations.
const (
	SeparationRequired Separation = "Required"
	SeparationNone     Separation = "None"
)

// ShapeRef is an InstanceShape by name, or a shape of this run alone.
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.inline)",message="shape needs exactly one of name (an InstanceShape) and inline (cpu, memory, nodeSelector, ...)"
type ShapeRef struct {
	// Name of an InstanceShape.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// Inline is a shape for this run alone.
	// +optional
	Inline *InstanceShapeSpec `json:"inline,omitempty"`
}

// Design says how often and how long to measure.
type Design struct {
	// Blocks is the number of repetitions, 1 to 100. Each block measures every
	// target once. At least 6 are needed for an interval of the median; 10 is the
	// usual number.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Blocks int32 `json:"blocks,omitempty"`

	// Warmup is the discarded start of each trial, in whole seconds; 0s for none.
	// Its output is kept but never counted.
	// +optional
	// +kubebuilder:default="30s"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s')",message="warmup must not be negative, such as 30s, or 0s for none"
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('24h')",message="warmup must be at most 24h"
	// +kubebuilder:validation:XValidation:rule="duration(self).getMilliseconds() % 1000 == 0",message="warmup must be in whole seconds, such as 30s"
	Warmup metav1.Duration `json:"warmup,omitempty"`

	// Duration of the measured window of each trial, in whole seconds, 1s to 24h.
	// +optional
	// +kubebuilder:default="300s"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s') && duration(self) <= duration('24h')",message="duration must be between 1s and 24h, such as 300s"
	// +kubebuilder:validation:XValidation:rule="duration(self).getMilliseconds() % 1000 == 0",message="duration must be in whole seconds, such as 300s"
	Duration metav1.Duration `json:"duration,omitempty"`
}

// BenchmarkRun is one experiment on databases of the MySQL family, run once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bmr
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Progress",type=string,JSONPath=`.status.progress.text`
// +kubebuilder:printcolumn:name="Result",type=string,JSONPath=`.status.headline`
// +kubebuilder:printcolumn:name="Valid",type=string,JSONPath=`.status.conditions[?(@.type=="Valid")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Failed")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="metadata.name must have at most 63 characters: it becomes a label of the run's pods"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must begin with a letter and hold only lower-case letters, digits and '-': it becomes the name of Services"
type BenchmarkRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec of the experiment.
	Spec BenchmarkRunSpec `json:"spec"`
	// Status of the experiment, with its results.
	// +optional
	Status BenchmarkRunStatus `json:"status,omitempty"`
}

// BenchmarkRunList is a list of runs.
//
// +kubebuilder:object:root=true
type BenchmarkRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkRun `json:"items"`
}
