package client

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// checkConsistency has the tool check the data after the measured window. Data that breaks a
// rule is a finding, which the manager judges; a check that could not be made fails the trial,
// because otherwise the numbers may be those of work that failed.
func checkConsistency(ctx context.Context, s session) (o outcome[*contract.DataCheck]) {
	command, err := s.runner.Command(s.trial, contract.PhaseCheck, s.credentials)
	if err != nil {
		return o.failed(invalid(err))
	}
	tool, failure := s.tool.prepare(ctx, rawName(contract.PhaseCheck), command, s.credentials.Password)
	if failure != nil {
		return o.failed(failure)
	}
	in, failure := s.tool.run(ctx, tool, time.Time{})
	if failure == nil {
		report := s.runner.Parse(s.trial, contract.PhaseCheck, in.output)
		o.problems, o.found, failure = report.Problems, report.Check, report.Failure
	}
	if failure != nil {
		return o.failed(&contract.Failure{Reason: failure.Reason, Message: fmt.Sprintf(
			"checking the data after the window: %s", in.withLastWord(failure).Message)})
	}
	if o.found != nil {
		o.found.Seconds = in.ended.Sub(in.started).Seconds()
	}
	return o
}
