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

	// changePoints search the history for changes of the level, without a baseline. Absent: the gates
	// of the runs decide alone.
	// +optional
	ChangePoints *ChangePoints `json:"changePoints,omitempty"`
}

// ChangePoints are changes of the level of the main measurement of the tool, in every cell of every
// target, over the runs of the history (E-divisive means with a permutation test).
type ChangePoints struct {
	// errorRate is the largest probability of any change in a history without one, at one look, as a
	// percentage from 0.1% to 20%. Each run is another look.
	// +optional
	// +kubebuilder:default="1%"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) >= 0.1 && double(self.replace('%', '')) <= 20.0",message="errorRate must be from 0.1% to 20%, such as 1%"
	ErrorRate string `json:"errorRate,omitempty"`

	// minimumEffect is the smallest change for the worse that matters, as a percentage above 0% and up
	// to 100%.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 100.0",message="minimumEffect must be above 0% and at most 100%, such as 5%"
	MinimumEffect string `json:"minimumEffect,omitempty"`
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
	// +kubebuilder:validation:MaxLength=253
	Since string `json:"since"`
	// sinceTime is when that run ended.
	// +optional
	SinceTime *metav1.Time `json:"sinceTime,omitempty"`
	// runCount is the number of runs that show it.
	// +required
	// +kubebuilder:validation:Minimum=1
	RunCount int32 `json:"runCount"`
	// confirmed says whether as many further runs show it as spec.alarm.confirm asks for.
	// +required
	Confirmed bool `json:"confirmed"`
	// text is the regression in words.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Text string `json:"text"`
}
