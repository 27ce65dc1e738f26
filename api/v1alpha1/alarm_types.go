package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Alarm looks at the history of a schedule for what became slower. Without it the condition Regressed
// is absent, and each run that does not succeed makes the schedule not ready.
type Alarm struct {
	// confirm is how many further runs have to show a regression before it is an alarm, 0 to 10. Until
	// then a run that is slower than its gate allows leaves the schedule ready.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	Confirm *int32 `json:"confirm,omitempty"`

	// confirmBy is which further runs confirm what the gate of a run calls slower. NextRun: those that
	// start anyway. ExtraRun: the schedule also starts a run at once, when nothing else is active or to
	// start, until the regression is confirmed or gone: at most spec.alarm.confirm runs after each
	// run that did not confirm. An extra run is confirmation of the software, and not of another night.
	// +optional
	// +kubebuilder:default=NextRun
	ConfirmBy ConfirmBy `json:"confirmBy,omitempty"`

	// changePoints search the history for changes of the level, without a baseline. Absent: the gates
	// of the runs decide alone.
	// +optional
	ChangePoints *ChangePoints `json:"changePoints,omitempty"`
}

// ConfirmBy is which further runs confirm a regression.
// +kubebuilder:validation:Enum=NextRun;ExtraRun
type ConfirmBy string

// Ways to confirm.
const (
	// ConfirmByNextRun: the runs that start anyway.
	ConfirmByNextRun ConfirmBy = "NextRun"
	// ConfirmByExtraRun: also a run that the schedule starts at once.
	ConfirmByExtraRun ConfirmBy = "ExtraRun"
)

// ChangePoints are changes of the level of measurements, in every cell of every target, over the runs of
// the history (E-divisive means with a permutation test). Runs that confirm another one do not count:
// they are there because that one was slow.
type ChangePoints struct {
	// measurements that are searched, each with one series in every cell of every target. Absent: the
	// main one of the tool (rate.highest of a run that searches).
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Measurements []MeasurementRef `json:"measurements,omitempty"`

	// errorRate is the largest probability of any change in a history without one, over all series, in
	// one search, as a percentage from 0.1% to 20%. Each run that ends starts another search.
	// +optional
	// +kubebuilder:default="1%"
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) >= 0.1 && double(self.replace('%', '')) <= 20.0",message="errorRate must be from 0.1% to 20%, such as 1%"
	ErrorRate Percentage `json:"errorRate,omitempty"`

	// minimumEffect is the smallest change for the worse that matters, as a percentage above 0% and up
	// to 100%.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 100.0",message="minimumEffect must be above 0% and at most 100%, such as 5%"
	MinimumEffect Percentage `json:"minimumEffect,omitempty"`
}

// RegressionSource is what found a regression.
// +kubebuilder:validation:Enum=Gate;ChangePoint
type RegressionSource string

// Sources of regressions.
const (
	// RegressionOfGate: the gates of the runs.
	RegressionOfGate RegressionSource = "Gate"
	// RegressionOfChangePoint: a change of the level over the history.
	RegressionOfChangePoint RegressionSource = "ChangePoint"
)

// ScheduleRegression is a measurement that became slower.
type ScheduleRegression struct {
	// source is what found it: Gate or ChangePoint.
	// +required
	Source RegressionSource `json:"source"`
	// measurement that became slower.
	// +required
	Measurement MeasurementKey `json:"measurement"`
	// since is the first run that shows it.
	// +required
	Since Name `json:"since"`
	// sinceTime is when that run ended.
	// +optional
	SinceTime *metav1.Time `json:"sinceTime,omitempty"`
	// last is the last run that shows it.
	// +optional
	Last Name `json:"last,omitempty"`
	// runCount is the number of runs that show it.
	// +required
	// +kubebuilder:validation:Minimum=1
	RunCount int32 `json:"runCount"`
	// confirmed says whether as many further runs show it as spec.alarm.confirm asks for.
	// +required
	Confirmed bool `json:"confirmed"`
	// text is the regression in words.
	// +required
	Text Line `json:"text"`
}
