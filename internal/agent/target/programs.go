package target

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// keepLog is the size of the kept part of the server's log, in bytes.
const keepLog = 16 << 10

// programDirs are directories of servers outside of PATH in some images.
var programDirs = []string{
	"/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/bin", "/usr/local/sbin",
	"/usr/local/mysql/bin", "/usr/local/mysql/scripts", "/opt/bitnami/mysql/bin", "/opt/bitnami/mariadb/sbin",
	"/", // images of one program, such as pingcap/tidb
}

// start starts a program of the engine; its output goes to a new log.
func (s *server) start(c engine.Command) (*supervise.Process, *supervise.Log, error) {
	path, err := supervise.Find(c.Programs, programDirs...)
	if err != nil {
		return nil, nil, fail(contract.ReasonServerMissing, "the image has no %s server: %v%s", s.in.engine.Flavor, err, otherServer())
	}
	log := &supervise.Log{Out: s.Out, Keep: keepLog, Observe: s.logged.observe}
	cmd := exec.Command(path, c.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Run, log, log
	cmd.Env = append(append(os.Environ(), "TMPDIR="+s.Tmp, "HOME="+s.Run), c.Env...)
	process, err := supervise.Start(cmd)
	if err != nil {
		return nil, nil, cannotStart(err, hasCapabilities(path))
	}
	return process, log, nil
}

// hasCapabilities says whether a file gives some to the process that it becomes.
func hasCapabilities(path string) bool {
	size, err := syscall.Getxattr(path, "security.capability", nil)
	return err == nil && size > 0
}

// cannotStart is the failure of a program that is there, and that the kernel does not start.
func cannotStart(err error, capabilities bool) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fail(contract.ReasonServerMissing, "%v: it is a script whose shell, or a program whose loader, the image lacks", err)
	case errors.Is(err, syscall.EPERM) && capabilities:
		// As of /usr/libexec/mysqld in Red Hat's packages, which has cap_sys_nice.
		return fail(contract.ReasonServerMissing, "%v: the file has capabilities, of which a pod of Assay has none. "+
			"Make an image of this one in which `setcap -r` has removed them, or name another image", err)
	}
	return fail(contract.ReasonServerMissing, "%v", err)
}

// carryOut runs a program of the engine, and returns its exit and its last lines.
func (s *server) carryOut(ctx context.Context, c engine.Command) (supervise.Exit, []string, error) {
	process, log, err := s.start(c)
	if err != nil {
		return supervise.Exit{}, nil, err
	}
	select {
	case <-process.Done():
		return process.Exit(), log.Tail(), nil
	case <-ctx.Done():
		process.Stop(time.Second)
		return supervise.Exit{}, nil, ctx.Err()
	}
}

// otherServer names the server that the image has instead; empty for none.
func otherServer() string {
	path, err := supervise.Find(engines.Programs(), programDirs...)
	if err != nil {
		return ""
	}
	return ". It has " + filepath.Base(path) + ": set the flavor that this is, or name another image"
}

// identify reads the version of the image's server, and refuses another flavor before anything
// is written. The manager has the timeout, as for the first login.
func (s *server) identify(ctx context.Context) (version string, err error) {
	e := s.in.engine
	exit, said, err := s.carryOut(ctx, e.Version())
	if err != nil {
		return "", err
	}
	if exit != (supervise.Exit{}) {
		return "", failWithLog(contract.ReasonServerMissing, lastWords{e.Facts.Log, said}, "the server of the image cannot run: asked for its version, it %s", exit)
	}
	if version, err = engines.Recognise(e, strings.Join(said, "\n")); err != nil {
		return "", fail(contract.ReasonServerMissing, "%v", err)
	}
	s.Log.Info("found the server", "flavor", e.Flavor, "version", version)
	return version, nil
}

// initialise first makes the data directory under another name, so an interrupted start leaves
// nothing that looks complete.
func (s *server) initialise(ctx context.Context) error {
	e := s.in.engine
	if e.Initialise == nil {
		return stored(beginFirstStart(s.Options))
	}
	if done, err := initialised(s.Options); done || err != nil {
		return stored(err)
	}
	begin, paths, draft := time.Now(), s.paths(), s.paths().Data+".initialising"
	// In place of that of an interrupted start.
	if err := emptyDir(draft); err != nil {
		return stored(err)
	}
	paths.Data = draft
	exit, said, err := s.carryOut(ctx, e.Initialise(paths))
	if err != nil {
		return err
	}
	if exit != (supervise.Exit{}) {
		words := lastWords{e.Facts.Log, said}
		return failWithLog(words.classify(exit, true, contract.ReasonInitialisationFailed), words,
			"the initialisation of the data directory %s", exit)
	}
	if err := adopt(draft, s.paths().Data); err != nil {
		return stored(err)
	}
	s.Log.Info("initialised the data directory", "took", time.Since(begin).Round(time.Millisecond))
	return nil
}
