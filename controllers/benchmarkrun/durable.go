package benchmarkrun

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/validity"
)

// invalidates: a finding about a target that makes all its trials invalid.
func invalidates(f v1alpha1.Finding) bool { return f.Trial == nil && f.Target != "" && f.IsInvalid() }

// lastFindings are the last of them, and notes go first: they must not displace what is
// against a number. Those that invalidate a target stay longest.
func lastFindings(all []v1alpha1.Finding) []v1alpha1.Finding {
	for len(all) > maxFindings {
		i := slices.IndexFunc(all, func(f v1alpha1.Finding) bool { return f.Severity == string(validity.Note) })
		if i < 0 {
			i = slices.IndexFunc(all, func(f v1alpha1.Finding) bool { return !invalidates(f) })
		}
		if i < 0 {
			return all
		}
		all = slices.Delete(all, i, i+1)
	}
	return all
}
