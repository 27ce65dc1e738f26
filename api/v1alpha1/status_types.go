package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Phase is a one-word summary of a run for people. Programs read the conditions.
// +kubebuilder:validation:Enum=Pending;Queued;Suspended;Provisioning;Loading;Measuring;Cleaning;Complete;Failed
type Phase string

// Phases of a run.
const (
	PhasePending      Phase = "Pending"
	PhaseQueued       Phase = "Queued"
	PhaseSuspended    Phase = "Suspended"
	PhaseProvisioning Phase = "Provisioning"
	PhaseLoading      Phase = "Loading"
	PhaseMeasuring    Phase = "Measuring"
	PhaseCleaning     Phase = "Cleaning"
	PhaseComplete     Phase = "Complete"
	PhaseFailed       Phase = "Failed"
)

// BenchmarkRunStatus is the observed state of a run, with its results.
type BenchmarkRunStatus struct {
	// observedGeneration is the generation of the spec that this status describes.
	// +optional
	// +kubebuilder:validation:Minimum=1
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

	// acceptedTime is when the run was accepted. Its place in the queue counts from here.
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
	SuspendedDuration *metav1.Duration `json:"suspendedDuration,omitempty"`

	// headline is the median of the main measurement of every target in the first cell of
	// the plan, for people, such as "mariadb 585.3 | mysql 326.9 tx/s (n=6)": n is the number
	// of trials behind a median, with "of 6" where fewer count than were planned. "-" stands
	// for a target of which no trial counts.
	// +optional
	Headline string `json:"headline,omitempty"`

	// progress of the trials.
	// +optional
	Progress Progress `json:"progress,omitzero"`

	// resolved pins what the spec's references meant when the run was accepted.
	// +optional
	Resolved *Resolved `json:"resolved,omitempty"`

	// targets are the databases as they ran.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Targets []TargetStatus `json:"targets,omitempty"`

	// nodes that pods of the run have run on, those of targets and of clients alike.
	// Other fields name them.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=104
	Nodes []NodeInfo `json:"nodes,omitempty"`

	// specHash is the SHA-256 of the resolved spec, in hexadecimal: runs with the same
	// hash are the same experiment.
	// +optional
	SpecHash string `json:"specHash,omitempty"`

	// placement names the nodes that the run holds.
	// +optional
	Placement *Placement `json:"placement,omitempty"`

	// plan says how large the plan is and where it is stored.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`

	// results says where the results are stored.
	// +optional
	Results *ResultsStatus `json:"results,omitempty"`

	// trials are the attempts that ended last, at most 10, and the one that runs. The
	// ConfigMaps RUN-records-0000 and so on hold all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=11
	Trials []TrialStatus `json:"trials,omitempty"`

	// summary of the valid, undisturbed trials for each cell, target and measurement, at most
	// 128 entries. Where there are more, measurements are shown in the order of the tool's
	// list, each for all cells and targets or for none; where not even the main one fits, as
	// many whole cells as do. results.shownEntryCount of results.summaryEntryCount entries
	// are shown here; the ConfigMaps RUN-summary-0000 and so on hold all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Summary []SummaryEntry `json:"summary,omitempty"`

	// machineSpeed of the nodes over all trials of the run, for a comparison with other runs:
	// an entry for each side, node and kernel, and for each target where the kernel depends on
	// it. The record of a trial holds its own values.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	MachineSpeed []NodeSpeed `json:"machineSpeed,omitempty"`

	// findings of the validity checks, the last 20. The records of the trials hold all of
	// them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Findings []Finding `json:"findings,omitempty"`
}

// Progress of a run. All counts are numbers of trials.
type Progress struct {
	// planned is the number of trials in the plan; 0 until the run is accepted.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Planned int32 `json:"planned"`
	// Totals are the trials that have ended.
	Totals `json:",inline"`
	// text is "done/planned", for people.
	// +optional
	Text string `json:"text,omitempty"`
	// currentTrial is the index of the trial that is running; absent between trials.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CurrentTrial *int32 `json:"currentTrial,omitempty"`
	// current describes that trial for people, such as "innodb threads=64 block 3".
	// +optional
	Current string `json:"current,omitempty"`
	// estimatedCompletionTime of the last trial, from the spec's durations and the pace so
	// far.
	// +optional
	EstimatedCompletionTime *metav1.Time `json:"estimatedCompletionTime,omitempty"`
}

