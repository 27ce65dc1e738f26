package v1alpha1

// TrialOrder is the order of the trials of a run.
// +kubebuilder:validation:Enum=RandomizedBlocks;ABBA;Sequential
type TrialOrder string

// Orders of trials.
const (
	OrderRandomizedBlocks TrialOrder = "RandomizedBlocks"
	OrderABBA             TrialOrder = "ABBA"
	OrderSequential       TrialOrder = "Sequential"
)

// Numbers of blocks.
const (
	// DefaultBlocks of a run that measures a number of blocks.
	DefaultBlocks = 10
	// DefaultMostBlocks of a run with design.precision or design.within.
	DefaultMostBlocks = 200
)

// StopsItself says whether the run decides after its blocks whether another one follows.
func (d Design) StopsItself() bool {
	return d.Precision != "" || d.Within != nil || d.ReserveBlocks > 0
}
