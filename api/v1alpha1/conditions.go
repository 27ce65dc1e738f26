package v1alpha1

// Types of the conditions of a BenchmarkRun. Each one belongs to one step of the
// reconciler; it is absent until the step before it is done.
const (
	// ConditionAccepted: True when every reference is resolved and the plan is
	// made; False when the user must act, and then the run is Failed.
	ConditionAccepted = "Accepted"
	// ConditionPlaced: True when the run holds a node for every pod; False with reason
	// Queued while other runs use them.
	ConditionPlaced = "Placed"
	// ConditionTargetsReady: True when a login as the benchmark's user works on every
	// target that Assay starts; False while one is not yet there, or when it cannot come
	// up. With design.idleTargets: Stopped it becomes True with the first target that
	// is up, and stays so while another one is stopped or brought up for its turn; the
	// step that wants the target, DataLoaded or Measured, waits for it. It becomes
	// False when that one fails to start, restarts, or loses its node or its pod. Until the data of an external target is loaded, the reason is NotContacted:
	// nobody has tried to log in there.
	ConditionTargetsReady = "TargetsReady"
	// ConditionDataLoaded: True when every target holds the workload's data.
	ConditionDataLoaded = "DataLoaded"
	// ConditionMeasured: True when every trial of the plan has ended; False with
	// reason Progressing while they run, with the reason of a trial if one failed and
	// ended the run.
	ConditionMeasured = "Measured"
	// ConditionValid: True when no validity check found a contradiction, False
	// when one did; absent until there is something to check.
	ConditionValid = "Valid"
	// ConditionComplete: True when all trials have ended and the results stand in
	// the status; absent otherwise.
	ConditionComplete = "Complete"
	// ConditionFailed: True when the run has ended without all its results; the
	// reason says why; absent otherwise.
	ConditionFailed = "Failed"
	// ConditionSuspended: True while spec.suspend holds the run back.
	ConditionSuspended = "Suspended"
	// ConditionReconciling: True while the run is on its way. Together with
	// Stalled it lets kstatus, and so Flux and Argo CD, see when a run has ended.
	ConditionReconciling = "Reconciling"
	// ConditionStalled: True when the run has failed.
	ConditionStalled = "Stalled"
	// ConditionOffered: on an InstanceShape, True when a node offers it.
	ConditionOffered = "Offered"
)

// Reasons of conditions and of failed trials. The agent's own reasons
// (internal/result, engines/engine) are used verbatim beside these.
// docs/conditions.md lists all of them.
const (
	// ReasonSucceeded: the step is done.
	ReasonSucceeded = "Succeeded"
	// ReasonNotContacted: there is an external target that nobody has logged in to yet.
	ReasonNotContacted = "NotContacted"
	// ReasonProgressing: the step is being worked on.
	ReasonProgressing = "Progressing"
	// ReasonRetrying: something went wrong that may mend itself; the step is tried
	// again.
	ReasonRetrying = "Retrying"
	// ReasonSuspended: spec.suspend is true.
	ReasonSuspended = "Suspended"
	// ReasonQueued: other runs use the nodes, or are before this one in the queue.
	ReasonQueued = "Queued"
	// ReasonTooManyTrials: the plan would have more than 20,000 trials.
	ReasonTooManyTrials = "TooManyTrials"
	// ReasonInvalidSpec: the spec contradicts itself in a way that only the
	// manager can see.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonShapeNotFound: a named InstanceShape does not exist.
	ReasonShapeNotFound = "ShapeNotFound"
	// ReasonVersionNotInCatalogue: the engine catalogue has no such version.
	ReasonVersionNotInCatalogue = "VersionNotInCatalogue"
	// ReasonSecretNotFound: a named Secret does not exist.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonSecretIncomplete: a named Secret lacks a key.
	ReasonSecretIncomplete = "SecretIncomplete"
	// ReasonConfigNotFound: a named ConfigMap does not exist.
	ReasonConfigMapNotFound = "ConfigMapNotFound"
	// ReasonConfigRejected: a server setting is malformed or owned by Assay.
	ReasonSettingInvalid = "SettingInvalid"
	// ReasonPublishedUnreadable: the text of a published target has no number that can be
	// read.
	ReasonPublishedUnreadable = "PublishedUnreadable"
	// ReasonInputsLost: the run's copy of the files of the workload was deleted or changed.
	ReasonInputsLost = "InputsLost"
	// ReasonNoNodeOffersShape: no ready node matches a shape and is large enough.
	ReasonNoNodeOffersShape = "NoNodeOffersShape"
	// ReasonCannotSeparate: client and target cannot be on different nodes.
	ReasonCannotSeparate = "CannotSeparate"
	// ReasonUnschedulable: the scheduler found no node for a pod in time.
	ReasonUnschedulable = "Unschedulable"
	// ReasonImagePullFailed: an image cannot be pulled.
	ReasonImagePullFailed = "ImagePullFailed"
	// ReasonContainerStartFailed: the container runtime cannot start a container.
	ReasonContainerStartFailed = "ContainerStartFailed"
	// ReasonTargetOOMKilled: the database needed more memory than its shape has and was killed.
	ReasonTargetOOMKilled = "TargetOOMKilled"
	// ReasonClientOOMKilled: the client needed more memory than its shape has and was killed.
	ReasonClientOOMKilled = "ClientOOMKilled"
	// ReasonTargetCrashed: the database container ended: in a trial, or again and again at
	// its start.
	ReasonTargetCrashed = "TargetCrashed"
	// ReasonTargetRestarted: the database restarted during a trial, and its tool did not
	// notice.
	ReasonTargetRestarted = "TargetRestarted"
	// ReasonClientLost: a client pod or its container vanished, and nothing says why.
	ReasonClientLost = "ClientLost"
	// ReasonPodEvicted: a pod of the run was evicted (drain, taint, pressure on its node) or
	// preempted.
	ReasonPodEvicted = "PodEvicted"
	// ReasonNodeLost: the node of a pod is gone, does not answer, or was shut down.
	ReasonNodeLost = "NodeLost"
	// ReasonTargetGone: the database pod was deleted during a trial.
	ReasonTargetPodDeleted = "TargetPodDeleted"
	// ReasonAllTrialsFailed: every trial of the plan ended without a result.
	ReasonAllTrialsFailed = "AllTrialsFailed"
	// ReasonJournalLost: a ConfigMap with the plan or the records of the trials was
	// deleted: what was measured is not known any more.
	ReasonJournalLost = "JournalLost"
	// ReasonJournalTooNew: a newer Assay wrote the plan or the records of the trials so that
	// this one must not go on with them. The run waits until a newer manager takes over.
	ReasonJournalTooNew = "JournalTooNew"
	// ReasonPodRejected: the API server, or the kubelet of its node, refuses a pod of the run.
	ReasonPodRejected = "PodRejected"
	// ReasonResultMissing: a client ended without a result.
	ReasonResultMissing = "ResultMissing"
	// ReasonResultContradictory: the result is not the one the client announced.
	ReasonResultContradictory = "ResultContradictory"
	// ReasonDeadlineExceeded: something did not end in time; the message names the limit.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonChildConflict: an object of the same name belongs to somebody else.
	ReasonChildConflict = "ChildConflict"
	// ReasonContradictions: a validity check found a contradiction.
	ReasonContradictions = "Contradictions"
	// ReasonNoUsableTrial: no result counts: all contradict themselves, were disturbed, or
	// belong to a block with a trial that was.
	ReasonNoUsableTrial = "NoUsableTrial"
	// ReasonOffered: nodes offer the shape.
	ReasonOffered = "Offered"
)
