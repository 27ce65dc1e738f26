package output

import "time"

// SchedulesVersion names the format of Schedules, and HistoryVersion that of History. A reader refuses any other.
const (
	SchedulesVersion = "assay.dev/cli/schedules/v1"
	HistoryVersion   = "assay.dev/cli/history/v1"
)

// Schedules are those of a namespace, or the one that was named: `schedule get -o json`.
type Schedules struct {
	// Version is always SchedulesVersion.
	Version string `json:"version"`
	// Schedules in the order of their names.
	Schedules []Schedule `json:"schedules"`
}

// Schedule starts runs of one template.
type Schedule struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// When has the lines of cron, and TimeZone the zone of them; both are absent for a schedule without times.
	When     string `json:"when,omitempty"`
	TimeZone string `json:"timeZone,omitempty"`
	// Suspended: nothing starts but what run-now asks for.
	Suspended bool `json:"suspended"`
	// Active are the runs that have not ended, the oldest first.
	Active []string `json:"active,omitempty"`
	// Next is when the next run starts by the times; absent without times, and while suspended.
	Next *time.Time `json:"next,omitempty"`
	// LastRun is the run that ended last; absent before the first one.
	LastRun *PastRun `json:"lastRun,omitempty"`
	// Missed counts the times for which no run was started.
	Missed int64 `json:"missed,omitempty"`
	// Regressions are what became slower, in one line each.
	Regressions []string `json:"regressions,omitempty"`
	// KeptRuns is the number of runs in the history.
	KeptRuns int32 `json:"keptRuns"`
	// Ready is the condition: True, False or Unknown. Message says why it is not True.
	Ready   string `json:"ready"`
	Message string `json:"message,omitempty"`
}

// History of a schedule: `schedule history SCHEDULE -o json`.
type History struct {
	// Version is always HistoryVersion.
	Version   string `json:"version"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Runs in the order of their completion, the oldest first.
	Runs []PastRun `json:"runs"`
	// DroppedRuns is the number of runs, the oldest ones, that were removed because the history was full.
	DroppedRuns int32 `json:"droppedRuns,omitempty"`
}

// PastRun is a run of a schedule that has ended. It may be deleted since.
type PastRun struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
	// Trigger is what started it: Schedule, Change, Manual or Confirm.
	Trigger string    `json:"trigger,omitempty"`
	Ended   time.Time `json:"ended"`
	// Outcome is Succeeded or Failed; Reason and Message say why it failed.
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Passed is what its gate said; absent without one, and for one that could not decide.
	Passed   *bool  `json:"passed,omitempty"`
	Verdict  string `json:"verdict,omitempty"`
	Headline string `json:"headline,omitempty"`
	// Series of values that are kept of it; absent in `schedule get`.
	Series []PastSeries `json:"series,omitempty"`
}

// PastSeries are the values of one measurement of one target in one cell.
type PastSeries struct {
	Target string `json:"target"`
	// Parameters are the values of the cell, by the names of the axes.
	Parameters map[string]string `json:"parameters,omitempty"`
	Name       string            `json:"name"`
	Labels     map[string]string `json:"labels,omitempty"`
	Unit       string            `json:"unit"`
	// Values, one for each block in their order; null where the trial of the block does not count, or has no value.
	Values []*float64 `json:"values"`
}
