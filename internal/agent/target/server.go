package target

import (
	"context"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

const (
	// loginPause is the interval of login attempts while the server starts.
	loginPause = 50 * time.Millisecond
	// refusedFor is the time in which a starting server may refuse the account or close the
	// connection.
	refusedFor = 5 * time.Second
)

// running is a running server.
type running struct {
	*supervise.Process
	log *supervise.Log
}

// launch starts the server and waits for the first login.
func (s *server) launch(ctx context.Context) (running, error) {
	if err := ctx.Err(); err != nil {
		return running{}, err
	}
	in := s.in
	in.target.Settings, s.changed = settings.Merge(s.in.target.Settings, s.varied), changes{}
	if err := writeFiles(s.Options, in); err != nil {
		return running{}, stored(err)
	}
	process, log, err := s.start(in.engine.Serve(in.target, s.paths()))
	if err != nil {
		return running{}, err
	}
	p := running{process, log}
	if err := s.awaitLogin(ctx, p); err != nil {
		if _, killed := p.Stop(s.Grace); killed {
			s.Log.Warn("the server did not shut down in time and was killed", "grace", s.Grace)
		}
		return running{}, err
	}
	if err := os.Remove(s.initFile()); err != nil {
		s.Log.Warn("removing the init file", "error", err)
	}
	// The mark of a first start ends with the first login.
	err = stored(os.RemoveAll(s.firstStartFile()))
	if err == nil {
		err = s.followPrimary(ctx)
	}
	if err != nil {
		p.Stop(s.Grace)
		return running{}, err
	}
	s.pid.Store(int64(p.PID()))
	s.serving.Store(true)
	s.Log.Info("the server is ready", "version", s.login.lastVersion())
	return p, nil
}

// lastWords of the server, whose log may go on.
func (s *server) lastWords(p running) lastWords {
	return lastWords{s.in.engine.Facts.Log, p.log.Tail()}
}

// ended is the failure of a server that ended in another way than it should.
func (s *server) ended(p running, starting bool, when string) error {
	words := s.lastWords(p)
	return failWithLog(words.classify(p.Exit(), starting, contract.ReasonServerCrashed), words, "the server %s %s", p.Exit(), when)
}

// crashed is the failure of a server that ended unexpectedly.
func (s *server) crashed(p running) error {
	s.down()
	return s.ended(p, false, "while it served")
}

// stop ends the server. It fails if the server had to be killed.
func (s *server) stop(p running) error {
	s.down()
	s.Log.Info("stopping the server")
	exit, killed := p.Stop(s.Grace)
	if killed {
		return fail(contract.ReasonServerKilled, "the server did not shut down within %s and was killed: its data directory needs recovery", s.Grace)
	}
	s.Log.Info("the server has stopped", "exit", exit.String())
	return nil
}

// awaitLogin retries until the benchmark's account can log in. The manager has the timeout,
// which includes a recovery.
func (s *server) awaitLogin(ctx context.Context, p running) error {
	var refusedSince time.Time
	ticker := time.NewTicker(loginPause)
	defer ticker.Stop()
	for {
		select {
		case <-p.Done():
			return s.ended(p, true, "before it was ready")
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		err := s.login.check(ctx, 0)
		switch {
		case err == nil:
			return nil
		case database.TLSFailed(err):
			return cannotEncrypt(s.in.engine.Flavor, s.lastWords(p), err)
		case !denied(err) && !s.in.hangsUp(err):
			refusedSince = time.Time{}
		case refusedSince.IsZero():
			refusedSince = time.Now()
		case time.Since(refusedSince) <= refusedFor:
		case denied(err):
			return failWithLog(contract.ReasonInitialisationFailed, s.lastWords(p), "the server could not make the benchmark's account: %v", err)
		default:
			return cannotEncrypt(s.in.engine.Flavor, s.lastWords(p), err)
		}
	}
}

// stopCleanly fails unless the server shut down cleanly.
func (s *server) stopCleanly(p running) error {
	if err := s.stop(p); err != nil {
		return err
	}
	if p.Exit() != (supervise.Exit{}) {
		return s.ended(p, false, "when it was told to stop")
	}
	return nil
}

// followPrimary starts replication on a server that is a replica.
func (s *server) followPrimary(ctx context.Context) error {
	if s.follower == nil {
		return nil
	}
	if err := s.follower.follow(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fail(contract.ReasonInitialisationFailed, "the server cannot be made a replica of %s: %v", s.in.target.Replication.Primary, err)
	}
	return nil
}
