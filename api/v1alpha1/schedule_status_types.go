package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkScheduleStatus is the observed state of a schedule.
type BenchmarkScheduleStatus struct {
	// observedGeneration is the generation of the spec that this status describes; -1 until the
	// manager has seen the schedule.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions of the schedule: Ready, Reconciling, Stalled, OnSchedule, Suspended, and where they apply Regressed and
	// ImagesResolved.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// lastScheduleTime is the last time of the schedule for which a run was started, without its
	// jitter.
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`

	// nextScheduleTime is when the next run starts by the schedule, with its jitter. Absent without
	// times, and while suspended.
	// +optional
	NextScheduleTime *metav1.Time `json:"nextScheduleTime,omitempty"`

	// accountedTime is the time up to which all times of the schedule are accounted for: a run was
	// started, they were missed, or they passed while the schedule was suspended. Absent: since the
	// schedule was created.
	// +optional
	AccountedTime *metav1.Time `json:"accountedTime,omitempty"`

	// scheduleHash is of the schedule and the time zone that accountedTime is about. When they
	// change, the times before the change do not count.
	// +optional
	ScheduleHash Digest `json:"scheduleHash,omitempty"`

	// lastSuccessfulTime is when the last successful run ended.
	// +optional
	LastSuccessfulTime *metav1.Time `json:"lastSuccessfulTime,omitempty"`

	// active are the runs that have not ended, at most 32, the oldest first.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Active []ActiveRun `json:"active,omitempty"`

	// lastRun is the run that ended last.
	// +optional
	LastRun *EndedRun `json:"lastRun,omitempty"`

	// missed are the times of the schedule for which no run was started.
	// +optional
	Missed *MissedTimes `json:"missed,omitempty"`

	// change is what onChange has seen last.
	// +optional
	Change *SeenChange `json:"change,omitempty"`

	// runNow is the value of the annotation assay.dev/run-now that a run was started for last.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	RunNow string `json:"runNow,omitempty"`

	// confirmation is the extra run that was started last to confirm a regression. Only with
	// spec.alarm.confirmBy: ExtraRun.
	// +optional
	Confirmation *Confirmation `json:"confirmation,omitempty"`

	// regressions are what became slower, confirmed ones first, at most 16. Only with spec.alarm.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Regressions []ScheduleRegression `json:"regressions,omitempty"`

	// history is where the values of the runs are kept.
	// +optional
	History *HistoryStatus `json:"history,omitempty"`
}

// RunTrigger is what started a run of a schedule.
// +kubebuilder:validation:Enum=Schedule;Change;Manual;Confirm
type RunTrigger string

// Triggers.
const (
	// TriggerSchedule: a time of the schedule.
	TriggerSchedule RunTrigger = "Schedule"
	// TriggerChange: a change of the template, or of what it names.
	TriggerChange RunTrigger = "Change"
	// TriggerManual: the annotation assay.dev/run-now.
	TriggerManual RunTrigger = "Manual"
	// TriggerConfirm: the run before was slower than its gate allows, and this one is to confirm it.
	TriggerConfirm RunTrigger = "Confirm"
)

// ActiveRun is a run that has not ended.
type ActiveRun struct {
	// name of the run.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// uid of the run.
	// +required
	UID Digest `json:"uid"`
	// startTime is when the run was created.
	// +required
	StartTime metav1.Time `json:"startTime"`
}

// EndedRun is a run that has ended.
type EndedRun struct {
	// name of the run.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// uid of the run.
	// +required
	UID Digest `json:"uid"`
	// trigger is what started it: Schedule, Change, Manual or Confirm.
	// +optional
	Trigger RunTrigger `json:"trigger,omitempty"`
	// completionTime is when it ended.
	// +required
	CompletionTime metav1.Time `json:"completionTime"`
	// outcome is the status.outcome of the run: Failed, Invalid, GateFailed or GateNotJudged of one that did not succeed.
	// +required
	Outcome Name `json:"outcome"`
	// reason and message of a run that did not succeed: those of Failed, of Valid or of Passed.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Reason string `json:"reason,omitempty"`
	// message says what failed.
	// +optional
	Message Line `json:"message,omitempty"`
	// verdict of the run.
	// +optional
	Verdict Line `json:"verdict,omitempty"`
	// headline of the run.
	// +optional
	Headline Line `json:"headline,omitempty"`
}

// MissedTimes are times of a schedule for which no run was started.
type MissedTimes struct {
	// count of them since the schedule was created.
	// +required
	// +kubebuilder:validation:Minimum=1
	Count int64 `json:"count"`
	// lastTime is the last one.
	// +required
	LastTime metav1.Time `json:"lastTime"`
	// message says why it was missed.
	// +optional
	Message Line `json:"message,omitempty"`
}

// SeenChange is a state of the template and of what it names.
type SeenChange struct {
	// digest of the template's spec and of what it names.
	// +required
	Digest Digest `json:"digest"`
	// specDigest is the digest of the template's spec at the last pass of the manager.
	// +optional
	SpecDigest Digest `json:"specDigest,omitempty"`
	// generation of the schedule that specDigest is of. While it equals the schedule's generation, the template is
	// unchanged, even if another release has other defaults.
	// +optional
	Generation int64 `json:"generation,omitempty"`
	// images are those whose tags were looked up, with the digests that the run was started with.
	// +optional
	// +listType=map
	// +listMapKey=image
	// +kubebuilder:validation:MaxItems=32
	Images []SeenImage `json:"images,omitempty"`
	// time at which a run was started for it.
	// +required
	Time metav1.Time `json:"time"`
	// run that was started for it.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Run string `json:"run"`
}

// SeenImage is an image whose tag was looked up.
// +kubebuilder:object:generate=false
type SeenImage struct {
	// image as it is named.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Image string `json:"image"`
	// digest that its tag had.
	// +required
	// +kubebuilder:validation:MaxLength=256
	Digest string `json:"digest"`
}

// Confirmation is a run that confirms another one.
type Confirmation struct {
	// of is the run that it is to confirm, by its name and its UID.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Of string `json:"of"`
	// ofUID is the UID of that run.
	// +required
	OfUID Digest `json:"ofUID"`
	// run that confirms.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Run string `json:"run"`
	// time at which it was started.
	// +required
	Time metav1.Time `json:"time"`
}

// HistoryStatus says where the values of the runs are kept.
type HistoryStatus struct {
	// configMap with the history.
	// +required
	// +kubebuilder:validation:MaxLength=253
	ConfigMap string `json:"configMap"`
	// runCount is the number of runs in it.
	// +required
	// +kubebuilder:validation:Minimum=0
	RunCount int32 `json:"runCount"`
	// droppedRunCount is the number of runs that were removed from it because it was full, the
	// oldest first.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DroppedRunCount int32 `json:"droppedRunCount,omitempty"`
	// lostRunCount is the number of runs of histories that somebody deleted.
	// +optional
	// +kubebuilder:validation:Minimum=0
	LostRunCount int32 `json:"lostRunCount,omitempty"`
	// deletedRunCount is the number of active runs that somebody deleted, at least: each was there in one pass of the manager and gone in
	// the next. The history does not have them.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DeletedRunCount int32 `json:"deletedRunCount,omitempty"`
	// sizeBytes is what its ConfigMap takes in etcd, in bytes.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SizeBytes int64 `json:"sizeBytes,omitempty"`
	// sha256 of the history as its ConfigMap has it, compressed, in hexadecimal. A history with neither this digest nor one of
	// nextSHA256 is not used.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256,omitempty"`
	// judgedSHA256 is the digest of the history that regressions are about; absent while they are those of an earlier one, or of none.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	JudgedSHA256 string `json:"judgedSHA256,omitempty"`
	// nextSHA256 are the digests of what was about to be written over it: a history with one of them is as good. A manager that
	// died between both writes leaves one behind.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=64
	NextSHA256 []string `json:"nextSHA256,omitempty"`
}
