package target

import (
	"context"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/contract"
)

// carryOut starts a program of the engine and waits for its end, which it returns with the
// last lines that the program printed.
func (s *server) carryOut(ctx context.Context, c engine.Command) (supervise.Exit, []string, error) {
	p, log, err := s.start(c)
	if err != nil {
		return supervise.Exit{}, nil, err
	}
	select {
	case <-p.Done():
		return p.Exit(), log.Tail(), nil
	case <-ctx.Done():
		p.Stop(time.Second)
		return supervise.Exit{}, nil, ctx.Err()
	}
}

// initialise makes the data directory under another name first, so that a start
// that is interrupted leaves nothing that looks complete.
func (s *server) initialise(ctx context.Context) error {
	if s.in.engine.Initialise == nil {
		return beginFirstStart(s.Options)
	}
	if done, err := initialised(s.Options); done || err != nil {
		return err
	}
	draft, err := emptyDraft(s.Options)
	if err != nil {
		return err
	}
	begin := time.Now()
	paths := s.paths()
	paths.Data = draft
	exit, said, err := s.carryOut(ctx, s.in.engine.Initialise(s.configFile(), paths))
	if err != nil {
		return err
	}
	if exit != (supervise.Exit{}) {
		return failWithLog(classifyStart(exit, said, contract.ReasonInitialisationFailed), said,
			"the initialisation of the data directory %s", exit)
	}
	if err := adopt(draft, s.paths().Data); err != nil {
		return fail(contract.ReasonStorageFailed, "%v", err)
	}
	s.Log.Info("initialised the data directory", "took", time.Since(begin).Round(time.Millisecond))
	return nil
}
