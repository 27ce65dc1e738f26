package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkScheduleSpec starts runs of one template: at times, when something changed, or on
// demand.
//
// +kubebuilder:validation:XValidation:rule="!has(self.runTemplate.spec.ttlSecondsAfterFinished)",fieldPath=".runTemplate.spec.ttlSecondsAfterFinished",message="ttlSecondsAfterFinished must be left out of a template: successfulRunsHistoryLimit and failedRunsHistoryLimit delete the runs of a schedule, once they are in its history"
// +kubebuilder:validation:XValidation:rule="self.runTemplate.spec.targets.all(t, !has(t.mysql) || !has(t.mysql.storage.retain) || !t.mysql.storage.retain)",fieldPath=".runTemplate.spec.targets",message="mysql.storage.retain must be left out of a template: the history limits delete runs, and their volumes with them. Let a run of its own load, and name it by mysql.storage.fromRun"
// +kubebuilder:validation:XValidation:rule="self.runTemplate.spec.targets.all(t, !has(t.mysql) || !has(t.mysql.storage.snapshot))",fieldPath=".runTemplate.spec.targets",message="mysql.storage.snapshot must be left out of a template: its second run would find the name taken. Let a run of its own make it, and name it by mysql.storage.fromSnapshot"
// +kubebuilder:validation:XValidation:rule="!has(self.runTemplate.spec.suspend) || !self.runTemplate.spec.suspend",fieldPath=".runTemplate.spec.suspend",message="suspend must be left out of a template: use spec.suspend of the schedule"
type BenchmarkScheduleSpec struct {
	// schedule has the times, as lines of cron: minute, hour, day of the month, month, day of the
	// week, such as "30 2 * * MON-FRI", or a word such as @daily. Several lines, at most 16, are
	// written as a block of text; a line that begins with # is a comment. Absent: no times.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="!self.contains('TZ=')",message="a line has no time zone of its own: use timeZone"
	// +kubebuilder:validation:XValidation:rule="!self.contains('@every')",message="an interval such as @every counts from the start of a program: use a line such as */30 * * * *"
	Schedule string `json:"schedule,omitempty"`

	// timeZone of the schedule, a name of the IANA database such as Europe/Berlin. Absent: UTC. A line that names hours
	// comes once for each of its times. A time that a clock change skips comes when the clock jumps; of a time that a
	// clock change repeats, only the first comes. A line with * for the hours comes whenever the clock shows its minute.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_+/-]*$`
	TimeZone string `json:"timeZone,omitempty"`

	// startingDeadlineSeconds is how late a run may start, from 10 s to 31 days. A time whose
	// deadline has passed is missed, and reported. Absent: any delay is allowed until the next time.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=2678400
	StartingDeadlineSeconds *int64 `json:"startingDeadlineSeconds,omitempty"`

	// concurrencyPolicy is what happens when a run is to start while another run of the schedule is
	// active. Forbid (the default) waits for it. Allow starts the run, up to 32 at a time. Replace
	// deletes the active runs, with what they have measured.
	// +optional
	// +kubebuilder:default=Forbid
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`

	// suspend starts nothing but what assay.dev/run-now asks for. Runs that are active go on. Times
	// that pass meanwhile are not missed: they do not count.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// successfulRunsHistoryLimit is the number of successful runs that are kept with their results,
	// the newest ones, 0 to 100. A run is successful when it is complete and neither its condition Valid
	// nor its condition Passed is False. The history keeps the values of more runs.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	SuccessfulRunsHistoryLimit *int32 `json:"successfulRunsHistoryLimit,omitempty"`

	// failedRunsHistoryLimit is the number of other runs that are kept, 0 to 100.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	FailedRunsHistoryLimit *int32 `json:"failedRunsHistoryLimit,omitempty"`

	// historyReclaimPolicy is what becomes of the ConfigMap with the history when the schedule is deleted. Delete (the default)
	// deletes it with the runs. Retain keeps it: `kubectl assay schedule history --configmap` shows it, and no other schedule goes
	// on with it.
	// +optional
	// +kubebuilder:default=Delete
	HistoryReclaimPolicy HistoryReclaimPolicy `json:"historyReclaimPolicy,omitempty"`

	// jitter delays each time by up to this duration, at most 24h, and by less than what is left
	// until the next time. The delay follows from the schedule's UID and the time. So schedules of
	// one line do not all begin at once.
	// +optional
	// +kubebuilder:default="0s"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s') && duration(self) <= duration('24h')",message="jitter must be between 0s and 24h, such as 10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	Jitter metav1.Duration `json:"jitter,omitempty"`

	// onChange starts a run when the spec of the template changes, or what it names: the content of
	// a ConfigMap, the UID or the resourceVersion of a Secret with credentials, an InstanceShape, the
	// image that a version of the engine catalogue or the tool resolves to. What it names is compared
	// every five minutes, and at every change of the schedule. A new schedule has changed. The tag of an
	// image that moved is a change where the administrator lets the manager ask its registry (chart value
	// registries); the run names the image by the digest then.
	// +optional
	OnChange bool `json:"onChange,omitempty"`

	// alarm searches the history for what became slower, and says since when. Absent: nothing is searched.
	// +optional
	Alarm *Alarm `json:"alarm,omitempty"`

	// runTemplate is what the runs are made of. It can be changed at any time, for the runs that
	// start afterwards.
	// +required
	RunTemplate RunTemplate `json:"runTemplate"`
}

// ConcurrencyPolicy is what happens to a run that is to start while another one is active.
// +kubebuilder:validation:Enum=Forbid;Allow;Replace
type ConcurrencyPolicy string

// Concurrency policies.
const (
	ForbidConcurrent  ConcurrencyPolicy = "Forbid"
	AllowConcurrent   ConcurrencyPolicy = "Allow"
	ReplaceConcurrent ConcurrencyPolicy = "Replace"
)

// HistoryReclaimPolicy is what becomes of a history when its schedule is deleted.
// +kubebuilder:validation:Enum=Delete;Retain
type HistoryReclaimPolicy string

// Reclaim policies of histories.
const (
	DeleteHistory HistoryReclaimPolicy = "Delete"
	RetainHistory HistoryReclaimPolicy = "Retain"
)

// RunTemplate is what the runs of a schedule are made of.
type RunTemplate struct {
	// metadata of the runs.
	// +optional
	Metadata RunTemplateMetadata `json:"metadata,omitzero"`

	// namePattern of the runs. {schedule} is the name of the schedule. {id} is the time in UTC, such
	// as 20261122-0230, or change-, now- or again- with eight characters. The name of a run follows from
	// what started it, so that nothing is started twice.
	// +optional
	// +kubebuilder:default="{schedule}-{id}"
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^([{]schedule[}]|[a-z])([{]schedule[}]|[{]id[}]|[-a-z0-9])*([{]schedule[}]|[{]id[}]|[a-z0-9])$`
	// +kubebuilder:validation:XValidation:rule="self.contains('{id}')",message="namePattern must contain {id}, such as {schedule}-{id}: runs have different names"
	NamePattern string `json:"namePattern,omitempty"`

	// spec of the runs.
	// +required
	Spec BenchmarkRunSpec `json:"spec"`
}

