package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Phase is a one-word summary of a run for people. Programs read the conditions.
// +kubebuilder:validation:Enum=Pending;Queued;Suspended;Provisioning;Loading;Measuring;Cleaning;Complete;Failed
type Phase string

// Phases of a run.
const (
	// PhasePending: the manager has not accepted the run yet.
	PhasePending Phase = "Pending"
	// PhaseQueued: the run waits for nodes, which other runs hold.
	PhaseQueued Phase = "Queued"
	// PhaseSuspended: spec.suspend is true, and no trial runs.
	PhaseSuspended Phase = "Suspended"
	// PhaseProvisioning: the servers are started.
	PhaseProvisioning Phase = "Provisioning"
	// PhaseLoading: the data of the workload is loaded.
	PhaseLoading Phase = "Loading"
	// PhaseMeasuring: the trials run.
	PhaseMeasuring Phase = "Measuring"
	// PhaseCleaning: all trials have ended, and the pods of the run are removed.
	PhaseCleaning Phase = "Cleaning"
	// PhaseComplete: all trials have ended, and the status has the results.
	PhaseComplete Phase = "Complete"
	// PhaseFailed: the run has ended without all of its trials. The condition Failed says why.
	PhaseFailed Phase = "Failed"
)

// Values of status.outcome of a run that did not succeed.
const (
	// OutcomeFailed: it could not be carried out.
	OutcomeFailed = "Failed"
	// OutcomeInvalid: its results contradict themselves, or whether they do is not known.
	OutcomeInvalid = "Invalid"
	// OutcomeGateFailed: its gate did not pass.
	OutcomeGateFailed = "GateFailed"
	// OutcomeGateNotJudged: its gate could not be judged.
	OutcomeGateNotJudged = "GateNotJudged"
)

