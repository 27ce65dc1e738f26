package contract

import "time"

// HistoryVersion names the format of the history of a schedule. Fields may be added within a
// version: a reader ignores unknown fields.
const HistoryVersion = "assay.dev/history/v1"

// History is what is kept of the runs of a schedule: it outlives them.
type History struct {
	// ScheduleUID is the UID of the schedule.
	ScheduleUID string `json:"scheduleUID"`
	// Runs in the order of their completion, the oldest first.
	Runs []PastRun `json:"runs"`
	// DroppedRuns is the number of runs that were removed because the history was full.
	DroppedRuns int32 `json:"droppedRuns,omitempty"`
	// DroppedUntil is the latest completion of a run that was removed; absent for none.
	DroppedUntil *time.Time `json:"droppedUntil,omitempty"`
}

// PastRun is a run that has ended.
type PastRun struct {
	// Name and UID of the run.
	Name string `json:"name"`
	UID  string `json:"uid"`
	// SpecHash of the run: runs with the same one are the same experiment.
	SpecHash string `json:"specHash,omitempty"`
	// Trigger is what started it: Schedule, Change, Manual or Confirm.
	Trigger string `json:"trigger,omitempty"`
	// ScheduledTime is the time of the schedule that started it; absent for another trigger.
	ScheduledTime *time.Time `json:"scheduledTime,omitempty"`
	// StartTime is when it got its nodes; absent for one that never did.
	StartTime *time.Time `json:"startTime,omitempty"`
	// CompletionTime is when it ended.
	CompletionTime time.Time `json:"completionTime"`
	// Outcome is the status.outcome of the run.
	Outcome string `json:"outcome"`
	// Reason and Message of one whose outcome is Failed, Invalid, GateFailed or GateNotJudged.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Valid is the status of the condition Valid: True, False or Unknown. It is False of a run whose records were lost or
	// changed after its end: such a run has no series, and the Reason JournalLost or Tampered.
	Valid string `json:"valid,omitempty"`
	// Passed is the condition Passed; absent for a run without a gate, and for one that is not decided.
	Passed *bool `json:"passed,omitempty"`
	// Verdict and Headline of the run, in one line each.
	Verdict  string `json:"verdict,omitempty"`
	Headline string `json:"headline,omitempty"`
	// Environment of each target that has a trial that counts, in the order of the names.
	Environment []PastEnvironment `json:"environment,omitempty"`
	// Series of values: measurements in the order of the tool, each over all cells and targets.
	Series []PastSeries `json:"series,omitempty"`
	// SeriesLeftOut is the number of series that were too many to be kept; at least, where it is not known exactly.
	SeriesLeftOut int32 `json:"seriesLeftOut,omitempty"`
}

// PastEnvironment is what a target was measured on.
type PastEnvironment struct {
	// Target that was measured.
	Target string `json:"target"`
	// Facts of its last trial that counts.
	Facts Facts `json:"facts,omitempty"`
	// MachineSpeed of its nodes: the medians over its trials that count.
	MachineSpeed []RecordedSpeed `json:"machineSpeed,omitempty"`
}

// PastSeries are the values of one measurement of one target in one cell.
type PastSeries struct {
	// Target that was measured.
	Target string `json:"target"`
	// Parameters are the values of the cell, by the names of the axes.
	Parameters map[string]Scalar `json:"parameters,omitempty"`
	// Name of the measurement, with its Labels, Unit and Direction.
	Name      string            `json:"name"`
	Labels    map[string]string `json:"labels,omitempty"`
	Unit      string            `json:"unit"`
	Direction Direction         `json:"direction,omitempty"`
	// Slower: the gate of the run called it slower.
	Slower bool `json:"slower,omitempty"`
	// NotJudged: the gate of the run could not say whether it is slower.
	NotJudged bool `json:"notJudged,omitempty"`
	// Values, one for each block in the order of the blocks; nil where the trial of the block does
	// not count, or has no value.
	Values []*float64 `json:"values"`
}