// RunTemplateMetadata are labels and annotations of runs. Names of the domain assay.dev are
// Assay's own.
type RunTemplateMetadata struct {
	// labels of the runs.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 63)",message="names have at most 317 characters, and values at most 63 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('assay.dev/'))",message="labels of the domain assay.dev are Assay's own"
	Labels map[string]string `json:"labels,omitempty"`

	// annotations of the runs.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 4096)",message="names have at most 317 characters, and values at most 4096 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('assay.dev/'))",message="annotations of the domain assay.dev are Assay's own"
	Annotations map[string]string `json:"annotations,omitempty"`
}

// BenchmarkSchedule starts BenchmarkRuns at times, when something changed, or on demand, and keeps
// the history of their values.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bmsched
// +kubebuilder:printcolumn:name="Schedule",type=string,JSONPath=`.spec.schedule`
// +kubebuilder:printcolumn:name="Suspend",type=boolean,JSONPath=`.spec.suspend`
// +kubebuilder:printcolumn:name="Active",type=string,JSONPath=`.status.active[*].name`
// +kubebuilder:printcolumn:name="Last",type=date,JSONPath=`.status.lastScheduleTime`
// +kubebuilder:printcolumn:name="Next",type=string,format=date-time,JSONPath=`.status.nextScheduleTime`
// +kubebuilder:printcolumn:name="Outcome",type=string,JSONPath=`.status.lastRun.outcome`
// +kubebuilder:printcolumn:name="Result",type=string,priority=1,JSONPath=`.status.lastRun.headline`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Regressed",type=string,JSONPath=`.status.conditions[?(@.type=="Regressed")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() + self.spec.runTemplate.namePattern.size() <= 62",message="the names of the runs would have more than 63 characters, because {id} takes 15: give the schedule a name of at most 47 characters, or a shorter namePattern"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must begin with a letter and hold only lower-case letters, digits and '-': it becomes part of the names of runs"
type BenchmarkSchedule struct {
	metav1.TypeMeta `json:",inline"`
	// metadata of the schedule.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec of the schedule.
	// +required
	Spec BenchmarkScheduleSpec `json:"spec"`
	// status of the schedule.
	// +optional
	// +kubebuilder:default={"observedGeneration":-1}
	Status BenchmarkScheduleStatus `json:"status,omitzero"`
}

// BenchmarkScheduleList is a list of schedules.
//
// +kubebuilder:object:root=true
type BenchmarkScheduleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	// +required
	Items []BenchmarkSchedule `json:"items"`
}
