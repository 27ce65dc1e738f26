package benchmarkrun

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/validity"

	"github.com/assay-bench/assay/internal/contract"
)

// checkLoaded puts into the status what loading showed of a target, such as commits that
// were not durable.
func (s *scope) checkLoaded(target string, res *contract.Result) {
	if res == nil {
		return
	}
	for _, f := range validity.CheckLoad(*res) {
		found := findingOf(f)
		found.Target = target
		s.find(found)
	}
}

// condemns: a finding about a target that makes all its trials invalid.
func condemns(f v1alpha1.Finding) bool {
	return f.Trial == nil && f.Target != "" && f.Severity == string(validity.Invalid)
}

// inherited are the findings about a target that each of its trials has too.
func (s *scope) inherited(target string) []contract.RecordedFinding {
	var out []contract.RecordedFinding
	for _, f := range s.run.Status.Findings {
		if condemns(f) && f.Target == target {
			out = append(out, contract.RecordedFinding{Check: f.Check, Severity: f.Severity, Message: f.Message})
		}
	}
	return out
}

// lastFindings are the last of them, and notes go first: they must not displace what is
// against a number. No finding that condemns a target is left out: the trials to come are
// judged by it. There is at most one for each target and check.
func lastFindings(all []v1alpha1.Finding) []v1alpha1.Finding {
	for len(all) > maxFindings {
		i := slices.IndexFunc(all, func(f v1alpha1.Finding) bool { return f.Severity == string(validity.Note) })
		if i < 0 {
			i = slices.IndexFunc(all, func(f v1alpha1.Finding) bool { return !condemns(f) })
		}
		if i < 0 {
			return all
		}
		all = slices.Delete(all, i, i+1)
	}
	return all
}
