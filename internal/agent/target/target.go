package target

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/assay-bench/assay/internal/contract"
)

// Run provides the server until the context ends. The error is what was written
// as the termination message.
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
	knocker, err := login(in)
	if err != nil {
		return err
	}
	return provide(ctx, newServer(o, in, knocker))
}

// provide is the story of the package.
func provide(ctx context.Context, s *server) error {
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go s.children.Reap(background)
	go s.sampler.Run(background)
	if s.follower != nil {
		go s.follower.watch(background, s.serving.Load)
	}
	hangUp, err := s.listen(background)
	if err != nil {
		return err
	}
	err = supply(ctx, s)
	// Whoever waits for an operation is told why there will be no other answer.
	s.operations.end(err)
	hangUp()
	return err
}

// supply makes sure of the server, makes the data directory and runs the server.
func supply(ctx context.Context, s *server) error {
	if err := prepareDirs(s.Options); err != nil {
		return err
	}
	if err := s.identify(ctx); err != nil {
		return err
	}
	if err := writeFiles(s.Options, s.in); err != nil {
		return err
	}
	defer func() { _ = os.Remove(s.initFile()) }() // it is gone already once the server was ready
	s.probe(ctx)
	if err := s.resume(ctx); err != nil {
		return err
	}
	if err := s.initialise(ctx); err != nil {
		return err
	}
	return s.serve(ctx)
}
