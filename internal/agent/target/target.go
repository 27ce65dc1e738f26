package target

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Run provides the server until the context ends. The error is also the termination message.
func Run(ctx context.Context, o Options) error {
	err := run(ctx, o)
	if err == nil || (ctx.Err() != nil && errors.Is(err, ctx.Err())) {
		return nil
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{reason: contract.ReasonInitialisationFailed, what: err.Error()}
	}
	if werr := os.WriteFile(o.TerminationLog, f.termination().Encode(), 0o600); werr != nil {
		return errors.Join(err, fmt.Errorf("writing the termination message: %w", werr))
	}
	return err
}

func run(ctx context.Context, o Options) error {
	in, err := loadInputs(o)
	if err != nil {
		return err
	}
	login, err := newLogin(in)
	if err != nil {
		return err
	}
	return provide(ctx, newAgent(o, in, login))
}

// provide is the story of the package.
func provide(ctx context.Context, a *agent) error {
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go a.children.Reap(background)
	go a.sampler.Run(background)
	if a.follower != nil {
		go a.follower.watch(background, a.live.serving.Load)
	}
	hangUp, err := a.api().listen(background)
	if err != nil {
		return err
	}
	err = supply(ctx, a)
	// Whoever waits for an operation gets the reason why there will be no other answer.
	a.operations.end(err)
	hangUp()
	return err
}

// supply makes sure of the server, makes the data directory and runs the server.
func supply(ctx context.Context, a *agent) error {
	if err := prepareDirs(a.Options); err != nil {
		return err
	}
	in, programs := a.in, a.programs()
	version, err := identify(ctx, programs, in.engine)
	if err != nil {
		return err
	}
	in.target.ServerVersion = version
	if a.follower != nil {
		a.follower.in = in // the words of its statements depend on the version
	}
	if err := writeFiles(a.Options, in); err != nil {
		return err
	}
	defer func() { _ = os.Remove(a.initFile()) }() // it is gone already once the server was ready
	a.storage.Store(probeStorage(ctx, a.Options, a.volume))
	o := operator{server: a.server(in), volume: a.volume, operations: a.operations}
	interrupted, err := o.resume(ctx)
	if err != nil {
		return err
	}
	if err := initialise(ctx, programs, in.engine); err != nil {
		return err
	}
	return o.serve(ctx, interrupted)
}
