package v1alpha1

// Types of the conditions of a BenchmarkRun. All of them are present from the first
// status on: Unknown with reason NotReached until they are decided.
const (
	// ConditionAccepted: True when every reference is resolved and the plan is made.
	// False when the user must act; the run is then Failed.
	ConditionAccepted = "Accepted"
	// ConditionPlaced: True when the run holds a node for every pod. False with reason Queued
	// while other runs hold the nodes.
	ConditionPlaced = "Placed"
	// ConditionTargetsReady: True when a login as the benchmark's user works on every target that Assay starts. False
	// while one is not ready yet, or when it cannot start. With design.idleTargets: Stopped it becomes True with the
	// first ready target. It stays True while another target is stopped or started for its turn: the step that needs
	// that target, DataLoaded or Measured, waits for it. It becomes False when the target fails to start, restarts, or
	// loses its node or its pod. The reason is NotContacted until the data of an external target is loaded: no login
	// was attempted yet.
	ConditionTargetsReady = "TargetsReady"
	// ConditionDataLoaded: True when every target holds the workload's data.
	ConditionDataLoaded = "DataLoaded"
	// ConditionMeasured: True when every trial of the plan has ended, or design.precision, within or reserveBlocks ended the run (StoppedEarly).
	// False with reason Progressing while they run, and with the reason of a trial if its failure ended the run.
	ConditionMeasured = "Measured"
	// ConditionValid: True when no validity check found a contradiction, False when one
	// did. Unknown until the trials have ended, and when the run ended without a result.
	ConditionValid = "Valid"
	// ConditionComplete: True when all trials have ended and the status has the results. False when the run has failed.
	ConditionComplete = "Complete"
	// ConditionFailed: True when the run has ended without all its results; the reason says
	// why. False when it is complete.
	ConditionFailed = "Failed"
	// ConditionPassed: only of a run with spec.gate. True when the run is complete and its gate found nothing that it
	// fails for, False when it did, or when the run has failed. Unknown until the run has ended, and when the gate
	// cannot decide: without its baseline, where the circumstances differ in what the gate requires to be alike, or where the
	// blocks were too few for its margin.
	ConditionPassed = "Passed"
	// ConditionSuspended: True while spec.suspend pauses the run, False otherwise.
	ConditionSuspended = "Suspended"
	// ConditionReconciling: True while the run is under way, also queued or suspended, False when
	// it has ended. kstatus, and so Flux, reads it before Stalled and Ready.
	ConditionReconciling = "Reconciling"
	// ConditionStalled: True when the run has failed, and with spec.gate.health: Required when it has ended without
	// passing its gate, False otherwise. kstatus shows its message as that of a failed object.
	ConditionStalled = "Stalled"
	// ConditionReady: True when the run is complete, False when it has failed or is Stalled, Unknown until then. For
	// tools that know nothing of benchmarks: Complete and Failed in one condition.
	ConditionReady = "Ready"
)

// ConditionTypes are the conditions of a BenchmarkRun, in the order of its steps.
func ConditionTypes() []string {
	return []string{
		ConditionAccepted, ConditionPlaced, ConditionTargetsReady, ConditionDataLoaded, ConditionMeasured,
		ConditionValid, ConditionComplete, ConditionFailed, ConditionSuspended, ConditionReconciling, ConditionStalled, ConditionReady,
	}
}

// Types of the conditions of an InstanceShape.
const (
	// ConditionOffered: True when a node offers the shape. Unknown until the nodes were looked at.
	ConditionOffered = "Offered"
)

// Types of the conditions of a BenchmarkSchedule. Reconciling, Stalled and Suspended have the names of those of a run.
// Reconciling is True while a run that onChange started has not ended, or is to start. Stalled is True when the
// schedule cannot start runs, or when the last run did not succeed. Suspended is True while spec.suspend is.
const (
	// ConditionScheduleReady: True when the schedule can start runs, and the last one that ended
	// succeeded, or none has ended. False otherwise.
	ConditionScheduleReady = "Ready"
	// ConditionOnSchedule: True when a run was started for the last time of the schedule. False when
	// it waits or times were missed. Unknown before the first time, and without times.
	ConditionOnSchedule = "OnSchedule"
	// ConditionRegressed: only with spec.alarm. True when a measurement became slower, and as many further runs confirm
	// it as spec.alarm.confirm asks for; the message says since when. False otherwise. Unknown until a run with valid
	// results has ended, while the history cannot be read, where nothing became slower and somebody deleted a history of more runs than
	// are known (up to 20 of them), and where there is neither a gate nor a search for change points that can find one.
	ConditionRegressed = "Regressed"
	// ConditionImagesResolved: only with spec.onChange, where a tag of the template's images is in a registry that may be
	// asked. True when the last request found the digests of all of them. False when one was not found: no change of it is seen.
	ConditionImagesResolved = "ImagesResolved"
)
