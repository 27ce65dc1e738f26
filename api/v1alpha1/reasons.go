package v1alpha1

// The one vocabulary of reasons: of conditions, of failed trials, and of the agents, whose reasons the manager copies.
// A transient reason goes away without the user, or may not affect the next attempt. A permanent reason comes back
// until the user changes something. docs/reference/conditions.md is generated from the groups below.

// Transient: states of a step. The manager goes on by itself.
const (
	// ReasonSucceeded: the step is done, or the run is complete.
	ReasonSucceeded = "Succeeded"
	// ReasonStoppedEarly: every compared ratio is known well enough (design.precision), the time is up (design.within), or
	// enough blocks count (design.reserveBlocks), so that the blocks that are left were not measured.
	ReasonStoppedEarly = "StoppedEarly"
	// ReasonNotReached: the run has not come so far, or ended before.
	ReasonNotReached = "NotReached"
	// ReasonNotContacted: no login to an external target was attempted yet.
	ReasonNotContacted = "NotContacted"
	// ReasonProgressing: the step is being worked on.
	ReasonProgressing = "Progressing"
	// ReasonRetrying: an error occurred that may go away; the step is tried again.
	ReasonRetrying = "Retrying"
	// ReasonSuspended: spec.suspend is true.
	ReasonSuspended = "Suspended"
	// ReasonNotSuspended: spec.suspend is false.
	ReasonNotSuspended = "NotSuspended"
	// ReasonOnlyLoaded: the data is there, and spec.data.policy: Make measures nothing.
	ReasonOnlyLoaded = "OnlyLoaded"
	// ReasonQueued: other runs hold the nodes, are in front of this run in the queue, use up the limits of its namespace, or
	// have reserved the room for its results; or a ResourceQuota has no room for its pods now.
	ReasonQueued = "Queued"
	// ReasonProvisioningNodes: placeholder pods of the run, or its ProvisioningRequests, wait for the autoscaler of the cluster to make nodes.
	ReasonProvisioningNodes = "ProvisioningNodes"
	// ReasonServiceNotReady: behind the Service of an external target nothing is ready yet, or its pods are just being
	// replaced.
	ReasonServiceNotReady = "ServiceNotReady"
	// ReasonVolumeSnapshotNotReady: the VolumeSnapshot that storage.fromSnapshot names cannot be used yet, an older run may take the
	// name that storage.snapshot gives, or the manager cannot read VolumeSnapshots at the moment.
	ReasonVolumeSnapshotNotReady = "VolumeSnapshotNotReady"
	// ReasonJournalTooNew: a newer Assay wrote the plan or the records of the trials in a form that this manager must
	// not continue, or accepted a spec that this manager refuses. The run waits for the other manager.
	ReasonJournalTooNew = "JournalTooNew"
	// ReasonOffered: nodes offer the shape.
	ReasonOffered = "Offered"
)

