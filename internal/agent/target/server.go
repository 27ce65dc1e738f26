package target

import (
	"context"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// loginPause is the interval of login attempts while the server starts.
	loginPause = 50 * time.Millisecond
	// refusedFor is the time in which a starting server may refuse the account or close the
	// connection.
	refusedFor = 5 * time.Second
)

// server starts and stops one database server.
type server struct {
	Options
	in       inputs
	programs programs
	login    *loginProbe
	follower *follower
	state    *serverState
}

// running is a running server.
type running struct {
	*supervise.Process
	log *supervise.Log
}

// launch starts the server and waits for the first login.
func (s server) launch(ctx context.Context) (running, error) {
	if err := ctx.Err(); err != nil {
		return running{}, err
	}
	if err := writeFiles(s.Options, s.in); err != nil {
		return running{}, err
	}
	process, log, err := s.programs.start(s.in.engine.Serve(s.in.target, s.paths()))
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
	if err := endFirstStart(s.Options); err != nil {
		p.Stop(s.Grace)
		return running{}, err
	}
	if err := s.followPrimary(ctx); err != nil {
		p.Stop(s.Grace)
		return running{}, err
	}
	s.state.up(p.PID())
	s.Log.Info("the server is ready", "version", s.login.lastVersion())
	return p, nil
}

// lastWords of the server, whose log may go on.
func (s server) lastWords(p running) lastWords {
	return lastWords{s.in.engine.Facts.Log, p.log.Tail()}
}

// crashed is the failure of a server that ended unexpectedly.
func (s server) crashed(p running) error {
	s.state.down()
	exit := p.Exit()
	words := s.lastWords(p)
	return failWithLog(words.classify(exit, false, contract.ReasonServerCrashed), words, "the server %s while it served", exit)
}

// stop ends the server. It fails if the server had to be killed.
func (s server) stop(p running) error {
	s.state.down()
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
func (s server) awaitLogin(ctx context.Context, p running) error {
	var refusedSince time.Time
	ticker := time.NewTicker(loginPause)
	defer ticker.Stop()
	for {
		select {
		case <-p.Done():
			exit := p.Exit()
			words := s.lastWords(p)
			return failWithLog(words.classify(exit, true, contract.ReasonServerCrashed), words, "the server %s before it was ready", exit)
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		err := s.login.check(ctx, 0)
		switch {
		case err == nil:
			return nil
		case encryptionFailed(err):
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
func (s server) stopCleanly(p running) error {
	if err := s.stop(p); err != nil {
		return err
	}
	if exit := p.Exit(); exit != (supervise.Exit{}) {
		words := s.lastWords(p)
		return failWithLog(words.classify(exit, false, contract.ReasonServerCrashed), words, "the server %s when it was told to stop", exit)
	}
	return nil
}

// followPrimary starts replication on a server that is a replica.
func (s server) followPrimary(ctx context.Context) error {
	if !s.in.target.IsReplica() {
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
