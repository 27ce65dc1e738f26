package client

import (
	"context"

	"github.com/assay-bench/assay/internal/machinespeed"

	"github.com/assay-bench/assay/internal/contract"
)

// speed measures how fast the machines are: this one, and then that of the target, since both
// may be one. Nothing fails for want of it. Of several clients only the first measures: others
// on its node would measure each other.
func (e *execution) speed(ctx context.Context) *contract.Failure {
	own, err := machinespeed.Measure(e.machine.Throttled())
	if err != nil {
		e.problem("client/speed", "the speed of the machine: %v", err)
	}
	e.res.Client.Speed = &own
	if e.target == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.Ask)
	defer cancel()
	var theirs contract.Speed
	if err := e.target.get(ctx, contract.PathSpeed, &theirs); err != nil {
		e.problem("target/speed", "the target's agent does not tell the speed of its machine: %v", err)
		return nil
	}
	if e.res.Target == nil {
		e.res.Target = &contract.Environment{}
	}
	e.res.Target.Speed = &theirs
	return nil
}
