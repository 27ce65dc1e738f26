package contract

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// JournalVersion names the format of every part of a journal. Fields may be added within
// a version: a reader leaves alone what it does not know, and keeps it when it rewrites a
// part.
const JournalVersion = "assay.dev/journal/v1"

// JournalReader is what this program understands of JournalVersion. A part names the
// least reader that may go on with it (minReader): a program that writes something without
// which a run would go wrong raises the number, and older managers then wait for a newer
// one instead of going on.
const JournalReader = 1

// Record is what became of one attempt at a trial. It is what a run is judged by; what the
// status shows of it is derived.
type Record struct {
	// Index of the trial in the plan, from 0.
	Index int32 `json:"index"`
	// Attempt at the trial, from 0.
	Attempt int32 `json:"attempt,omitempty"`
	// Block is the repetition, from 0.
	Block int32 `json:"block"`
	// Cell is the index of the cell in the plan, from 0.
	Cell int32 `json:"cell"`
	// Parameters are the values of the cell, by the names of the axes.
	Parameters map[string]Scalar `json:"parameters,omitempty"`
	// Target that was measured.
	Target string `json:"target"`
	// State of the attempt.
	State State `json:"state"`
	// Final: the trial has ended with this attempt.
	Final bool `json:"final"`
	// Reason and Message of a failure.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Valid is false when the result contradicts itself; absent when it was not checked.
	Valid *bool `json:"valid,omitempty"`
	// Disturbed: something from outside interfered with the measured window.
	Disturbed bool `json:"disturbed,omitempty"`
	// Saturated: the target did not keep up with the rate of an open loop.
	Saturated bool `json:"saturated,omitempty"`
	// LimitedBy names the limits that the trial ran into by its own work.
	LimitedBy []RecordedLimit `json:"limitedBy,omitempty"`
	// Throttled are the shares of the CPU periods of the window in which the target (CPU) or a
	// client (Client; the one that waited most) had to wait, also where they are too small for
	// a label in LimitedBy.
	Throttled []RecordedLimit `json:"throttled,omitempty"`
	// MachineSpeed of the nodes of the trial, measured just before it.
	MachineSpeed []RecordedSpeed `json:"machineSpeed,omitempty"`
	// ClientNodeNames that the client pods ran on, in the order of the clients.
	ClientNodeNames []string `json:"clientNodeNames,omitempty"`
	// TargetNodeName that the database ran on; empty for an external target.
	TargetNodeName string `json:"targetNodeName,omitempty"`
	// ClientImageID is the runner's image as the container runtime resolved it.
	ClientImageID string `json:"clientImageID,omitempty"`
	// ClientQOSClass of the client pods.
	ClientQOSClass string `json:"clientQOSClass,omitempty"`
	// WindowStartTime and WindowEndTime bound the measured window, on the clock of the first
	// client.
	WindowStartTime *time.Time `json:"windowStartTime,omitempty"`
	WindowEndTime   *time.Time `json:"windowEndTime,omitempty"`
	// CompletionTime is when the manager recorded the end.
	CompletionTime *time.Time `json:"completionTime,omitempty"`
	// StartSkewSeconds is how much later the last client began to measure than the first, and
	// StartSkewUncertaintySeconds by how much that may be wrong.
	StartSkewSeconds            *float64 `json:"startSkewSeconds,omitempty"`
	StartSkewUncertaintySeconds *float64 `json:"startSkewUncertaintySeconds,omitempty"`
	// ResetSeconds is how long putting the data back took; absent without a reset.
	ResetSeconds *float64 `json:"resetSeconds,omitempty"`
	// Values of the runner's main measurements.
	Values []RecordedValue `json:"values,omitempty"`
	// Result is the ConfigMap with the result of the first client.
	Result string `json:"result,omitempty"`
	// Findings about the result.
	Findings []RecordedFinding `json:"findings,omitempty"`
}

// RecordedValue is a measurement of a trial.
type RecordedValue struct {
	// Name of the measurement, such as throughput.
	Name string `json:"name"`
	// Labels that tell measurements of one name apart.
	Labels map[string]string `json:"labels,omitempty"`
	// Value in the Unit.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Direction is empty for a plain fact.
	Direction Direction `json:"direction,omitempty"`
}

// RecordedLimit is a limit that a trial ran into.
type RecordedLimit struct {
	// By is CPU, Memory or Client.
	By string `json:"by"`
	// ThrottledShare (0 to 1) of the periods of CPU bandwidth enforcement; absent where it is
	// not known.
	ThrottledShare *float64 `json:"throttledShare,omitempty"`
}

// RecordedSpeed is how long a kernel took on a node of the trial.
type RecordedSpeed struct {
	// Side is Client or Target.
	Side string `json:"side"`
	// Kernel that was timed: Integer, Memory, IntegerCPU, MemoryCPU, Fsync or RoundTrip.
	Kernel string `json:"kernel"`
	// Seconds that it took.
	Seconds float64 `json:"seconds"`
}

// RecordedFinding is what a check found about the result of the record's trial.
type RecordedFinding struct {
	// Client that it is about, where there are several.
	Client *int32 `json:"client,omitempty"`
	// Check that found it.
	Check string `json:"check"`
	// Severity is Invalid, Disturbed, Warning or Note.
	Severity string `json:"severity"`
	// Message with the numbers that contradict each other.
	Message string `json:"message"`
}

// Totals count the trials of a run.
type Totals struct {
	// Done trials have ended for good.
	Done int32 `json:"done"`
	// Succeeded have a result, Failed have none.
	Succeeded int32 `json:"succeeded,omitempty"`
	Failed    int32 `json:"failed,omitempty"`
	// Invalid have a result that contradicts itself; Disturbed one that something interfered with.
	Invalid   int32 `json:"invalid,omitempty"`
	Disturbed int32 `json:"disturbed,omitempty"`
	// Retries are the attempts beyond the first ones.
	Retries int32 `json:"retries,omitempty"`
}

// Scalar is a value of an axis: an integer, or a text.
type Scalar struct {
	// Text is set unless IsInt.
	Text string
	// Int is set with IsInt.
	Int   int32
	IsInt bool
}

// String is the value as people write it.
func (s Scalar) String() string {
	if s.IsInt {
		return strconv.FormatInt(int64(s.Int), 10)
	}
	return s.Text
}

// MarshalJSON writes a number or a string.
func (s Scalar) MarshalJSON() ([]byte, error) {
	if s.IsInt {
		return json.Marshal(s.Int)
	}
	return json.Marshal(s.Text)
}

// UnmarshalJSON reads a number or a string. It fails for anything else.
func (s *Scalar) UnmarshalJSON(data []byte) error {
	*s = Scalar{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &s.Text)
	}
	if err := json.Unmarshal(data, &s.Int); err != nil {
		return fmt.Errorf("a value of an axis is an integer or a text: %w", err)
	}
	s.IsInt = true
	return nil
}