// Permanent: the spec, or what it names, has to change. The run ends before it measures.
const (
	// ReasonInvalidSpec: the spec contradicts itself in a way that the API server cannot check.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonTooManyTrials: the plan would have more trials or cells than the operator's limits
	// (limits.trials, limits.cells).
	ReasonTooManyTrials = "TooManyTrials"
	// ReasonSpecTooLarge: the spec, or the workloads of all its cells together, have more bytes than
	// the operator's limits (limits.specBytes, limits.workBytes), or the values of spec.matrix than a plan holds.
	ReasonSpecTooLarge = "SpecTooLarge"
	// ReasonResultBudgetExceeded: the results could take more of etcd than the budget of a run,
	// of its namespace or of all namespaces; the message has the arithmetic.
	ReasonResultBudgetExceeded = "ResultBudgetExceeded"
	// ReasonShapeNotFound: a named InstanceShape does not exist.
	ReasonShapeNotFound = "ShapeNotFound"
	// ReasonShapeNotAllowed: the operator's configuration does not allow an inline shape, or what it has.
	ReasonShapeNotAllowed = "ShapeNotAllowed"
	// ReasonVersionNotInCatalogue: the engine catalogue has no such version.
	ReasonVersionNotInCatalogue = "VersionNotInCatalogue"
	// ReasonSecretNotFound: a named Secret does not exist.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonSecretIncomplete: a named Secret lacks a key.
	ReasonSecretIncomplete = "SecretIncomplete"
	// ReasonServiceNotFound: the Service of an external target does not exist.
	ReasonServiceNotFound = "ServiceNotFound"
	// ReasonServiceUnusable: the Service of an external target has no such port, nobody ready behind it for too long, more
	// pods than are looked at, or is a name of something outside of the cluster.
	ReasonServiceUnusable = "ServiceUnusable"
	// ReasonConfigMapNotFound: a named ConfigMap does not exist.
	ReasonConfigMapNotFound = "ConfigMapNotFound"
	// ReasonSettingInvalid: a server setting of the spec is malformed, or is one that Assay sets.
	ReasonSettingInvalid = "SettingInvalid"
	// ReasonPublishedUnreadable: the text of a published target has no readable number.
	ReasonPublishedUnreadable = "PublishedUnreadable"
	// ReasonNoNodeOffersShape: no ready node matches a shape and is large enough.
	ReasonNoNodeOffersShape = "NoNodeOffersShape"
	// ReasonNodesNotProvisioned: the autoscaler of the cluster made no node for a placeholder pod in the time that the shape allows, or
	// refuses a ProvisioningRequest.
	ReasonNodesNotProvisioned = "NodesNotProvisioned"
	// ReasonCannotSeparate: client and target cannot be placed on different nodes.
	ReasonCannotSeparate = "CannotSeparate"
	// ReasonChildConflict: an object of the same name exists and belongs to another owner, or asks for other nodes than the run does.
	ReasonChildConflict = "ChildConflict"
	// ReasonQuotaExceeded: the run alone needs more at a time than a ResourceQuota of its namespace allows.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonOutsideLimitRange: a LimitRange of the namespace does not allow a pod, a container or a volume of the run.
	ReasonOutsideLimitRange = "OutsideLimitRange"
	// ReasonPodRejected: the API server or a kubelet refuses a pod of the run.
	ReasonPodRejected = "PodRejected"
	// ReasonPriorityNotAllowed: spec.priority is outside of what the operator's configuration allows to the namespace.
	ReasonPriorityNotAllowed = "PriorityNotAllowed"
	// ReasonDeadlineNotAllowed: spec.deadline is longer than the operator's configuration allows to the namespace.
	ReasonDeadlineNotAllowed = "DeadlineNotAllowed"
	// ReasonNamespaceLimitExceeded: the run alone needs more nodes than its namespace may hold.
	ReasonNamespaceLimitExceeded = "NamespaceLimitExceeded"
	// ReasonDataSetMissing: spec.data.policy is Use, and there is no archive that fits a target.
	ReasonDataSetMissing = "DataSetMissing"
	// ReasonRetainedVolumeUnfit: the volume that storage.fromRun names, or what was made of the VolumeSnapshot that storage.fromSnapshot names, is not
	// there, or holds the data of another server than the target is.
	ReasonRetainedVolumeUnfit = "RetainedVolumeUnfit"
	// ReasonNoVolumeSnapshots: the cluster has no VolumeSnapshots, or the manager may not use them.
	ReasonNoVolumeSnapshots = "NoVolumeSnapshots"
	// ReasonVolumeSnapshotUnfit: the VolumeSnapshot that storage.fromSnapshot names was deleted after the run was accepted, is larger than the volume, or
	// holds the data of another server than the target is; or there is one already of the name that storage.snapshot gives.
	ReasonVolumeSnapshotUnfit = "VolumeSnapshotUnfit"
	// ReasonVolumeSnapshotFailed: the VolumeSnapshot that storage.fromSnapshot names did not become ready in time.
	ReasonVolumeSnapshotFailed = "VolumeSnapshotFailed"
	// ReasonLimitTooLow: the workload needs more than a limit of the server or of the client's
	// container; the message has the arithmetic.
	ReasonLimitTooLow = "LimitTooLow"
)

