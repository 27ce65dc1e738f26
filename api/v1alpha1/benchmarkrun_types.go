package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// BenchmarkRunSpec is one experiment. It cannot be changed after creation, except
// suspend, priority, retain and ttlSecondsAfterFinished: a result always belongs to
// its spec.
//
// +kubebuilder:validation:XValidation:rule="self.targets == oldSelf.targets",fieldPath=".targets",message="targets cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.clients == oldSelf.clients",fieldPath=".clients",message="clients cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.workload == oldSelf.workload",fieldPath=".workload",message="workload cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="has(self.matrix) == has(oldSelf.matrix) && (!has(self.matrix) || self.matrix == oldSelf.matrix)",fieldPath=".matrix",message="matrix cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="has(self.exclude) == has(oldSelf.exclude) && (!has(self.exclude) || self.exclude == oldSelf.exclude)",fieldPath=".exclude",message="exclude cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.exclusive == oldSelf.exclusive",fieldPath=".exclusive",message="exclusive cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.design == oldSelf.design",fieldPath=".design",message="design cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.deadline == oldSelf.deadline",fieldPath=".deadline",message="deadline cannot be changed: create a new BenchmarkRun"
// +kubebuilder:validation:XValidation:rule="self.design.idleTargets != 'Stopped' || self.targets.all(t, !has(t.mysql) || t.mysql.storage.medium != 'Memory')",fieldPath=".design.idleTargets",message="idleTargets: Stopped loses the data of a target with storage.medium: Memory: use a Volume, or idleTargets: Running"
// +kubebuilder:validation:XValidation:rule="has(self.workload.drivers) || !has(self.design.warmup) || duration(self.design.warmup).getMilliseconds() % 1000 == 0",fieldPath=".design.warmup",message="warmup must be in whole seconds, such as 30s: only workload.drivers takes parts of a second"
// +kubebuilder:validation:XValidation:rule="has(self.workload.drivers) || !has(self.design.duration) || duration(self.design.duration).getMilliseconds() % 1000 == 0 && duration(self.design.duration) >= duration('1s')",fieldPath=".design.duration",message="duration must be in whole seconds, such as 300s: only workload.drivers takes parts of a second"
// +kubebuilder:validation:XValidation:rule="!has(self.workload.drivers) || !has(self.design.warmup) || duration(self.design.warmup) <= duration('1h')",fieldPath=".design.warmup",message="warmup must be at most 1h with workload.drivers, such as 500ms: it is that of each measurement, not of a trial"
// +kubebuilder:validation:XValidation:rule="!has(self.workload.drivers) || !has(self.design.duration) || duration(self.design.duration) <= duration('1h')",fieldPath=".design.duration",message="duration must be at most 1h with workload.drivers, such as 2s: it is that of each measurement, not of a trial"
// +kubebuilder:validation:XValidation:rule="has(self.workload.drivers) || !has(self.design.rounds) && !has(self.design.warmupRounds)",fieldPath=".design",message="rounds and warmupRounds are for workload.drivers: other tools measure for design.duration"
// +kubebuilder:validation:XValidation:rule="self.targets.exists(t, !has(t.published))",fieldPath=".targets",message="at least one target has to be measured: published ones are only shown beside it"
// +kubebuilder:validation:XValidation:rule="self.design.dataReset == 'PerRun' || self.targets.all(t, !has(t.external) || !has(t.external.jdbc))",fieldPath=".design.dataReset",message="dataReset must be PerRun with an external.jdbc target: Assay does not speak with its server, and so cannot put its data back"
type BenchmarkRunSpec struct {
	// targets are the databases under test, 1 to 8: the variants that every cell
	// compares. They are measured one at a time; published ones are not measured.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Targets []Target `json:"targets"`

	// clients are the pods that generate the load.
	// +required
	Clients Clients `json:"clients"`

	// workload is what the clients do. Exactly one tool.
	// +required
	Workload Workload `json:"workload"`

	// matrix are the factors of the experiment. Every combination of their values is
	// a cell; all cells, times targets, times blocks, are at most 20,000 trials.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Matrix []Axis `json:"matrix,omitempty"`

	// exclude leaves cells out: those that have all the values of an entry, such as
	// {threads: 512, test: oltp_read_only}.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Exclude []Exclusion `json:"exclude,omitempty"`

	// design says how often, in what order and how long to measure, whatever the workload.
	// +optional
	// +kubebuilder:default={}
	Design Design `json:"design,omitzero"`

	// exclusive (the default): no other run uses the nodes of this one until it has
	// ended. A run that cannot get its nodes waits as Queued, without pods. false
	// allows other runs that are not exclusive on the same nodes.
	// +optional
	// +kubebuilder:default=true
	Exclusive *bool `json:"exclusive,omitempty"`

	// priority in the queue for nodes, -1000 to 1000: higher first, then older
	// first. A run that waits gains one for each hour. Can be changed at any time.
	// +optional
	// +kubebuilder:validation:Minimum=-1000
	// +kubebuilder:validation:Maximum=1000
	Priority int32 `json:"priority,omitempty"`

	// deadline for the whole run, from the moment it has its nodes; time spent
	// suspended does not count. A run that has not ended by then fails with reason
	// DeadlineExceeded.
	// +optional
	// +kubebuilder:default="24h"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1m') && duration(self) <= duration('720h')",message="deadline must be between 1m and 720h, such as 24h"
	Deadline metav1.Duration `json:"deadline,omitempty"`

	// retain says when the pods, volumes and other objects of the run stay for
	// inspection after it has ended: Never, OnFailure (only when the run failed)
	// or Always. The ConfigMaps with the results always stay until the run itself
	// is deleted. Can be changed at any time.
	// +optional
	// +kubebuilder:default=Never
	Retain RetainPolicy `json:"retain,omitempty"`

	// ttlSecondsAfterFinished deletes the run, results included, this many seconds
	// after it has ended. Unset means never. Can be changed at any time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`

	// suspend keeps the run from starting anything new. A trial that is being
	// measured ends first; the targets and their data stay. Can be changed at any
	// time.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// Axis is one factor of the experiment.
type Axis struct {
	// name of a field of the workload's tool, such as threads, or of a parameter of a
	// custom tool.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_]*$`
	Name string `json:"name"`

	// values of the field, 1 to 64, each once: numbers, or strings in quotes, "true"
	// and "0.5" included.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Values []intstr.IntOrString `json:"values"`
}

// Exclusion are values of some axes, by the names of the axes.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=8
type Exclusion map[string]intstr.IntOrString

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
	// shape of a client pod.
	// +required
	Shape ShapeRef `json:"shape"`

	// count of client pods that start together, 1 to 64; their results are merged.
	// Each runs the whole workload: threads and rates are per client.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Count int32 `json:"count,omitempty"`

	// placement of the client pods.
	// +optional
	// +kubebuilder:default={}
	Placement ClientPlacement `json:"placement,omitzero"`
}

