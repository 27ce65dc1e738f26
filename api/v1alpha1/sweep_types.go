package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
)

// SweepEntry is where the main measurement of one target stops growing with a load, such as the number of
// threads, with the rest of the experiment equal. Numbers are decimal, loads in the unit of their axis.
type SweepEntry struct {
	// axis of the matrix that is the load, such as threads.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Axis string `json:"axis"`
	// target that was measured.
	// +required
	Target Name `json:"target"`
	// cell is the index in the plan of the cell with the lightest load.
	// +required
	// +kubebuilder:validation:Minimum=0
	Cell int32 `json:"cell"`
	// parameters are the values of the other axes.
	// +optional
	// +kubebuilder:validation:MaxProperties=9
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && (type(self[k]) == int || size(self[k]) <= 512))",message="names have at most 63 characters, and values at most 512 characters"
	Parameters map[string]intstr.IntOrString `json:"parameters,omitempty"`
	// name of the measurement, which is the main one of the tool.
	// +required
	Name Name `json:"name"`
	// labels of the measurement.
	// +optional
	// +kubebuilder:validation:MaxProperties=33
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 1024)",message="names have at most 253 characters, and values at most 1024 characters"
	Labels map[string]string `json:"labels,omitempty"`
	// lightestLoad and heaviestLoad are the ends of the sweep.
	// +required
	LightestLoad Figure `json:"lightestLoad"`
	// heaviestLoad is the other end.
	// +required
	HeaviestLoad Figure `json:"heaviestLoad"`
	// loadCount is the number of loads with a counted trial.
	// +required
	// +kubebuilder:validation:Minimum=0
	LoadCount int32 `json:"loadCount"`
	// blockCount is the number of blocks in which both the lightest load and another one have a counted
	// trial, for the load with the fewest.
	// +required
	// +kubebuilder:validation:Minimum=0
	BlockCount int32 `json:"blockCount"`
	// plannedBlockCount is the number of blocks of the plan.
	// +required
	// +kubebuilder:validation:Minimum=1
	PlannedBlockCount int32 `json:"plannedBlockCount"`
	// knee is the load beyond which more load no longer gives more in proportion: where the line
	// through the value at the lightest load meets the highest value. It need not be one of the
	// loads. Absent where the sweep has none.
	// +optional
	Knee Figure `json:"knee,omitempty"`
	// kneeLow and kneeHigh bound the knee. Absent where the blocks are too few.
	// +optional
	KneeLow Figure `json:"kneeLow,omitempty"`
	// kneeHigh is the upper end.
	// +optional
	KneeHigh Figure `json:"kneeHigh,omitempty"`
	// kneeConfidence is the least probability, 0 to 1, that an interval of this level contains the true knee. It
	// accounts for the unknown position of the peak.
	// +optional
	KneeConfidence Figure `json:"kneeConfidence,omitempty"`
	// peak is the load with the highest value.
	// +optional
	Peak Figure `json:"peak,omitempty"`
	// peakLow and peakHigh are the lowest and the highest of the loads that no other one was shown to exceed. A peak between two
	// loads, or beyond them, is not excluded. Absent where the blocks are too few to show that.
	// +optional
	PeakLow Figure `json:"peakLow,omitempty"`
	// peakHigh is the upper end.
	// +optional
	PeakHigh Figure `json:"peakHigh,omitempty"`
	// reasons of what is absent, and what limits the sweep.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Reasons []VerdictReason `json:"reasons,omitempty"`
	// text is the sweep in one line, such as "threads of mariadb: knee at 5.2 (4.6 to 5.9), peak at 16
	// (8 to 16)".
	// +required
	Text Line `json:"text"`
}
