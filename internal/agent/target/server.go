package target

import (
	"context"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/agent/database"
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

// running is a running server.
type running struct {
	*supervise.Process
	log *supervise.Log
}

// launch starts the server and waits for the first login.
func (a *agent) launch(ctx context.Context) (running, error) {
	if err := ctx.Err(); err != nil {
		return running{}, err
	}
	if err := writeFiles(a.Options, a.in); err != nil {
		return running{}, stored(err)
	}
	process, log, err := a.start(a.in.engine.Serve(a.in.target, a.paths()))
	if err != nil {
		return running{}, err
	}
	p := running{process, log}
	if err := a.awaitLogin(ctx, p); err != nil {
		if _, killed := p.Stop(a.Grace); killed {
			a.Log.Warn("the server did not shut down in time and was killed", "grace", a.Grace)
		}
		return running{}, err
	}
	if err := os.Remove(a.initFile()); err != nil {
		a.Log.Warn("removing the init file", "error", err)
	}
	// The mark of a first start ends with the first login.
	err = stored(os.RemoveAll(a.firstStartFile()))
	if err == nil {
		err = a.followPrimary(ctx)
	}
	if err != nil {
		p.Stop(a.Grace)
		return running{}, err
	}
	a.pid.Store(int64(p.PID()))
	a.serving.Store(true)
	a.Log.Info("the server is ready", "version", a.login.lastVersion())
	return p, nil
}

// lastWords of the server, whose log may go on.
func (a *agent) lastWords(p running) lastWords {
	return lastWords{a.in.engine.Facts.Log, p.log.Tail()}
}

// ended is the failure of a server that ended in another way than it should.
func (a *agent) ended(p running, starting bool, when string) error {
	words := a.lastWords(p)
	return failWithLog(words.classify(p.Exit(), starting, contract.ReasonServerCrashed), words, "the server %s %s", p.Exit(), when)
}

// crashed is the failure of a server that ended unexpectedly.
func (a *agent) crashed(p running) error {
	a.down()
	return a.ended(p, false, "while it served")
}

// stop ends the server. It fails if the server had to be killed.
func (a *agent) stop(p running) error {
	a.down()
	a.Log.Info("stopping the server")
	exit, killed := p.Stop(a.Grace)
	if killed {
		return fail(contract.ReasonServerKilled, "the server did not shut down within %s and was killed: its data directory needs recovery", a.Grace)
	}
	a.Log.Info("the server has stopped", "exit", exit.String())
	return nil
}

// awaitLogin retries until the benchmark's account can log in. The manager has the timeout,
// which includes a recovery.
func (a *agent) awaitLogin(ctx context.Context, p running) error {
	var refusedSince time.Time
	ticker := time.NewTicker(loginPause)
	defer ticker.Stop()
	for {
		select {
		case <-p.Done():
			return a.ended(p, true, "before it was ready")
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		err := a.login.check(ctx, 0)
		switch {
		case err == nil:
			return nil
		case database.TLSFailed(err):
			return cannotEncrypt(a.in.engine.Flavor, a.lastWords(p), err)
		case !denied(err) && !a.in.hangsUp(err):
			refusedSince = time.Time{}
		case refusedSince.IsZero():
			refusedSince = time.Now()
		case time.Since(refusedSince) <= refusedFor:
		case denied(err):
			return failWithLog(contract.ReasonInitialisationFailed, a.lastWords(p), "the server could not make the benchmark's account: %v", err)
		default:
			return cannotEncrypt(a.in.engine.Flavor, a.lastWords(p), err)
		}
	}
}

// stopCleanly fails unless the server shut down cleanly.
func (a *agent) stopCleanly(p running) error {
	if err := a.stop(p); err != nil {
		return err
	}
	if p.Exit() != (supervise.Exit{}) {
		return a.ended(p, false, "when it was told to stop")
	}
	return nil
}

// followPrimary starts replication on a server that is a replica.
func (a *agent) followPrimary(ctx context.Context) error {
	if a.follower == nil {
		return nil
	}
	if err := a.follower.follow(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fail(contract.ReasonInitialisationFailed, "the server cannot be made a replica of %s: %v", a.in.target.Replication.Primary, err)
	}
	return nil
}
