package analysis

// MeasuredTheSame fails with a NotOneExperimentError for runs that did not measure the same: another load,
// other cells, another way of measuring. Where they ran, and on which servers, is not part of it.
func MeasuredTheSame(a, b Run) error {
	d, err := differences(a, b)
	if err == nil && len(d.measured) > 0 {
		err = &NotOneExperimentError{First: a.Name, Second: b.Name, Differences: d.measured}
	}
	return err
}
