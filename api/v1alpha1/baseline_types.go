package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkBaselineSpec are the expected numbers of a run. `kubectl assay baseline promote` writes
// them from a run that has ended.
type BenchmarkBaselineSpec struct {
	// run that was measured.
	// +required
	Run BaselineRun `json:"run"`

	// promotion says who made these numbers the expected ones, when and why.
	// +required
	Promotion Promotion `json:"promotion"`

	// measurements that are expected, each once.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=512
	Measurements []ExpectedMeasurement `json:"measurements"`

	// runs whose medians the measurements have (measurements[].runs), in that order: run itself, and repetitions of it. They
	// are what spec.gate.prediction of a run judges by. Absent for a baseline of one run.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Runs []RepeatedRun `json:"runs,omitempty"`

	// environments are the circumstances of the trials: settings of the servers, machines and data,
	// as they were recorded.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Environments []BaselineEnvironment `json:"environments,omitempty"`

	// machineSpeed are the times of the reference loops before the trials.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=96
	MachineSpeed []BaselineSpeed `json:"machineSpeed,omitempty"`

	// history are the promotions before, the latest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	History []PastPromotion `json:"history,omitempty"`
}

// BaselineRun is the run that the numbers are from.
type BaselineRun struct {
	// name of the BenchmarkRun.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name Name `json:"name"`
	// uid of it.
	// +optional
	UID Digest `json:"uid,omitempty"`
	// completionTime is when it ended.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// specHash is the hash of its resolved spec.
	// +optional
	SpecHash Digest `json:"specHash,omitempty"`
	// workload of it in lines "name=value", such as sysbench.tables=10, and clients.count. A gate compares a run of
	// another workload only with otherWorkload: Compare. Long values are digests. Absent: it is not known, and each
	// workload is compared.
	// +optional
	// +kubebuilder:validation:MaxLength=16384
	Workload string `json:"workload,omitempty"`
	// headline of it, for people.
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	Headline string `json:"headline,omitempty"`
}

// RepeatedRun is one of several runs of one experiment.
type RepeatedRun struct {
	// name of the BenchmarkRun.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name Name `json:"name"`
	// uid of it.
	// +optional
	UID Digest `json:"uid,omitempty"`
	// completionTime is when it ended.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
}

// Promotion makes the numbers of a run the expected ones.
type Promotion struct {
	// time of the promotion.
	// +required
	Time metav1.Time `json:"time"`
	// author of it.
	// +required
	// +kubebuilder:validation:MinLength=1
	Author Name `json:"author"`
	// reason for it.
	// +required
	// +kubebuilder:validation:MinLength=1
	Reason Line `json:"reason"`
	// forced says what spoke against it, such as that the run is not valid; absent where nothing did.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Forced string `json:"forced,omitempty"`
}

// PastPromotion is one that was replaced.
type PastPromotion struct {
	// run that the numbers were from.
	// +required
	// +kubebuilder:validation:MinLength=1
	Run Name `json:"run"`
	// promotion of it.
	// +required
	Promotion Promotion `json:"promotion"`
	// headline of the run, for people.
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	Headline string `json:"headline,omitempty"`
}

// MeasurementKey identifies a measurement of one target in one cell.
type MeasurementKey struct {
	// target that was measured.
	// +required
	// +kubebuilder:validation:MinLength=1
	Target Name `json:"target"`
	// parameters are the values of the cell by the names of the axes; absent without a matrix.
	// +optional
	// +kubebuilder:validation:MaxProperties=9
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && size(self[k]) <= 512)",message="names have at most 63 characters, and values at most 512 characters"
	Parameters map[string]string `json:"parameters,omitempty"`
	// name of the measurement, such as throughput.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name Name `json:"name"`
	// labels of the measurement.
	// +optional
	// +kubebuilder:validation:MaxProperties=33
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 1024)",message="names have at most 253 characters, and values at most 1024 characters"
	Labels map[string]string `json:"labels,omitempty"`
	// unit such as tx/s or ms. A value in another unit is another measurement.
	// +optional
	Unit Name `json:"unit,omitempty"`
}