// Permanent: the server, the tool or the image cannot do what was asked.
const (
	// ReasonInitialisationFailed: the data directory or the benchmark's account could not be created.
	ReasonInitialisationFailed = "InitialisationFailed"
	// ReasonServerRefusedSetting: the server ended because it refuses a setting.
	ReasonServerRefusedSetting = "ServerRefusedSetting"
	// ReasonSettingNotInForce: a setting that the matrix varies was not in force in the whole trial: the server refused it, or took another value.
	ReasonSettingNotInForce = "SettingNotInForce"
	// ReasonServerMissing: the image has no server of the flavor that starts, or lacks the storage engine.
	ReasonServerMissing = "ServerMissing"
	// ReasonImagePullFailed: an image cannot be pulled.
	ReasonImagePullFailed = "ImagePullFailed"
	// ReasonContainerStartFailed: the container runtime cannot start a container.
	ReasonContainerStartFailed = "ContainerStartFailed"
	// ReasonCredentialsRejected: the server refused the user or the password.
	ReasonCredentialsRejected = "CredentialsRejected"
	// ReasonTLSFailed: TLS was requested and is unavailable, or the reverse.
	ReasonTLSFailed = "TLSFailed"
	// ReasonSchemaMissing: the database or a table does not exist.
	ReasonSchemaMissing = "SchemaMissing"
	// ReasonSchemaNotEmpty: a table of the workload exists already.
	ReasonSchemaNotEmpty = "SchemaNotEmpty"
	// ReasonToolMissing: the image does not have the tool.
	ReasonToolMissing = "ToolMissing"
	// ReasonToolLost: the tool's container ended before the tool, or does not answer the agent.
	ReasonToolLost = "ToolLost"
	// ReasonToolFailed: the tool failed in another way: see the message.
	ReasonToolFailed = "ToolFailed"
	// ReasonTrialUnreadable: the agent could not read the description of the trial: manager
	// and agent are of different versions.
	ReasonTrialUnreadable = "TrialUnreadable"
	// ReasonResultTooLarge: the result does not fit into its ConfigMap or into the object store, or has more than the
	// operator's limits (limits.measurements, limits.resultMemory).
	ReasonResultTooLarge = "ResultTooLarge"
	// ReasonTargetOOMKilled: the database needed more memory than its shape has and was killed.
	ReasonTargetOOMKilled = "TargetOOMKilled"
	// ReasonClientOOMKilled: the tool needed more memory than the shape of the clients has and was killed.
	ReasonClientOOMKilled = "ClientOOMKilled"
	// ReasonAgentOOMKilled: the agent of a client pod needed more memory than agent.resources of
	// the operator's configuration gives it and was killed.
	ReasonAgentOOMKilled = "AgentOOMKilled"
	// ReasonDiskLimitExceeded: a pod wrote more to the disk of its node than it may, and was evicted.
	ReasonDiskLimitExceeded = "DiskLimitExceeded"
	// ReasonTargetOverloaded: the target did not achieve the offered rate of an open loop, and the tool gave up.
	ReasonTargetOverloaded = "TargetOverloaded"
	// ReasonOperationsUnfinished: the requested operations did not end in time.
	ReasonOperationsUnfinished = "OperationsUnfinished"
	// ReasonDataDiffers: after a reset the tables differ from the loaded data.
	ReasonDataDiffers = "DataDiffers"
	// ReasonDataSetDamaged: an archive of a data set is not what its manifest says. Nothing of it was used.
	ReasonDataSetDamaged = "DataSetDamaged"
	// ReasonSnapshotMissing: there is no snapshot of the loaded data to restore: one of design.dataReset, not a VolumeSnapshot.
	ReasonSnapshotMissing = "SnapshotMissing"
	// ReasonUnauthorized: a request to the agent has no signature that holds, or was made before.
	ReasonUnauthorized = "Unauthorized"
	// ReasonRequestInvalid: a request to the agent has no valid operation or an invalid parameter.
	ReasonRequestInvalid = "RequestInvalid"
	// ReasonJournalLost: a ConfigMap with the plan or the records of the trials was deleted.
	// The measured trials are no longer known.
	ReasonJournalLost = "JournalLost"
	// ReasonInputsLost: the run's copy of the files of the workload was deleted or changed.
	ReasonInputsLost = "InputsLost"
)

