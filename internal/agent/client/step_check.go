package client

import (
	"context"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// checkConsistency has the tool check the data after the measured window. Data that breaks a
// rule is a finding, which the manager judges; a check that could not be made fails the trial,
// because otherwise the numbers may be those of work that failed.
func checkConsistency(ctx context.Context, s session) (o outcome[*contract.DataCheck]) {
	in, report, failure := s.runPhase(ctx, rawName(contract.PhaseCheck), contract.PhaseCheck)
	o.problems, o.found = report.Problems, report.Check
	if failure != nil {
		return o.failed(failed(failure.Reason, "checking the data after the window: %s", failure.Message))
	}
	if o.found != nil {
		o.found.Seconds = in.ended.Sub(in.started).Seconds()
	}
	return o
}