// ExpectedMeasurement are the values that a measurement had.
type ExpectedMeasurement struct {
	MeasurementKey `json:",inline"`
	// direction is HigherIsBetter or LowerIsBetter; absent where neither is better: then the
	// measurement cannot be slower.
	// +optional
	Direction Direction `json:"direction,omitempty"`
	// tolerance is the largest change of the median for the worse, as a percentage above 0% and up
	// to 1000%. It replaces spec.gate.threshold of the run for this measurement.
	// +optional
	// +kubebuilder:validation:MaxLength=9
	// +kubebuilder:validation:Pattern=`^[0-9]{1,4}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 1000.0",message="tolerance must be above 0% and at most 1000%, such as 25%"
	Tolerance string `json:"tolerance,omitempty"`
	// blocks are the values of the blocks that count, as decimal numbers.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^-?[0-9]{1,20}(\.[0-9]{1,20})?$`
	Blocks []string `json:"blocks"`
	// runs are the medians of the measurement in each of spec.runs, as decimal numbers, in that order. Absent where one of these
	// runs has no value that counts: which of them count never depends on their values.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^-?[0-9]{1,20}(\.[0-9]{1,20})?$`
	Runs []string `json:"runs,omitempty"`
}

// BaselineEnvironment are the circumstances of trials of one target.
// +kubebuilder:object:generate=false
type BaselineEnvironment struct {
	// target of the trials.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Target string `json:"target"`
	// facts in lines "name=value".
	// +required
	// +kubebuilder:validation:MaxLength=65536
	Facts string `json:"facts"`
}

// BaselineSpeed are the times of one reference loop before the trials of one target.
type BaselineSpeed struct {
	// target of the trials.
	// +required
	// +kubebuilder:validation:MinLength=1
	Target Name `json:"target"`
	// side is Client or Target.
	// +required
	Side SpeedSide `json:"side"`
	// kernel is the loop that was timed: see MachineSpeed.
	// +required
	Kernel SpeedKernel `json:"kernel"`
	// seconds that it took, as decimal numbers: of at most 100 trials, evenly spread over the run.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[0-9]{1,20}(\.[0-9]{1,20})?$`
	Seconds []string `json:"seconds"`
}

// BenchmarkBaselineStatus says whether a gate can use the baseline.
type BenchmarkBaselineStatus struct {
	// observedGeneration is the generation of the spec that this status describes.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// measurementCount is the number of expected measurements.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MeasurementCount int32 `json:"measurementCount,omitempty"`
	// conditions of the baseline: Reconciling, Stalled and Ready.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// BenchmarkBaseline are expected numbers, with which the gate of a run compares.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bmbase
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Run",type=string,JSONPath=`.spec.run.name`
// +kubebuilder:printcolumn:name="Measurements",type=integer,JSONPath=`.status.measurementCount`
// +kubebuilder:printcolumn:name="Promoted",type=date,JSONPath=`.spec.promotion.time`
// +kubebuilder:printcolumn:name="Author",type=string,JSONPath=`.spec.promotion.author`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.spec.promotion.reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type BenchmarkBaseline struct {
	metav1.TypeMeta `json:",inline"`
	// metadata of the baseline.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec are the expected numbers. It can be changed at any time: a run pins the version that its gate compared with.
	// +required
	Spec BenchmarkBaselineSpec `json:"spec"`
	// status says whether a gate can use the baseline.
	// +optional
	// +kubebuilder:default={"observedGeneration":-1}
	Status BenchmarkBaselineStatus `json:"status,omitzero"`
}

// BenchmarkBaselineList is a list of baselines.
//
// +kubebuilder:object:root=true
type BenchmarkBaselineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	// +required
	Items []BenchmarkBaseline `json:"items"`
}
