package target

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/contract"
)

// identify asks the server of the image for its version, and refuses that of another
// flavor before anything is written. How long the answer may take is the manager's to
// decide, as with the first login.
func (s *server) identify(ctx context.Context) error {
	exit, said, err := s.carryOut(ctx, s.in.engine.Version())
	if err != nil {
		return err
	}
	if exit != (supervise.Exit{}) {
		return failWithLog(contract.ReasonServerMissing, said, "the server of the image cannot run: asked for its version, it %s", exit)
	}
	version, err := s.in.engine.Recognise(strings.Join(said, "\n"))
	if err != nil {
		return fail(contract.ReasonServerMissing, "%v", err)
	}
	s.in.target.ServerVersion = version
	if s.follower != nil {
		s.follower.in = s.in // the words of its statements depend on the version
	}
	s.Log.Info("found the server", "flavor", s.in.engine.Flavor, "version", version)
	return nil
}

// otherServer says what server the image has instead; empty for none that is known.
func otherServer() string {
	path, err := supervise.Find([]string{"mysqld", "mariadbd", "tidb-server"}, programDirs...)
	if err != nil {
		return ""
	}
	return ". It has " + filepath.Base(path) + ": set the flavor that this is, or name another image"
}
