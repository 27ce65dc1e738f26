package v1alpha1

// StopEarly ends a run before its last block. The run analyses its data after some blocks, which are
// fixed when it is accepted (status.plan.analysis.interimBlocks), and stops at the first interim analysis at which
// all intervals of the primary comparisons are narrow enough, or at which the gate over them is decided. The interim analyses share the error rate of the
// analysis, so that the verdict holds at whichever interim analysis the run stops.
// +kubebuilder:object:generate=false
type StopEarly struct {
	// minBlocks is the least number of blocks, 6 to 99. A large family of comparisons needs more
	// before its first interim analysis.
	// +optional
	// +kubebuilder:default=6
	// +kubebuilder:validation:Minimum=6
	// +kubebuilder:validation:Maximum=99
	MinBlocks int32 `json:"minBlocks,omitempty"`

	// precision to which every ratio of the primary comparisons is to be known, as a percentage
	// above 0% and up to 100%: with 2%, an interval reaches from a ratio divided by 1.02 to that
	// ratio times 1.02, or is narrower.
	// +required
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 100.0",message="precision must be above 0% and at most 100%, such as 2%"
	Precision string `json:"precision"`
}

// TrialOrder is the order of the trials of a run.
// +kubebuilder:validation:Enum=RandomizedBlocks;ABBA;Sequential
type TrialOrder string

// Orders of trials.
const (
	OrderRandomizedBlocks TrialOrder = "RandomizedBlocks"
	OrderABBA             TrialOrder = "ABBA"
	OrderSequential       TrialOrder = "Sequential"
)