// BenchmarkRunStatus is the observed state of a run, with its results.
type BenchmarkRunStatus struct {
	// observedGeneration is the generation of the spec that this status describes; -1 until the
	// manager has seen the run.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// phase is a one-word summary for people.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// conditions of the run. Each type is present from the first status on, with status
	// Unknown until it is decided; docs/reference/conditions.md defines them.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// acceptedTime is when the run was accepted, or when it was resumed without having nodes. Its
	// place in the queue counts from here.
	// +optional
	AcceptedTime *metav1.Time `json:"acceptedTime,omitempty"`

	// startTime is when the run got its nodes. The deadline counts from here.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the run became Complete or Failed.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// suspendedTime is when the current suspension began; absent while the run is not
	// suspended.
	// +optional
	SuspendedTime *metav1.Time `json:"suspendedTime,omitempty"`

	// suspendedDuration is the sum of the earlier suspensions. It does not count towards
	// the deadline.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	SuspendedDuration *metav1.Duration `json:"suspendedDuration,omitempty"`

	// outcome is what became of the run, for a column: Pending, Queued, Suspended or Running until it
	// ends; then Failed, Invalid, GateFailed, GateNotJudged or GatePassed; without a gate the verdict of
	// its comparisons, such as Faster, or the one that matters most with how many other kinds there are,
	// such as "2 Slower + 3 more kinds" (verdict counts all); Measured for a run that compares nothing.
	// +optional
	Outcome Name `json:"outcome,omitempty"`

	// headline is the median of the main measurement of every target in the first cell of the
	// plan, for people, such as "mariadb 590 | mysql 327 tx/s (n=6)". n is the number of
	// counted trials; "4 of 6" means that 2 of the planned trials do not count. "-" marks a
	// target without a counted trial.
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	Headline string `json:"headline,omitempty"`

	// verdict is what the run shows, in one line: the first comparison of the primary family and a
	// count of the others, such as "FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb
	// against mysql; 17 settings that matter differ". Absent until the run ends, and for a run that compares
	// nothing.
	// +optional
	Verdict Line `json:"verdict,omitempty"`

	// gate is the verdict of spec.gate, with the baselines that were compared. Absent until the run ends, and without a
	// gate.
	// +optional
	Gate *GateStatus `json:"gate,omitempty"`

	// progress of the trials.
	// +optional
	Progress Progress `json:"progress,omitzero"`

	// resolved holds the referenced objects of the spec as they were when the run was
	// accepted.
	// +optional
	Resolved *Resolved `json:"resolved,omitempty"`

	// targets are the databases as they ran.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Targets []TargetStatus `json:"targets,omitempty"`

	// nodes that pods of targets and of clients have run on. Other fields refer to them by
	// name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=104
	Nodes []NodeInfo `json:"nodes,omitempty"`

	// specHash is the SHA-256 of the resolved spec, in hexadecimal. Runs with the same hash
	// are the same experiment.
	// +optional
	SpecHash Digest `json:"specHash,omitempty"`

	// placement names the nodes that the run holds.
	// +optional
	Placement *Placement `json:"placement,omitempty"`

	// releases counts how often the run gave its nodes back because it was suspended for too
	// long. After each time the databases start empty, and their data is loaded again.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Releases int32 `json:"releases,omitempty"`

	// releasedBeforeTrial is the index of the trial that came next when the run gave its nodes
	// back for the last time. It is 0 for a run that never did.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ReleasedBeforeTrial int32 `json:"releasedBeforeTrial,omitempty"`

	// plan has the size of the plan and the names of its ConfigMaps.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`

	// results has the names of the ConfigMaps with the results.
	// +optional
	Results *ResultsStatus `json:"results,omitempty"`

	// integrity has the digests that show whether plan, records, results or summary were changed
	// afterwards; absent until the plan is stored. `kubectl assay verify` compares them.
	// +optional
	Integrity *IntegrityStatus `json:"integrity,omitempty"`

	// trials are the last attempts that ended, at most 10, and the running attempt. The
	// ConfigMaps RUN-records-0000 and so on hold all attempts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=11
	Trials []TrialStatus `json:"trials,omitempty"`

	// summary of the valid, undisturbed trials for each cell, target and measurement, at most
	// 128 entries. When there are more, the first measurements of the tool's list are shown,
	// each for all cells and targets. When the first measurement alone has more than 128
	// entries, the first cells are shown. The ConfigMaps RUN-summary-0000 and so on hold all
	// entries; results.summaryEntryCount is their number.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Summary []SummaryEntry `json:"summary,omitempty"`

	// comparisons of the run, at most 64: the primary family in the order of its declaration, then
	// the control, then the exploratory ones. The ConfigMaps RUN-summary-0000 and so on hold all of
	// them; results.comparisonCount is their number.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Comparisons []ComparisonEntry `json:"comparisons,omitempty"`

	// differences between the targets that are compared, for at most 16 pairs: settings in force and
	// other facts that are known to change what is measured.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Differences []SideDifferences `json:"differences,omitempty"`

	// searches are the answers of spec.search, at most 64, in the order of the cells, the targets and
	// the blocks. The ConfigMaps RUN-summary-0000 and so on hold all of them; results.searchCount is
	// their number.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Searches []SearchEntry `json:"searches,omitempty"`

	// sweeps have the knee and the peak of the main measurement, at most 16: one for each axis of the
	// matrix that is a load and has 3 or more values, for each target and rest of the cell, in the
	// order of the cells. The ConfigMaps RUN-summary-0000 and so on hold all of them;
	// results.sweepCount is their number.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Sweeps []SweepEntry `json:"sweeps,omitempty"`

	// machineSpeed of the nodes over all trials, for the comparison with other runs. It has
	// one entry for each side, node and kernel, and for each target where the kernel depends
	// on the target. The records hold the values of each trial.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	MachineSpeed []NodeSpeed `json:"machineSpeed,omitempty"`

	// findings are the last 20 findings of the validity checks. The records of the trials hold
	// all findings.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Findings []Finding `json:"findings,omitempty"`

	// notifications that were sent, or given up, to the receivers of the operator's configuration;
	// the last 80 of them. One that is missing is tried again.
	// +optional
	// +listType=map
	// +listMapKey=receiver
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=80
	Notifications []NotificationStatus `json:"notifications,omitempty"`

	// report of the run, and where it is stored. Absent until the run has ended, and where the manager first saw the run
	// long after its end: `kubectl assay report` makes a report.
	// +optional
	Report *ReportStatus `json:"report,omitempty"`
}

