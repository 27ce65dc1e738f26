package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// stored is the failure of the agent when its files cannot be read or written.
func stored(err error) error {
	if err == nil {
		return nil
	}
	return fail(contract.ReasonStorageFailed, "%v", err)
}

// prepareDirs checks that the volumes are writable.
func prepareDirs(o Options) error {
	for _, dir := range []string{o.Data, o.Run, o.Tmp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		probe, err := os.CreateTemp(dir, ".assay-*")
		if err != nil {
			return fmt.Errorf("the volume %s cannot be written by user %d: %w", dir, os.Getuid(), err)
		}
		if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
			return err
		}
	}
	return nil
}

// clearRun removes the files of an earlier server in the run directory, also of an earlier
// container of the pod. Its process numbers may be reused, and the server would then mistake
// the stale lock of the socket for that of a running server.
func clearRun(o Options) error {
	stale, err := filepath.Glob(filepath.Join(o.Run, "server.*"))
	for _, file := range append(stale, o.initFile()) {
		err = errors.Join(err, os.RemoveAll(file))
	}
	if err != nil {
		return fmt.Errorf("removing what an earlier server left: %w", err)
	}
	return nil
}

// writeFiles removes the files of an earlier server, and writes the configuration, readable
// for inspection in the pod, and the init file, which holds the password.
func writeFiles(o Options, in inputs) error {
	if err := clearRun(o); err != nil {
		return err
	}
	sql := strings.Join(in.engine.BootstrapSQL(in.target, in.password), "\n") + "\n"
	return errors.Join(
		os.WriteFile(o.configFile(), in.engine.Config(in.target, o.paths()), 0o600),
		os.WriteFile(o.initFile(), []byte(sql), 0o600),
	)
}

// initialised reports whether the data directory exists. It gets its name only when it is
// complete.
func initialised(o Options) (bool, error) {
	_, err := os.Stat(o.paths().Data)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// beginFirstStart makes an empty data directory for a server that initialises it itself, and
// marks it as incomplete. The data directory of an interrupted first start is removed: the
// server would treat it as complete, and not create the benchmark's account.
func beginFirstStart(o Options) error {
	done, err := initialised(o)
	if err != nil || (done && !exists(o.firstStartFile())) {
		return err
	}
	if err := os.WriteFile(o.firstStartFile(), nil, 0o600); err != nil {
		return err
	}
	if err := emptyDir(o.paths().Data); err != nil {
		return err
	}
	return syncDir(o.Data)
}

// emptyDir makes an empty directory in place of an unfinished one.
func emptyDir(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing an unfinished data directory: %w", err)
	}
	return os.Mkdir(dir, 0o700)
}

// adopt gives a complete draft its name, and makes that durable.
func adopt(draft, name string) error {
	if err := os.Rename(draft, name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
