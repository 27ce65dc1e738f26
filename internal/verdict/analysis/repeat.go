package analysis

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

// MeasuredTheSame fails with a NotOneExperimentError for runs that did not measure the same: another load,
// other cells, another way of measuring. Where they ran, and on which servers, is not part of it: Apart says that.
func MeasuredTheSame(a, b Run) error {
	d, err := differences(a, b)
	if err == nil && len(d.measured) > 0 {
		err = &NotOneExperimentError{First: a.Name, Second: b.Name, Differences: d.measured}
	}
	return err
}

// Apart is what differs between two runs that measured the same: fields of their targets and of where their
// clients ran, and for each target what its trials found, such as the version of the server or the processor. Unknown is
// what is not known of both.
func Apart(first, second Run) (differ, unknown []RunDifference, err error) {
	d, err := differences(first, second)
	if err != nil {
		return nil, nil, err
	}
	differ = slices.Concat(d.targets, d.around)
	for _, target := range second.Layout.Plan.Targets {
		if target == v1alpha1.ControlName || !slices.Contains(first.Layout.Plan.Targets, target) {
			continue
		}
		for _, d := range differencesOf(first, second, target, between(first, second, target, likeness.OfParameters)) {
			if d.Code == NotKnown {
				unknown = append(unknown, d)
			} else {
				differ = append(differ, d)
			}
		}
	}
	return differ, unknown, nil
}