// ClientPlacement says where client pods may run.
type ClientPlacement struct {
	// separateFromTargets says whether clients and targets must run on different
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
	// name of an InstanceShape.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// inline is a shape for this run alone.
	// +optional
	Inline *InstanceShapeSpec `json:"inline,omitempty"`
}

// Design says how often, in what order and how long to measure.
type Design struct {
	// blocks is the number of repetitions, 1 to 100. Each block measures every
	// target once in every cell. At least 6 are needed for an interval of the median; 10 is the
	// usual number.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Blocks int32 `json:"blocks,omitempty"`

	// order of the trials. RandomizedBlocks (the default) goes block by block, the
	// cells in random order, and in each cell the targets in random order, which the next
	// block turns round: of two blocks each target is before each other one in one. ABBA goes
	// block by block and turns the order of the targets round in every other block.
	// Sequential measures all of one target before the next, as many published
	// benchmarks do: drift over time then looks like a difference of targets.
	// +optional
	// +kubebuilder:default=RandomizedBlocks
	Order TrialOrder `json:"order,omitempty"`

	// seed of the random order and of the random numbers that tools draw, 0 to
	// 9007199254740991. The same spec and seed give the same order, and give tools the same
	// seeds. Absent: it follows from the rest of the spec, and stands in status.plan.seed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9007199254740991
	Seed *int64 `json:"seed,omitempty"`

	// cooldown is the pause between the end of a trial and the start of the next one.
	// +optional
	// +kubebuilder:default="0s"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s') && duration(self) <= duration('24h')",message="cooldown must be between 0s and 24h, such as 10s"
	Cooldown metav1.Duration `json:"cooldown,omitempty"`

	// dataReset says what data a trial finds: PerRun (the default), what the trial
	// before left; PerBlock and PerTrial, what was loaded: a target of Assay's own
	// gets its data directory back from a snapshot, which needs as much room again on
	// the volume; an external one is loaded again by the tool.
	// +optional
	// +kubebuilder:default=PerRun
	DataReset DataReset `json:"dataReset,omitempty"`

	// idleTargets are Running (the default) or Stopped while another target is
	// measured. A target that was stopped comes back on the same node with the same
	// volume, so that targets can share a node that has room for one.
	// +optional
	// +kubebuilder:default=Running
	IdleTargets IdleTargets `json:"idleTargets,omitempty"`

	// onTrialFailure says what follows a trial that failed: Stop (the default) ends
	// the run as failed; Continue goes on with the next trial; Retry repeats the
	// trial up to maxRetries times and then goes on. Every attempt is kept.
	// +optional
	// +kubebuilder:default=Stop
	OnTrialFailure TrialFailurePolicy `json:"onTrialFailure,omitempty"`

	// maxRetries of one trial with onTrialFailure: Retry, 1 to 10.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	MaxRetries int32 `json:"maxRetries,omitempty"`

	// warmup is the discarded start of each measurement; 0s for none. Its output is kept but
	// never counted. In whole seconds, up to 24h; with drivers, which make many measurements in
	// a trial, any time up to 1h. Absent: 30s, and 500ms with drivers.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s')",message="warmup must not be negative, such as 30s, or 0s for none"
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('24h')",message="warmup must be at most 24h"
	Warmup *metav1.Duration `json:"warmup,omitempty"`

	// duration of the measured window of each measurement. In whole seconds, 1s to 24h; with
	// drivers, which make many measurements in a trial, 10ms to 1h. For a workload that counts
	// operations it is the longest that a trial may take. Absent: 300s, and 2s with drivers.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10ms') && duration(self) <= duration('24h')",message="duration must be between 1s and 24h, such as 300s (with drivers 10ms to 1h)"
	Duration *metav1.Duration `json:"duration,omitempty"`

	// rounds is the number of operations that a benchmark with measure: Rounds does in each
	// block, each on data that was put back before; 1 to 100. Only with drivers: other tools
	// measure for the duration. Absent: 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Rounds *int32 `json:"rounds,omitempty"`

	// warmupRounds is the number of such operations before them that are not counted, 0 to
	// 100. Only with drivers. Absent: 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	WarmupRounds *int32 `json:"warmupRounds,omitempty"`
}

