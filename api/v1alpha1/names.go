package v1alpha1

// Labels of everything that belongs to a run.
const (
	// LabelManagedBy has the value ManagedBy on every object that Assay makes.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// ManagedBy is the value of LabelManagedBy.
	ManagedBy = "assay"
	// LabelRun is the name of the run.
	LabelRun = "assay.dev/run"
	// LabelRunUID is the UID of the run: a run of the same name may have been before.
	LabelRunUID = "assay.dev/run-uid"
	// LabelRole is one of the roles.
	LabelRole = "assay.dev/role"
	// LabelTarget is the name of the target.
	LabelTarget = "assay.dev/target"
	// LabelReplica is the index of a replica of the target, from 0.
	LabelReplica = "assay.dev/replica"
	// LabelTenant is the number of the tenant that has the server of its target to itself, from 2. That of the first has no such label.
	LabelTenant = "assay.dev/tenant"
	// LabelPhase is the phase of a client's Job: Prepare, Run or Cleanup. Clients that stand have Run, also where they look at data first.
	LabelPhase = "assay.dev/phase"
	// LabelTrial is the index of the trial in the plan.
	LabelTrial = "assay.dev/trial"
	// LabelAttempt is the attempt at the trial, from 0.
	LabelAttempt = "assay.dev/attempt"
	// LabelStanding, on a Job and its pods, says that these clients measure one trial after the other. They have no LabelTrial.
	LabelStanding = "assay.dev/standing"
	// LabelQueueName, on a run, is the queue of Kueue that admits it by spec.suspend: such a run gives its nodes back at once when it is
	// suspended.
	LabelQueueName = "kueue.x-k8s.io/queue-name"
	// LabelSpecHash, on a run and on its journal, is the first half of the SHA-256 of
	// the resolved spec: equal experiments have equal hashes.
	LabelSpecHash = "assay.dev/spec-hash"
	// LabelSchedule, on a run and on a history, is the name of their BenchmarkSchedule.
	LabelSchedule = "assay.dev/schedule"
	// LabelScheduleUID is its UID: a schedule of the same name may have been before.
	LabelScheduleUID = "assay.dev/schedule-uid"
)

// Roles of a run's pods and objects.
const (
	RoleTarget = "target"
	// RoleReplica is that of a replica of a target.
	RoleReplica = "replica"
	// RoleTenant is that of the server of a tenant from the second on, where each has one of its own.
	RoleTenant = "tenant"
	RoleClient = "client"
	RoleTrial  = "trial"
	// RolePlaceholder is that of the Jobs that keep the place of pods on nodes that are made for a run.
	RolePlaceholder = "placeholder"
	RoleResult      = "result"
	// RoleJournal is that of the ConfigMaps with the plan, the records of the trials and the summary.
	RoleJournal = "journal"
	// RoleInputs is that of the ConfigMap with the files of the workload.
	RoleInputs = "inputs"
	// RoleUpload is that of the Secrets with signed URLs of the object store.
	RoleUpload = "upload"
	// RoleQuoted is that of the ConfigMaps with numbers that were measured elsewhere.
	RoleQuoted = "quoted"
	// RoleHistory is that of the ConfigMaps with the values of the runs of a schedule.
	RoleHistory = "history"
	// RoleReport is that of the ConfigMap with the report of a run that has ended.
	RoleReport = "report"
)

// Annotations.
const (
	// AnnotationClaimedBy is set by a client on its result ConfigMap before it does anything else: the pod, and a word
	// that is this process's own. No other process goes on with the result.
	AnnotationClaimedBy = "assay.dev/claimed-by"
	// AnnotationReady is set by a client on its result ConfigMap when it can start.
	AnnotationReady = "assay.dev/ready"
	// AnnotationStart is set by the manager on a trial's ConfigMap when it has published the start.
	AnnotationStart = "assay.dev/start"
	// AnnotationTarget, on a trial's ConfigMap, is the pod of the target and the
	// number of its restarts when the trial began.
	AnnotationTarget = "assay.dev/target-began-as"
	// AnnotationServicePods, on a trial's ConfigMap, are the pods behind the Service of an external target
	// when the trial began, as JSON.
	AnnotationServicePods = "assay.dev/service-pods"
	// AnnotationUsedBy, on a PersistentVolumeClaim that a run retains, is the server that uses the volume or used it last: the name and the
	// UID of its run, and the name of its StatefulSet, separated by slashes; then given-up where the run goes on without the volume.
	AnnotationUsedBy = "assay.dev/used-by"
	// AnnotationWrittenBy, on a PersistentVolumeClaim that a run retains, is the last of the later runs that may have written into the
	// volume: name, UID and the time of its start there, separated by slashes. Absent without such a run.
	AnnotationWrittenBy = "assay.dev/written-by"
	// AnnotationData, on a VolumeSnapshot that a run has made, says as JSON what its data is, and which server wrote it.
	AnnotationData = "assay.dev/data"
	// AnnotationSpecHash, on a run, is the whole SHA-256 of the resolved spec.
	AnnotationSpecHash = "assay.dev/spec-hash"
	// AnnotationRunNow, on a BenchmarkSchedule, starts one run for each new value, such as a time.
	AnnotationRunNow = "assay.dev/run-now"
	// AnnotationTrigger, on a run of a schedule, is what started it: Schedule, Change, Manual or Confirm.
	AnnotationTrigger = "assay.dev/trigger"
	// AnnotationScheduledTime, on a run of a schedule, is the time of the schedule that started it
	// (RFC 3339), without the jitter.
	AnnotationScheduledTime = "assay.dev/scheduled-time"
	// AnnotationChange, on a run of a schedule with onChange, tells the change that it measures from all others.
	AnnotationChange = "assay.dev/change"
	// AnnotationReplaces, on a run of a schedule with concurrencyPolicy Replace, are the UIDs of the runs that are deleted for it,
	// separated by commas.
	AnnotationReplaces = "assay.dev/replaces"
)