// Totals are numbers of trials.
type Totals struct {
	// done trials have ended for good.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Done int32 `json:"done"`
	// succeeded trials have a result.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Succeeded int32 `json:"succeeded,omitempty"`
	// failed trials have none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Failed int32 `json:"failed,omitempty"`
	// invalid trials succeeded with a result that contradicts itself.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Invalid int32 `json:"invalid,omitempty"`
	// disturbed trials succeeded with interference during the measurement (throttling,
	// restart, neighbour).
	// +optional
	// +kubebuilder:validation:Minimum=0
	Disturbed int32 `json:"disturbed,omitempty"`
	// retries is the number of attempts beyond the first ones.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Retries int32 `json:"retries,omitempty"`
}

// Placement names the nodes that a run holds from its start to its end.
type Placement struct {
	// clientNodeNames are the nodes of the client pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	ClientNodeNames []string `json:"clientNodeNames,omitempty"`
	// targets are the nodes of the database pods.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Targets []TargetPlacement `json:"targets,omitempty"`
}

// TargetPlacement names the nodes of the database pods of a target.
type TargetPlacement struct {
	// name of the target.
	// +required
	Name string `json:"name"`
	// nodeName is the node of its pod.
	// +required
	NodeName string `json:"nodeName"`
	// replicaNodeNames are the nodes of its replicas.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	ReplicaNodeNames []string `json:"replicaNodeNames,omitempty"`
}

// PlanStatus says how large the plan is and where it is stored.
type PlanStatus struct {
	// trialCount is the number of trials in the plan, 1 to 20,000.
	// +required
	TrialCount int32 `json:"trialCount"`
	// cellCount is the number of cells of the matrix, without those that are excluded.
	// +required
	CellCount int32 `json:"cellCount"`
	// seed of the order and of the tools' random numbers: design.seed, or what followed from
	// the spec.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`
	// sha256 of the plan in its canonical form, in hexadecimal: the same spec and seed give
	// the same hash.
	// +required
	SHA256 string `json:"sha256"`
	// configMapCount is the number of ConfigMaps RUN-plan-0000 and so on.
	// +required
	ConfigMapCount int32 `json:"configMapCount"`
}

// ResultsStatus says where the results are stored.
type ResultsStatus struct {
	// recordConfigMapCount is the number of ConfigMaps RUN-records-0000 and so on, with the
	// outcome of every attempt at a trial and the names of the ConfigMaps with its results.
	// +required
	RecordConfigMapCount int32 `json:"recordConfigMapCount"`
	// summaryConfigMapCount is the number of ConfigMaps RUN-summary-0000 and so on; absent
	// until the run ends.
	// +optional
	// +kubebuilder:validation:Minimum=1
	SummaryConfigMapCount int32 `json:"summaryConfigMapCount,omitempty"`
	// summaryEntryCount is the number of entries of the whole summary, in these ConfigMaps.
	// +optional
	// +kubebuilder:validation:Minimum=1
	SummaryEntryCount int32 `json:"summaryEntryCount,omitempty"`
	// shownEntryCount is the number of them that status.summary shows.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ShownEntryCount int32 `json:"shownEntryCount,omitempty"`
}

// Severities of findings.
const (
	// SeverityInvalid: the number must not be used.
	SeverityInvalid = "Invalid"
	// SeverityDisturbed: interference during the measurement; the number is not used either.
	SeverityDisturbed = "Disturbed"
	// SeverityWarning: the number is used; the reader should know.
	SeverityWarning = "Warning"
	// SeverityNote: a fact, and nothing against the number.
	SeverityNote = "Note"
)

// Finding is what a validity check found.
type Finding struct {
	// trial is the index of the trial that the finding is about; absent for one about the
	// whole run.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Trial *int32 `json:"trial,omitempty"`
	// client is the index of the client that the finding is about, where there are
	// several.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Client *int32 `json:"client,omitempty"`
	// target that the finding is about.
	// +optional
	Target string `json:"target,omitempty"`
	// check that found it, by its name in docs/reference/checks.md.
	// +required
	Check string `json:"check"`
	// severity is Invalid (the number must not be used), Disturbed (interference during the
	// measurement; not used either), Warning (the number is used; the reader should know) or
	// Note (a fact, and nothing against the number).
	// +required
	// +kubebuilder:validation:Enum=Invalid;Disturbed;Warning;Note
	Severity string `json:"severity"`
	// message with the numbers that contradict each other.
	// +required
	Message string `json:"message"`
}