// TrialOrder is the order of the trials of a run.
// +kubebuilder:validation:Enum=RandomizedBlocks;ABBA;Sequential
type TrialOrder string

// Orders of trials.
const (
	OrderRandomizedBlocks TrialOrder = "RandomizedBlocks"
	OrderABBA             TrialOrder = "ABBA"
	OrderSequential       TrialOrder = "Sequential"
)

// DataReset says when the data is put back into the state that was loaded.
// +kubebuilder:validation:Enum=PerRun;PerBlock;PerTrial
type DataReset string

// Resets of the data.
const (
	ResetPerRun   DataReset = "PerRun"
	ResetPerBlock DataReset = "PerBlock"
	ResetPerTrial DataReset = "PerTrial"
)

// IdleTargets says what targets do that are not measured.
// +kubebuilder:validation:Enum=Running;Stopped
type IdleTargets string

// What idle targets do.
const (
	IdleRunning IdleTargets = "Running"
	IdleStopped IdleTargets = "Stopped"
)

// TrialFailurePolicy says what follows a trial that failed.
// +kubebuilder:validation:Enum=Stop;Continue;Retry
type TrialFailurePolicy string

// What follows a failed trial.
const (
	OnFailureStop     TrialFailurePolicy = "Stop"
	OnFailureContinue TrialFailurePolicy = "Continue"
	OnFailureRetry    TrialFailurePolicy = "Retry"
)

// BenchmarkRun is one experiment on databases of the MySQL family, run once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bmr
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Progress",type=string,JSONPath=`.status.progress.text`
// +kubebuilder:printcolumn:name="Current",type=string,JSONPath=`.status.progress.current`
// +kubebuilder:printcolumn:name="Ends",type=string,format=date-time,JSONPath=`.status.progress.estimatedCompletionTime`
// +kubebuilder:printcolumn:name="Result",type=string,JSONPath=`.status.headline`
// +kubebuilder:printcolumn:name="Valid",type=string,JSONPath=`.status.conditions[?(@.type=="Valid")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Failed")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="metadata.name must have at most 63 characters: it becomes a label of the run's pods"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must begin with a letter and hold only lower-case letters, digits and '-': it becomes the name of Services"
type BenchmarkRun struct {
	metav1.TypeMeta `json:",inline"`
	// metadata of the run.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec of the experiment.
	// +required
	Spec BenchmarkRunSpec `json:"spec"`
	// status of the experiment, with its results.
	// +optional
	Status BenchmarkRunStatus `json:"status,omitzero"`
}

// BenchmarkRunList is a list of runs.
//
// +kubebuilder:object:root=true
type BenchmarkRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	// +required
	Items []BenchmarkRun `json:"items"`
}