// Transient: interference with an attempt. Another attempt can succeed.
const (
	// ReasonUnschedulable: the scheduler found no node for a pod in time.
	ReasonUnschedulable = "Unschedulable"
	// ReasonPodEvicted: a pod of the run was evicted (drain, taint, pressure on its node) or preempted.
	ReasonPodEvicted = "PodEvicted"
	// ReasonNodeLost: the node of a pod is gone, does not answer, or was shut down.
	ReasonNodeLost = "NodeLost"
	// ReasonClientLost: a client pod or its container vanished for an unknown reason.
	ReasonClientLost = "ClientLost"
	// ReasonAlreadyBegun: another client pod has begun this attempt. Its Job was deleted and
	// created again; nothing was measured a second time.
	ReasonAlreadyBegun = "AlreadyBegun"
	// ReasonInterrupted: the client pod was terminated.
	ReasonInterrupted = "Interrupted"
	// ReasonTargetPodDeleted: the database pod was deleted during a trial.
	ReasonTargetPodDeleted = "TargetPodDeleted"
	// ReasonTargetCrashed: the database container ended in a trial, or repeatedly at its start.
	ReasonTargetCrashed = "TargetCrashed"
	// ReasonTargetRestarted: the database restarted during a trial, unnoticed by the tool.
	ReasonTargetRestarted = "TargetRestarted"
	// ReasonServerCrashed: the agent of the database pod reports that the server ended unexpectedly.
	ReasonServerCrashed = "ServerCrashed"
	// ReasonServerKilled: the agent of the database pod reports that the server was killed by
	// SIGKILL, most likely because memory ran out.
	ReasonServerKilled = "ServerKilled"
	// ReasonStorageFailed: a volume is full or cannot be written.
	ReasonStorageFailed = "StorageFailed"
	// ReasonTargetUnreachable: no connection to the server could be made.
	ReasonTargetUnreachable = "TargetUnreachable"
	// ReasonConnectionLost: connections that had been made were lost.
	ReasonConnectionLost = "ConnectionLost"
	// ReasonDeadlineExceeded: a step did not end in time; the message names the timeout.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonResultMissing: a client ended without a result.
	ReasonResultMissing = "ResultMissing"
	// ReasonResultContradictory: the result differs from the one in the client's termination message.
	ReasonResultContradictory = "ResultContradictory"
	// ReasonOutputTruncated: the tool succeeded, but part of its report is missing.
	ReasonOutputTruncated = "OutputTruncated"
	// ReasonDeliveryFailed: the result could not be written into its ConfigMap.
	ReasonDeliveryFailed = "DeliveryFailed"
	// ReasonResetFailed: the data could not be restored, or the server not be started again or changed, before the trial.
	ReasonResetFailed = "ResetFailed"
	// ReasonSnapshotFailed: the snapshot of the loaded data could not be taken: one of design.dataReset, not a VolumeSnapshot.
	ReasonSnapshotFailed = "SnapshotFailed"
	// ReasonDataSetFailed: a data set could not be brought to the object store, or read from there.
	ReasonDataSetFailed = "DataSetFailed"
	// ReasonReplicationFailed: the replicas of the target did not catch up with it.
	ReasonReplicationFailed = "ReplicationFailed"
	// ReasonBusy: the agent of the database pod runs another operation.
	ReasonBusy = "Busy"
	// ReasonAgentStopped: the agent was terminated before the operation ended. A restore
	// continues when the agent starts again; a snapshot does not.
	ReasonAgentStopped = "AgentStopped"
)

