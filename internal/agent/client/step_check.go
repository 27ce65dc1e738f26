package client

import (
	"context"
	"fmt"

	"github.com/assay-bench/assay/internal/contract"
)

// checkData has the tool check the data after the measured window. Data that breaks a rule is
// a finding, which the manager judges; a check that could not be made fails the trial, because
// nobody knows then whether its numbers are of work that was done.
func (e *execution) checkData(ctx context.Context) *contract.Failure {
	command, err := e.runner.Command(e.trial, contract.PhaseCheck, e.credentials)
	if err != nil {
		return invalid(err)
	}
	tool, failure := e.prepare(rawName(contract.PhaseCheck), command, e.credentials.Password)
	if failure == nil {
		var in invocation
		if in, failure = e.start(ctx, tool); failure == nil {
			report := e.runner.Parse(e.trial, contract.PhaseCheck, in.output)
			e.res.Problems = append(e.res.Problems, report.Problems...)
			failure = report.Failure
			if report.Check != nil {
				report.Check.Seconds = in.ended.Sub(in.started).Seconds()
				e.data().Check = report.Check
			}
		}
		failure = in.withLastWord(failure)
	}
	if failure != nil {
		return &contract.Failure{Reason: failure.Reason, Message: fmt.Sprintf("checking the data after the window: %s", failure.Message)}
	}
	return nil
}
