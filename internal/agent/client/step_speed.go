package client

import (
	"context"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// speeds of the machines.
type speeds struct {
	// client is nil before it was measured, and target where its agent does not answer.
	client, target *contract.Speed
}

// measureSpeed measures the speed of this machine with the CPUs of the tool's container, and then of the target's, because both may
// be the same. A failure is only a problem.
func measureSpeed(ctx context.Context, s session) (o outcome[speeds]) {
	own, err := s.tool.side.Speed(ctx)
	if err != nil {
		o.problem("client/speed", "the speed of the machine: %v", err)
	} else {
		o.found.client = &own
	}
	if s.target == nil {
		return o
	}
	ctx, cancel := context.WithTimeout(ctx, s.Ask)
	defer cancel()
	var theirs contract.Speed
	if err := s.target.get(ctx, contract.PathSpeed, &theirs); err != nil {
		o.problem("target/speed", "the target's agent does not give the speed of its machine: %v", err)
		return o
	}
	o.found.target = &theirs
	return o
}
