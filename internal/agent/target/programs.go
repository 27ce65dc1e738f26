package target

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
func (a *agent) start(c engine.Command) (*supervise.Process, *supervise.Log, error) {
	path, err := supervise.Find(c.Programs, programDirs...)
	if err != nil {
		return nil, nil, fail(contract.ReasonServerMissing, "the image has no %s server: %v%s", a.in.engine.Flavor, err, otherServer())
	}
	log := &supervise.Log{Out: a.Out, Keep: keepLog, Observe: a.logged.observe}
	cmd := exec.Command(path, c.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.Run, log, log
	cmd.Env = append(append(os.Environ(), "TMPDIR="+a.Tmp, "HOME="+a.Run), c.Env...)
	process, err := supervise.Start(cmd)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fail(contract.ReasonServerMissing, "%v: it is a script whose shell, or a program whose loader, the image lacks", err)
	}
	if err != nil {
		return nil, nil, fail(contract.ReasonServerMissing, "%v", err)
	}
	return process, log, nil
}

// carryOut runs a program of the engine, and returns its exit and its last lines.
func (a *agent) carryOut(ctx context.Context, c engine.Command) (supervise.Exit, []string, error) {
	process, log, err := a.start(c)
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