// Progress of a run. All counts are numbers of trials.
type Progress struct {
	// planned is the number of trials in the plan; 0 until the run is accepted. Of a run that may stop
	// early it is the maximum, and once that has stopped, the number that was measured.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Planned int32 `json:"planned"`
	// Totals are the trials that have ended.
	Totals `json:",inline"`
	// text is "done/planned", for people.
	// +optional
	Text Name `json:"text,omitempty"`
	// currentTrial is the index of the trial that is running; absent between trials.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CurrentTrial *int32 `json:"currentTrial,omitempty"`
	// current describes that trial for people, such as "innodb threads=64 block 3".
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	Current string `json:"current,omitempty"`
	// estimatedCompletionTime of the last trial, from the durations of the spec and the time
	// of the trials so far. Of a run that may stop early it follows from status.plan.analysis.forecast, once there is one.
	// +optional
	EstimatedCompletionTime *metav1.Time `json:"estimatedCompletionTime,omitempty"`
}

// Totals are numbers of trials.
// +kubebuilder:object:generate=false
type Totals struct {
	// done is the number of trials that have ended and are not retried.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Done int32 `json:"done"`
	// succeeded is the number of trials with a result.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Succeeded int32 `json:"succeeded,omitempty"`
	// failed is the number of trials without a result.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Failed int32 `json:"failed,omitempty"`
	// invalid is the number of succeeded trials whose result contradicts itself.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Invalid int32 `json:"invalid,omitempty"`
	// disturbed is the number of succeeded trials with interference during the measurement (a
	// restart, a neighbour).
	// +optional
	// +kubebuilder:validation:Minimum=0
	Disturbed int32 `json:"disturbed,omitempty"`
	// retries is the number of attempts beyond the first ones.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Retries int32 `json:"retries,omitempty"`
}

// Placement names the nodes that a run holds, from its start until it gives them back: when it
// has ended, or when it was suspended for too long.
type Placement struct {
	// heldUntil is when a run that does not use its nodes gives them back: a suspended run without a running trial, or a
	// retained run that has ended. Absent for any other run. The operator's configuration sets it (queue.hold).
	// +optional
	HeldUntil *metav1.Time `json:"heldUntil,omitempty"`
	// releaseTime is when a suspended run began to give its nodes back. Resuming does not
	// stop that: the placement goes when the last pod is gone, and the run asks for nodes again.
	// +optional
	ReleaseTime *metav1.Time `json:"releaseTime,omitempty"`
	// clientNodeNames are the nodes of the client pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	ClientNodeNames []string `json:"clientNodeNames,omitempty"`
	// targets are the nodes of the database pods.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Targets []TargetPlacement `json:"targets,omitempty"`
	// serviceNodeNames are the nodes of the pods behind the Services of external targets. The run holds
	// them, and puts none of its pods on them where clients and targets are separate.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=253
	ServiceNodeNames []string `json:"serviceNodeNames,omitempty"`
}

// TargetPlacement names the nodes of the database pods of a target.
type TargetPlacement struct {
	// name of the target.
	// +required
	Name Name `json:"name"`
	// nodeName is the node of its pod.
	// +required
	NodeName Name `json:"nodeName"`
	// replicaNodeNames are the nodes of its replicas, or of the servers of its tenants from the second on (mysql.tenancy: Servers).
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=7
	// +kubebuilder:validation:items:MaxLength=253
	ReplicaNodeNames []string `json:"replicaNodeNames,omitempty"`
	// sharedMachines are the boot IDs of the machines on which both a server of the target and a client run: on one node, or on
	// nodes of one machine, such as those of kind. Absent: none, or a node does not tell.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=64
	SharedMachines []string `json:"sharedMachines,omitempty"`
}

// PlanStatus has the size of the plan and the names of its ConfigMaps.
type PlanStatus struct {
	// trialCount is the number of trials in the plan, 1 to 20,000.
	// +required
	TrialCount int32 `json:"trialCount"`
	// cellCount is the number of cells of the matrix, without the excluded cells.
	// +required
	CellCount int32 `json:"cellCount"`
	// seed of the order and of the tools' random numbers: design.seed, or the seed derived
	// from the spec.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`
	// sha256 of the plan in its canonical form, in hexadecimal. The same spec and seed give
	// the same hash.
	// +required
	SHA256 Digest `json:"sha256"`
	// configMapCount is the number of ConfigMaps RUN-plan-0000 and so on.
	// +required
	ConfigMapCount int32 `json:"configMapCount"`
	// analysis is what the plan can show; absent for a run that compares nothing.
	// +optional
	Analysis *PlannedAnalysis `json:"analysis,omitempty"`
}