// Verdicts: reasons of Valid, and of a run in which nothing could be used.
const (
	// ReasonContradictions: a validity check found a contradiction.
	ReasonContradictions = "Contradictions"
	// ReasonNoUsableTrial: no trial counts: all results contradict themselves, were disturbed,
	// or belong to a disturbed block.
	ReasonNoUsableTrial = "NoUsableTrial"
	// ReasonTampered: the plan, the records, a result or the summary is not what was stored: the
	// message names the object and what differs. During the run it ends the run.
	ReasonTampered = "Tampered"
	// ReasonAllTrialsFailed: every trial of the plan ended without a result.
	ReasonAllTrialsFailed = "AllTrialsFailed"
)

// Schedules: reasons of the conditions of a BenchmarkSchedule, besides those above.
const (
	// ReasonOnSchedule: a run was started for the last time of the schedule.
	ReasonOnSchedule = "OnSchedule"
	// ReasonNotScheduled: the schedule has no times.
	ReasonNotScheduled = "NotScheduled"
	// ReasonScheduleMissed: no run was started for a time of the schedule: the manager or the API
	// server was not there, a run was active for too long, or the run was rejected.
	ReasonScheduleMissed = "ScheduleMissed"
	// ReasonRunActive: a run is to start, and waits until the active ones have ended.
	ReasonRunActive = "RunActive"
	// ReasonRunRejected: the API server refuses the run that the template describes.
	ReasonRunRejected = "RunRejected"
	// ReasonImageUnresolved: a registry did not say which digest the tag of an image has. No run is started for that.
	ReasonImageUnresolved = "ImageUnresolved"
	// ReasonRegressed: a measurement became slower, and further runs confirm it.
	ReasonRegressed = "Regressed"
	// ReasonUnconfirmed: a measurement became slower, and no further run has confirmed it yet.
	ReasonUnconfirmed = "Unconfirmed"
	// ReasonLastRunFailed: the outcome of the last run is Failed, Invalid or GateFailed.
	ReasonLastRunFailed = "LastRunFailed"
	// ReasonHistoryUnreadable: the ConfigMap with the history cannot be read, belongs to another
	// object, or was written by a newer Assay. Where it is not what Assay wrote, the reason is Tampered. Runs are not deleted meanwhile.
	ReasonHistoryUnreadable = "HistoryUnreadable"
)

// Gates: reasons of Passed. With health: Required, they are those of Stalled, too.
const (
	// ReasonSlower: a measurement is worse than its baseline allows, or a comparison of the run loses more than the margin. The
	// message names it.
	ReasonSlower = "Slower"
	// ReasonMissing: the run has no value that counts for a measurement of the baseline.
	ReasonMissing = "Missing"
	// ReasonNew: the run has a measurement that the baseline does not have.
	ReasonNew = "New"
	// ReasonInvalid: the results of the run contradict themselves, or none counts.
	ReasonInvalid = "Invalid"
	// ReasonRunFailed: the run has failed, so that it has not passed.
	ReasonRunFailed = "RunFailed"
	// ReasonBaselineNotFound: the namespace has no BenchmarkBaseline of that name. Nothing was compared.
	ReasonBaselineNotFound = "BaselineNotFound"
	// ReasonBaselineInvalid: the numbers of the BenchmarkBaseline contradict themselves.
	ReasonBaselineInvalid = "BaselineInvalid"
	// ReasonNotAlike: the run was measured in other circumstances than its baseline, or two targets of the run in circumstances
	// that differ, in what requireLike names.
	ReasonNotAlike = "NotAlike"
	// ReasonNotComparable: the run has another workload than that of the baseline. Nothing was compared.
	ReasonNotComparable = "NotComparable"
	// ReasonNotJudged: no measurement can be compared, a comparison of the run shows neither that the margin is lost nor that it
	// is not, or there is neither a gate nor a search for change points that can find one.
	ReasonNotJudged = "NotJudged"
)

// Reports: reasons of status.report, besides those above. They say nothing about the run.
const (
	// ReasonReportTooLarge: the page would take more memory than the manager gives to it. The ConfigMap of the report has its tables.
	ReasonReportTooLarge = "ReportTooLarge"
	// ReasonReportNotStored: a part of the report could not be stored, and is not tried again.
	ReasonReportNotStored = "ReportNotStored"
)
