package contract

import "time"

// NotificationVersion names the format of Notification. A reader refuses any other.
const NotificationVersion = "assay.dev/notification/v1"

// Bounds of a notification. Texts are cut to them, with a mark.
const (
	// MaxNotificationText of a message, a verdict or a headline, in bytes.
	MaxNotificationText = 1 << 10
	// MaxNotificationName of a factor, a value, a target or a measurement, in bytes.
	MaxNotificationName = 128
	// MaxNotificationComparisons is how many comparisons of the primary family are sent.
	MaxNotificationComparisons = 8
)

// Notification is the data of the CloudEvents that the manager sends: what a run concluded. It is
// meant for chat and CI; the numbers are in the status of the run.
type Notification struct {
	// Version is always NotificationVersion.
	Version string `json:"version"`
	// Run that the event is about.
	Run NotificationRun `json:"run"`
	// Phase of the run: Complete or Failed.
	Phase string `json:"phase"`
	// Reason of the condition Complete or Failed, such as Succeeded.
	Reason string `json:"reason"`
	// Message of that condition, for people.
	Message string `json:"message"`
	// Valid is the condition Valid: True, False or Unknown.
	Valid string `json:"valid"`
	// Verdict is the first comparison in one line; empty for a run that compares nothing.
	Verdict string `json:"verdict,omitempty"`
	// Headline is the main measurement of every target in the first cell; empty without a summary.
	Headline string `json:"headline,omitempty"`
	// Comparisons are the first of the primary family; status.comparisons has more of them.
	Comparisons []NotificationComparison `json:"comparisons,omitempty"`
	// Trials of the run.
	Trials NotificationTrials `json:"trials"`
	// StartTime is when the run got its nodes; absent for one that never did.
	StartTime *time.Time `json:"startTime,omitempty"`
	// CompletionTime is when the run became Complete or Failed.
	CompletionTime *time.Time `json:"completionTime,omitempty"`
	// Gate is the condition Passed; absent for a run without a gate.
	Gate *NotificationGate `json:"gate,omitempty"`
}

// NotificationRun names a run.
type NotificationRun struct {
	// Namespace of the run.
	Namespace string `json:"namespace"`
	// Name of the run.
	Name string `json:"name"`
	// UID tells runs of the same name apart.
	UID string `json:"uid"`
	// SpecHash is the SHA-256 of the resolved spec, in hexadecimal: runs with the same hash are the
	// same experiment. Empty for a run that was refused.
	SpecHash string `json:"specHash,omitempty"`
}

// NotificationComparison is one comparison of the run. Numbers are decimal, in texts.
type NotificationComparison struct {
	// Text is the comparison in one line.
	Text string `json:"text"`
	// Verdict on the value against the baseline, such as Slower.
	Verdict string `json:"verdict"`
	// Factor whose values are compared.
	Factor string `json:"factor"`
	// Value of the factor.
	Value string `json:"value"`
	// Baseline is the value of the factor that it is compared with.
	Baseline string `json:"baseline"`
	// Unlike are other factors in which the sides differ, as the comparison declares; none where all else is equal.
	Unlike []NotificationUnlike `json:"unlike,omitempty"`
	// Target that was measured; empty where the targets are compared.
	Target string `json:"target,omitempty"`
	// Name of the measurement.
	Name string `json:"name"`
	// Ratio of the value over the baseline; empty without a pair.
	Ratio string `json:"ratio,omitempty"`
	// IntervalLow and IntervalHigh bound the ratio; empty where the blocks are too few.
	IntervalLow string `json:"intervalLow,omitempty"`
	// IntervalHigh is the upper end.
	IntervalHigh string `json:"intervalHigh,omitempty"`
	// AdjustedP is the p-value for the whole family.
	AdjustedP string `json:"adjustedP,omitempty"`
}

// NotificationUnlike is a factor, besides the one that is compared, in which the sides of a comparison differ.
type NotificationUnlike struct {
	// Factor that differs, such as scheme.
	Factor string `json:"factor"`
	// Value of it on the side of the value.
	Value string `json:"value"`
	// Baseline is its value on the side of the baseline.
	Baseline string `json:"baseline"`
}

// NotificationTrials are numbers of trials.
type NotificationTrials struct {
	// Planned trials.
	Planned int32 `json:"planned"`
	// Succeeded trials have a result.
	Succeeded int32 `json:"succeeded"`
	// Failed trials have none.
	Failed int32 `json:"failed"`
	// Invalid trials have a result that contradicts itself.
	Invalid int32 `json:"invalid"`
	// Disturbed trials had interference during the measurement.
	Disturbed int32 `json:"disturbed"`
}

// NotificationGate is the outcome of the gate of a run.
type NotificationGate struct {
	// Passed is the status of the condition: True, False, or Unknown when the gate could not decide.
	Passed string `json:"passed"`
	// Reason of the condition.
	Reason string `json:"reason"`
	// Message of the condition: what failed, in words.
	Message string `json:"message"`
}
