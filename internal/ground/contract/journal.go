package contract

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// JournalVersion names the format of every part of a journal. Fields may be added within a
// version: a reader ignores unknown fields, and keeps them when it rewrites a part.
const JournalVersion = "assay.dev/journal/v1"

// JournalReader is the reader level of this program within JournalVersion. A part names the
// lowest level that may continue it (minReader). Raise the level with everything that older
// managers must not ignore: a new field of the spec, or another meaning of the records. Older
// managers then wait for a newer manager with the runs that this program plans.
//
// Level 2 is the first: it continues the chain of records (ChainReader), and follows decisions (Decision).
const JournalReader = 2

// Record is the outcome of one attempt at a trial. Decisions about a run are based on records.
// The status is derived from them.
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
	// Final: the trial is not retried after this attempt.
	Final bool `json:"final"`
	// Reason and Message of a failure.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Valid is false when the result contradicts itself; absent without a check.
	Valid *bool `json:"valid,omitempty"`
	// Disturbed: interference during the measured window.
	Disturbed bool `json:"disturbed,omitempty"`
	// Saturated: the target did not achieve the offered rate of an open loop.
	Saturated bool `json:"saturated,omitempty"`
	// Steadiness is whether the throughput was constant over the window: Steady, NotSteady or
	// TooShort. Empty without a time series of the throughput.
	Steadiness string `json:"steadiness,omitempty"`
	// LimitedBy lists the resource limits that the trial reached by its own work.
	LimitedBy []RecordedLimit `json:"limitedBy,omitempty"`
	// Throttled are the shares of throttled CPU periods of the window, of the target (CPU) and
	// of the most throttled client (Client), including shares too small for LimitedBy.
	Throttled []RecordedLimit `json:"throttled,omitempty"`
	// MachineSpeed of the nodes of the trial, measured just before it.
	MachineSpeed []RecordedSpeed `json:"machineSpeed,omitempty"`
	// Facts are the circumstances of the trial: what may differ between compared trials besides
	// the factor. Empty without a result.
	Facts Facts `json:"facts,omitempty"`
	// ClientNodeNames that the client pods ran on, in the order of the clients.
	ClientNodeNames []string `json:"clientNodeNames,omitempty"`
	// TargetNodeName that the database ran on; empty for an external target.
	TargetNodeName string `json:"targetNodeName,omitempty"`
	// Load is the ConfigMap with the result of loading the data that was measured.
	Load string `json:"load,omitempty"`
	// ClientImageID is the digest of the runner's image, from the container runtime.
	ClientImageID string `json:"clientImageID,omitempty"`
	// ClientQOSClass of the client pods.
	ClientQOSClass string `json:"clientQOSClass,omitempty"`
	// WindowStartTime and WindowEndTime bound the measured window, on the clock of the first client.
	WindowStartTime *time.Time `json:"windowStartTime,omitempty"`
	WindowEndTime   *time.Time `json:"windowEndTime,omitempty"`
	// CompletionTime is when the manager recorded the end.
	CompletionTime *time.Time `json:"completionTime,omitempty"`
	// StartSkewSeconds is the time between the first and the last client's start of the
	// measured window. StartSkewUncertaintySeconds is its possible error.
	StartSkewSeconds            *float64 `json:"startSkewSeconds,omitempty"`
	StartSkewUncertaintySeconds *float64 `json:"startSkewUncertaintySeconds,omitempty"`
	// RestartSeconds is the time to start the server again, with its buffer pool; absent where it was not.
	RestartSeconds *float64 `json:"restartSeconds,omitempty"`
	// ResetSeconds is the time to restore the data; absent without a reset.
	ResetSeconds *float64 `json:"resetSeconds,omitempty"`
	// Values of the runner's main measurements.
	Values []RecordedValue `json:"values,omitempty"`
	// Result is the ConfigMap with the result of the first client.
	Result string `json:"result,omitempty"`
	// ResultBytes is what the result ConfigMaps of all clients hold; where one was not read, the most that it can hold.
	ResultBytes int64 `json:"resultBytes,omitempty"`
	// Findings about the result.
	Findings []RecordedFinding `json:"findings,omitempty"`
	// Rate that each client offered because a search says so, in operations per second; 0 without one.
	Rate int64 `json:"rate,omitempty"`
	// Decision about what follows the trial; absent where the plan says it.
	Decision *Decision `json:"decision,omitempty"`
	// Delivered are the digests of what the clients of the attempt delivered. The first record
	// of a target has those of the clients that loaded it, too.
	Delivered []RecordedDelivery `json:"delivered,omitempty"`
	// Previous is the hex SHA-256 of the stored bytes of the record before. In the first record
	// it is that of the last part of the plan.
	Previous string `json:"previous,omitempty"`
}

// RecordedValue is a measurement of a trial.
type RecordedValue struct {
	// Name of the measurement, such as throughput.
	Name string `json:"name"`
	// Labels of the measurement. Measurements of one name have different labels.
	Labels map[string]string `json:"labels,omitempty"`
	// Value in the Unit.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Direction is empty where neither is better.
	Direction Direction `json:"direction,omitempty"`
}

// RecordedLimit is a resource limit that a trial reached.
type RecordedLimit struct {
	// By is CPU, Memory or Client.
	By string `json:"by"`
	// ThrottledShare is the share (0 to 1) of throttled CPU periods; absent where it is unknown.
	ThrottledShare *float64 `json:"throttledShare,omitempty"`
}

// RecordedSpeed is the time of a machine-speed kernel on a node of the trial.
type RecordedSpeed struct {
	// Side is Client or Target.
	Side string `json:"side"`
	// Kernel that was timed: Integer, Memory, IntegerCPU, MemoryCPU, Fsync or RoundTrip.
	Kernel string `json:"kernel"`
	// Seconds that it took.
	Seconds float64 `json:"seconds"`
}

// RecordedFinding is a finding about the result of the record's trial.
type RecordedFinding struct {
	// Client that the finding is about, where the trial has several.
	Client *int32 `json:"client,omitempty"`
	// Check is the name of the validity check.
	Check string `json:"check"`
	// Severity is Invalid, Disturbed, Warning or Note.
	Severity string `json:"severity"`
	// Message for people, with the numbers.
	Message string `json:"message"`
}

// Totals count the trials of a run.
type Totals struct {
	// Done is the number of trials that have ended and are not retried.
	Done int32 `json:"done"`
	// Succeeded and Failed are the numbers of trials with and without a result.
	Succeeded int32 `json:"succeeded,omitempty"`
	Failed    int32 `json:"failed,omitempty"`
	// Invalid is the number of results that contradict themselves, Disturbed of results with
	// interference during the measurement.
	Invalid   int32 `json:"invalid,omitempty"`
	Disturbed int32 `json:"disturbed,omitempty"`
	// Retries is the number of attempts beyond the first ones.
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
