package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkRunSpec is one experiment. The spec of a run cannot be changed after creation, except suspend, priority,
// retain and ttlSecondsAfterFinished: a result always belongs to its spec. The rules about that are those of the
// field BenchmarkRun.spec: the template of a schedule may change.
//
// +kubebuilder:validation:XValidation:rule="!has(self.analysis) || !has(self.analysis.control) || !self.analysis.control || self.targets.size() < 8",fieldPath=".analysis.control",message="control is a target of its own, and a run has at most 8: use at most 7 targets with it"
// +kubebuilder:validation:XValidation:rule="!has(self.analysis) || !has(self.analysis.control) || !self.analysis.control || !self.targets.exists(t, t.name == 'control')",fieldPath=".targets",message="control is the name of the target that analysis.control adds: name yours otherwise"
// +kubebuilder:validation:XValidation:rule="self.design.idleTargets != 'Stopped' || self.targets.all(t, !has(t.mysql) || t.mysql.storage.medium != 'Memory')",fieldPath=".design.idleTargets",message="idleTargets: Stopped loses the data of a target with storage.medium: Memory: use a Volume, or idleTargets: Running"
// +kubebuilder:validation:XValidation:rule="!has(self.design.cpus) || self.design.cpus == 'Free' || self.targets.exists(t, has(t.mysql))",fieldPath=".design.cpus",message="cpus is about a machine that a server of Assay's shares with its clients: leave it out where all targets are external"
// +kubebuilder:validation:XValidation:rule="!has(self.design.clientPods) || self.design.clientPods != 'Standing' || self.design.idleTargets != 'Stopped'",fieldPath=".design.clientPods",message="clientPods: Standing needs the credentials of all targets from the beginning, and idleTargets: Stopped brings the targets up one after the other: use one of both"
// +kubebuilder:validation:XValidation:rule="has(self.workload.drivers) || !has(self.design.warmup) || duration(self.design.warmup).getMilliseconds() % 1000 == 0",fieldPath=".design.warmup",message="warmup must be in whole seconds, such as 30s: only workload.drivers takes parts of a second"
// +kubebuilder:validation:XValidation:rule="has(self.workload.drivers) || !has(self.design.duration) || duration(self.design.duration).getMilliseconds() % 1000 == 0 && duration(self.design.duration) >= duration('1s')",fieldPath=".design.duration",message="duration must be in whole seconds, such as 300s: only workload.drivers takes parts of a second"
// +kubebuilder:validation:XValidation:rule="!has(self.workload.drivers) || !has(self.design.warmup) || duration(self.design.warmup) <= duration('1h')",fieldPath=".design.warmup",message="warmup must be at most 1h with workload.drivers, such as 500ms: it is that of each measurement, not of a trial"
// +kubebuilder:validation:XValidation:rule="!has(self.workload.drivers) || !has(self.design.duration) || duration(self.design.duration) <= duration('1h')",fieldPath=".design.duration",message="duration must be at most 1h with workload.drivers, such as 2s: it is that of each measurement, not of a trial"
// +kubebuilder:validation:XValidation:rule="has(self.workload.drivers) || !has(self.design.rounds) && !has(self.design.warmupRounds)",fieldPath=".design",message="rounds and warmupRounds are for workload.drivers: other tools measure for design.duration"
// +kubebuilder:validation:XValidation:rule="self.targets.exists(t, !has(t.published))",fieldPath=".targets",message="at least one target has to be measured: published ones are only shown beside it"
// +kubebuilder:validation:XValidation:rule="self.design.dataReset == 'PerRun' || self.targets.all(t, !has(t.external) || t.external.data != 'Existing')",fieldPath=".design.dataReset",message="dataReset must be PerRun with a target of data: Existing: no run puts back what it did not load"
// +kubebuilder:validation:XValidation:rule="self.design.dataReset == 'PerRun' || self.targets.all(t, !has(t.mysql) || !has(t.mysql.storage.fromRun) && !has(t.mysql.storage.fromSnapshot))",fieldPath=".design.dataReset",message="dataReset must be PerRun with mysql.storage.fromRun and fromSnapshot: no run puts back what it did not load"
// +kubebuilder:validation:XValidation:rule="!has(self.data) || self.targets.all(t, !has(t.mysql) || !has(t.mysql.storage.fromRun) && !has(t.mysql.storage.fromSnapshot))",fieldPath=".data",message="data must be left out with mysql.storage.fromRun and fromSnapshot: the volume has its data"
// +kubebuilder:validation:XValidation:rule="self.design.dataReset == 'PerRun' || self.targets.all(t, !has(t.external) || !has(t.external.jdbc))",fieldPath=".design.dataReset",message="dataReset must be PerRun with an external.jdbc target: Assay does not speak with its server, and so cannot put its data back"
// +kubebuilder:validation:XValidation:rule="!has(self.data) || self.targets.all(t, has(t.mysql) && !has(t.mysql.replication) || has(t.published))",fieldPath=".data",message="data is for servers that Assay provides without replicas: leave it out, or leave out external targets and replication"
// +kubebuilder:validation:XValidation:rule="!has(self.data) || self.data.policy != 'Make' || !has(self.gate)",fieldPath=".gate",message="gate has nothing to judge with data.policy: Make, which measures nothing: leave it out"
// +kubebuilder:validation:XValidation:rule="!has(self.gate) || !has(self.gate.comparisons) || has(self.analysis) && has(self.analysis.comparisons)",fieldPath=".gate.comparisons",message="comparisons: Declared needs spec.analysis.comparisons, such as [{factor: target, measurements: [{name: throughput}]}]: the gate passes only when all of them pass, so it takes none that nobody declared"
// +kubebuilder:validation:XValidation:rule="!has(self.background) || !has(self.tenants) || self.tenants == 1",fieldPath=".background",message="background is a second load on the data of one workload: leave it out, or tenants"
// +kubebuilder:validation:XValidation:rule="has(self.background) || !has(self.matrix) || !self.matrix.exists(a, a.name.startsWith('background.'))",fieldPath=".matrix",message="an axis background.NAME varies spec.background, which the run does not have: add it, or leave the axis out"
type BenchmarkRunSpec struct {
	// targets are the databases under test, 1 to 8. Every cell compares them. They are
	// measured one at a time. Published targets are not measured.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Targets []Target `json:"targets"`

	// clients are the pods that generate the load.
	// +optional
	// +kubebuilder:default={}
	Clients Clients `json:"clients,omitzero"`

	// workload is what the clients do. Exactly one tool.
	// +required
	Workload Workload `json:"workload"`

	// tenants are how many copies of the workload run at one instant, 1 to 16, each with data, connections and clients of its own: clients.count
	// of them. A tenant has a schema of its own in each server, or a server (mysql.tenancy). The measurements of a trial are those
	// of all tenants together; those of each have the label tenant, and tenants.fairness says how unequal they are.
	// Absent: 1, and nothing is said of tenants.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Tenants int32 `json:"tenants,omitempty"`

	// background is a second load beside the workload, on the same data, which is reported apart. Absent: none.
	// +optional
	Background *Background `json:"background,omitempty"`

	// data names the loaded data, so that later runs restore it in place of loading it again. For targets that Assay provides; it needs the
	// object store of the operator (results.store). Absent: every run loads its data.
	// +optional
	Data *DataSet `json:"data,omitempty"`

	// matrix are the factors of the experiment. Every combination of their values is
	// a cell; all cells, times targets, times blocks, are at most 20,000 trials.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Matrix []Axis `json:"matrix,omitempty"`

	// exclude removes cells from the plan: those that have all the values of an entry, such as
	// {threads: 512, test: oltp_read_only}.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Exclude []Exclusion `json:"exclude,omitempty"`

	// design is how often, in what order and how long the run measures, for every workload.
	// +optional
	// +kubebuilder:default={}
	Design Design `json:"design,omitzero"`

	// analysis declares before the data what is compared, and what the run may conclude from it.
	// Absent: every measured target against the first one, in the main measurement and in one
	// latency, with a minimum effect of 2% and an error rate of 5%.
	// +optional
	Analysis *Analysis `json:"analysis,omitempty"`

	// search looks for the highest offered rate at which the objectives hold, in every cell, for every
	// target, once in each block. Its trials decide which rate is tried next, and the run compares the
	// rates that it found. The tool has to offer a rate: sysbench (rate) and YCSB (target) do. Absent:
	// every trial measures what workload and matrix say.
	// +optional
	Search *Search `json:"search,omitempty"`

	// gate says whether the run, once it has ended, has passed: against a BenchmarkBaseline of its namespace, or in its own
	// comparisons. The condition Passed has the verdict. Absent: the run has no such condition.
	// +optional
	Gate *Gate `json:"gate,omitempty"`

	// exclusive reserves the nodes for this run until it has ended (the default). A run that
	// cannot get its nodes waits as Queued, without pods. false shares the nodes with other
	// runs that are not exclusive.
	// +optional
	// +kubebuilder:default=true
	Exclusive *bool `json:"exclusive,omitempty"`

	// priority in the queue for nodes, -1000 to 1000. Older runs go first; one of priority is
	// worth one hour. The operator's configuration bounds it for each namespace: a run outside
	// of the bounds is refused. Can be changed at any time.
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
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	Deadline metav1.Duration `json:"deadline,omitempty"`

	// retain keeps the pods, volumes and other objects of the run for inspection after it has
	// ended: Never, OnFailure (only when the run failed) or Always, for the time that the
	// operator allows (queue.hold.retained); status.placement.heldUntil announces its end. The ConfigMaps with the
	// results always stay until the run itself is deleted. Can be changed at any time.
	// +optional
	// +kubebuilder:default=Never
	Retain RetainPolicy `json:"retain,omitempty"`

	// ttlSecondsAfterFinished deletes the run, results included, this many seconds
	// after it has ended. Unset means never. Can be changed at any time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`

	// suspend pauses the run. A running trial ends first. The targets and their data stay for
	// the time that the operator allows (queue.hold.suspended); status.placement.heldUntil
	// announces its end. Then the run gives its nodes back: once it is resumed, it waits for
	// nodes again, loads its data again and goes on with the trials that are left. Can be
	// changed at any time.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// RetainPolicy selects when the objects of a run are kept after it has ended.
// +kubebuilder:validation:Enum=Never;OnFailure;Always
type RetainPolicy string

// Retain policies.
const (
	RetainNever     RetainPolicy = "Never"
	RetainOnFailure RetainPolicy = "OnFailure"
	RetainAlways    RetainPolicy = "Always"
)

// Design is how often, in what order and how long the run measures.
// +kubebuilder:validation:XValidation:rule="!(has(self.precision) || has(self.within) || has(self.reserveBlocks)) || self.order != 'Sequential'",fieldPath=".order",message="order must be RandomizedBlocks or ABBA with precision, within or reserveBlocks: trials in sequence have no block that ends"
// +kubebuilder:validation:XValidation:rule="!(has(self.precision) || has(self.within)) || !has(self.reserveBlocks)",fieldPath=".reserveBlocks",message="leave reserveBlocks out: with precision or within the run goes on as long as it needs"
type Design struct {
	// measures is what a trial measures: Run (the default), the workload on data that is loaded before the first trial, or Load, one
	// load: the tool makes its tables in an empty schema and fills them. With Load, dataReset must be PerTrial, warmup is 0s,
	// duration is the longest that a load may take, and fields that decide what is loaded can be axes of the matrix.
	// +optional
	Measures Measures `json:"measures,omitempty"`

	// blocks is the number of repetitions, 1 to 400. Each block measures every
	// target once in every cell. At least 6 are needed for an interval of the median; 10 is the
	// usual number. With precision or within it is the most. Absent: 10, and 200 with precision or within.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=400
	Blocks int32 `json:"blocks,omitempty"`

	// precision to which every ratio of the primary comparisons is to be known, as a percentage
	// above 0% and up to 100%: with 2%, an interval reaches from a ratio divided by 1.02 to that
	// ratio times 1.02, or is narrower. The first 8 blocks are the pilot, more where the family of comparisons needs
	// more. After it, status.plan.analysis.forecast says what can be reached, and the run stops once it is.
	// Absent: the run measures its blocks, whatever the intervals are.
	// +optional
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 100.0",message="precision must be above 0% and at most 100%, such as 2%"
	Precision string `json:"precision,omitempty"`

	// within is the time from the first trial in which the run measures, 10s to 720h. It ends after the last block that fits,
	// at the pace of those before. Loading is not part of it; resets, pauses and suspensions are. Absent: no limit
	// but spec.deadline.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10s') && duration(self) <= duration('720h')",message="within must be between 10s and 720h, such as 10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	Within *metav1.Duration `json:"within,omitempty"`

	// reserveBlocks are further blocks, 1 to 100, that are measured as long as fewer than design.blocks count in any primary
	// comparison, because trials failed, or were disturbed or invalid. Whether one is measured never depends on values. Absent: none.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	ReserveBlocks int32 `json:"reserveBlocks,omitempty"`

	// order of the trials. RandomizedBlocks (the default) runs block by block, with the cells
	// of a block and the targets of a cell in random order. Blocks form pairs: the second
	// block of a pair reverses the order of the targets. ABBA runs block by block and reverses
	// the order of the targets in every other block. Sequential measures all trials of one
	// target before the next target, as many published benchmarks do. Drift over time then
	// looks like a difference between targets.
	// +optional
	// +kubebuilder:default=RandomizedBlocks
	Order TrialOrder `json:"order,omitempty"`

	// seed of the random order and of the random numbers that tools draw, 0 to
	// 9007199254740991. The same spec and seed give the same order, and give tools the same
	// seeds. Absent: it is derived from the rest of the spec. status.plan.seed shows it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9007199254740991
	Seed *int64 `json:"seed,omitempty"`

	// cooldown is the pause between the end of a trial and the start of the next one.
	// +optional
	// +kubebuilder:default="0s"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s') && duration(self) <= duration('24h')",message="cooldown must be between 0s and 24h, such as 10s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	Cooldown metav1.Duration `json:"cooldown,omitempty"`

	// dataReset restores the loaded data: PerRun never (the default), PerBlock before each
	// target's first trial of a block, PerTrial before each trial. For a target that Assay
	// provides, a snapshot of the data directory is restored; the snapshot takes as much space
	// on the volume as the data. For an external target, the tool loads the data again.
	// +optional
	// +kubebuilder:default=PerRun
	DataReset DataReset `json:"dataReset,omitempty"`

	// starts are how often a server that Assay provides is started. PerBlock: again before its first trial of each block, with
	// its data and the contents of its buffer pool, so that the blocks of a comparison are of as many starts. One: the starts before
	// the first trials are all, and a verdict is of these. A snapshot that dataReset restores starts a server anyway, and so does
	// idleTargets: Stopped. Absent: PerBlock where analysis.comparisons has the factor target and Assay provides all targets;
	// otherwise One.
	// +optional
	Starts Starts `json:"starts,omitempty"`

	// idleTargets is the state of the other targets while one target is measured: Running (the
	// default) or Stopped. A stopped target restarts on the same node with the same volume.
	// Stopped targets can share a node that has room for one.
	// +optional
	// +kubebuilder:default=Running
	IdleTargets IdleTargets `json:"idleTargets,omitempty"`

	// cpus are those that servers and clients run on where they are on one machine, as on the nodes of kind. Apart: each has cores
	// of its own, divided by what their shapes ask for, at least one core. Together: both have one CPU, on which they take turns, so
	// that throughput is how often that CPU does the work of both ends; replicas and idle targets on that machine have this CPU, too, and
	// a trial whose server and clients are not all on it has a Warning. Whoever shares no machine with the other end has all CPUs, as
	// always. Free (the default): the kernel moves both over all CPUs that their containers may use.
	// +optional
	CPUs CPUs `json:"cpus,omitempty"`

	// clientPods are new pods for each trial (PerTrial, the default), or pods that stay and measure one trial after the other, of all
	// targets, each with a new process of the tool (Standing). A pause between two trials is then a fraction of a second and not two,
	// so that as many minutes have more blocks. Standing pods are replaced after a trial that failed. They need one image for all
	// cells. The cost of a tool's memory is absent: the kernel counts its peak since the container began.
	// +optional
	ClientPods ClientPods `json:"clientPods,omitempty"`

	// onTrialFailure is the reaction to a failed trial: Stop (the default) ends the run as
	// failed. Continue starts the next trial. Retry repeats the trial up to maxRetries times
	// and then continues. Every attempt is kept.
	// +optional
	// +kubebuilder:default=Stop
	OnTrialFailure TrialFailurePolicy `json:"onTrialFailure,omitempty"`

	// maxRetries of one trial with onTrialFailure: Retry, 1 to 10.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	MaxRetries int32 `json:"maxRetries,omitempty"`

	// warmup is the time before the measured window of each measurement; 0s for none. Its
	// output is kept, but never counted. In whole seconds, up to 24h. With drivers, which make
	// many measurements in a trial: any time up to 1h. Absent: 30s, and 500ms with drivers.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s')",message="warmup must not be negative, such as 30s, or 0s for none"
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('24h')",message="warmup must be at most 24h"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	Warmup *metav1.Duration `json:"warmup,omitempty"`

	// duration of the measured window of each measurement. In whole seconds, 1s to 24h. With
	// drivers, which make many measurements in a trial: 10ms to 1h. For a workload with a
	// fixed number of operations it is the time limit of a trial. Absent: 300s, and 2s with
	// drivers.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10ms') && duration(self) <= duration('24h')",message="duration must be between 1s and 24h, such as 300s (with drivers 10ms to 1h)"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	Duration *metav1.Duration `json:"duration,omitempty"`

	// rounds is the number of operations that a benchmark with measure: Rounds executes in
	// each block, 1 to 100. The data is restored before each operation. Only with drivers:
	// other tools measure for the duration. Absent: 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Rounds *int32 `json:"rounds,omitempty"`

	// warmupRounds is the number of uncounted operations before the rounds, 0 to 100. Only
	// with drivers. Absent: 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	WarmupRounds *int32 `json:"warmupRounds,omitempty"`
}

// BenchmarkRun is one experiment on databases of the MySQL family, run once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bmr
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Trials",type=string,JSONPath=`.status.progress.text`
// +kubebuilder:printcolumn:name="Outcome",type=string,JSONPath=`.status.outcome`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Failed")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Verdict",type=string,priority=1,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Medians",type=string,priority=1,JSONPath=`.status.headline`
// +kubebuilder:printcolumn:name="Current",type=string,priority=1,JSONPath=`.status.progress.current`
// +kubebuilder:printcolumn:name="Ends",type=string,format=date-time,priority=1,JSONPath=`.status.progress.estimatedCompletionTime`
// +kubebuilder:printcolumn:name="Valid",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Valid")].status`
// +kubebuilder:printcolumn:name="Passed",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Passed")].status`
// +kubebuilder:printcolumn:name="Report",type=string,priority=1,JSONPath=`.status.report.page.url`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="metadata.name must have at most 63 characters: it becomes a label of the run's pods"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must begin with a letter and hold only lower-case letters, digits and '-': it becomes the name of Services"
type BenchmarkRun struct {
	metav1.TypeMeta `json:",inline"`
	// metadata of the run.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec of the experiment.
	// +required
	// +kubebuilder:validation:XValidation:rule="self.targets == oldSelf.targets",fieldPath=".targets",message="targets cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="self.clients == oldSelf.clients",fieldPath=".clients",message="clients cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="self.workload == oldSelf.workload",fieldPath=".workload",message="workload cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="has(self.tenants) == has(oldSelf.tenants) && (!has(self.tenants) || self.tenants == oldSelf.tenants)",fieldPath=".tenants",message="tenants cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="has(self.background) == has(oldSelf.background) && (!has(self.background) || self.background == oldSelf.background)",fieldPath=".background",message="background cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="has(self.data) == has(oldSelf.data) && (!has(self.data) || self.data == oldSelf.data)",fieldPath=".data",message="data cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="has(self.matrix) == has(oldSelf.matrix) && (!has(self.matrix) || self.matrix == oldSelf.matrix)",fieldPath=".matrix",message="matrix cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="has(self.exclude) == has(oldSelf.exclude) && (!has(self.exclude) || self.exclude == oldSelf.exclude)",fieldPath=".exclude",message="exclude cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="self.exclusive == oldSelf.exclusive",fieldPath=".exclusive",message="exclusive cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="self.design == oldSelf.design",fieldPath=".design",message="design cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="has(self.analysis) == has(oldSelf.analysis) && (!has(self.analysis) || self.analysis == oldSelf.analysis)",fieldPath=".analysis",message="analysis cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="has(self.gate) == has(oldSelf.gate) && (!has(self.gate) || self.gate == oldSelf.gate)",fieldPath=".gate",message="gate cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="has(self.search) == has(oldSelf.search) && (!has(self.search) || self.search == oldSelf.search)",fieldPath=".search",message="search cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	// +kubebuilder:validation:XValidation:rule="self.deadline == oldSelf.deadline",fieldPath=".deadline",message="deadline cannot be changed: create a new BenchmarkRun with another name, or let a BenchmarkSchedule start it"
	Spec BenchmarkRunSpec `json:"spec"`
	// status of the experiment, with its results.
	// +optional
	// +kubebuilder:default={"observedGeneration":-1}
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
