package target

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/assay-bench/assay/internal/agent/affinity"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/agent/supervise"
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
	a := newAgent(o, in, login)
	if in.target.IsReplica() {
		if a.follower, err = newFollower(&a.in); err != nil {
			return err
		}
	}
	if name := in.target.Setter; name != "" {
		if a.setter, err = database.Pool(in.endpoint(""), in.credentials(name)); err != nil {
			return err
		}
		a.setter.SetMaxIdleConns(-1) // none is open during a measurement
	}
	return a.provide(ctx)
}

// provide lists the steps of the package.
func (a *agent) provide(ctx context.Context) error {
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	// Before any server is started: it inherits the CPUs of this process.
	if err := affinity.Keep(a.sampler.Reader, a.in.target.CPUs, affinity.Servers); err != nil {
		a.Log.Warn("the server is not kept to its CPUs", "error", err)
	}
	go supervise.Reap(background)
	go a.sampler.Run(background)
	if a.follower != nil {
		go a.follower.watch(background, a.serving.Load)
	}
	hangUp, err := a.listen(background)
	if err != nil {
		return err
	}
	err = a.supply(ctx)
	// Whoever waits for an operation gets the reason why there will be no other answer.
	a.operations.end(err)
	hangUp()
	return err
}

// supply makes sure of the server, makes the data directory and runs the server.
func (a *agent) supply(ctx context.Context) (err error) {
	if err := prepareDirs(a.Options); err != nil {
		return stored(err)
	}
	if a.in.target.ServerVersion, err = a.identify(ctx); err != nil {
		return err
	}
	if err := checkRetained(a); err != nil {
		return err
	}
	if err := writeFiles(a.Options, a.in); err != nil {
		return stored(err)
	}
	defer func() { _ = os.Remove(a.initFile()) }() // it is gone already once the server was ready
	a.storage.Store(probeStorage(ctx, a.Options, a.volume))
	interrupted, err := a.resume(ctx)
	if err != nil {
		return err
	}
	if err := a.initialise(ctx); err != nil {
		return err
	}
	return a.serve(ctx, interrupted)
}
