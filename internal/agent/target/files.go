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

// prepareDirs checks that the volumes are writable.
func prepareDirs(o Options) error {
	for _, dir := range []string{o.Data, o.Run, o.Tmp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fail(contract.ReasonStorageFailed, "%v", err)
		}
		probe, err := os.CreateTemp(dir, ".assay-*")
		if err != nil {
			return fail(contract.ReasonStorageFailed, "the volume %s cannot be written by user %d: %v", dir, os.Getuid(), err)
		}
		_ = probe.Close()
		if err := os.Remove(probe.Name()); err != nil {
			return fail(contract.ReasonStorageFailed, "%v", err)
		}
	}
	return nil
}

// clearRun removes the files of an earlier server in the run directory, also of an earlier
// container of the pod. Its process numbers may be reused, and the server would then mistake
// the stale lock of the socket for that of a running server.
func clearRun(o Options) error {
	stale, err := filepath.Glob(filepath.Join(o.Run, "server.*"))
	if err != nil {
		return fmt.Errorf("listing %s: %w", o.Run, err)
	}
	for _, file := range append(stale, o.initFile()) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fail(contract.ReasonStorageFailed, "removing what an earlier server left: %v", err)
		}
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
	files := map[string][]byte{
		o.configFile(): in.engine.Config(in.target, o.paths()),
		o.initFile():   []byte(sql),
	}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return fail(contract.ReasonStorageFailed, "%v", err)
		}
	}
	return nil
}

// initialised reports whether the data directory exists. It gets its name only when it is
// complete.
func initialised(o Options) (bool, error) {
	_, err := os.Stat(o.paths().Data)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fail(contract.ReasonStorageFailed, "%v", err)
	}
	return true, nil
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
		return fail(contract.ReasonStorageFailed, "%v", err)
	}
	if err := os.RemoveAll(o.paths().Data); err != nil {
		return fail(contract.ReasonStorageFailed, "removing an unfinished data directory: %v", err)
	}
	if err := os.Mkdir(o.paths().Data, 0o700); err != nil {
		return fail(contract.ReasonStorageFailed, "%v", err)
	}
	if err := syncDir(o.Data); err != nil {
		return fail(contract.ReasonStorageFailed, "%v", err)
	}
	return nil
}

// endFirstStart removes the mark after the first login of the benchmark's account.
func endFirstStart(o Options) error {
	if err := os.Remove(o.firstStartFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(contract.ReasonStorageFailed, "%v", err)
	}
	return nil
}

// emptyDraft makes an empty directory for a new data directory, in place of that of an
// interrupted start.
func emptyDraft(o Options) (string, error) {
	draft := o.paths().Data + ".initialising"
	if err := os.RemoveAll(draft); err != nil {
		return "", fail(contract.ReasonStorageFailed, "removing an unfinished data directory: %v", err)
	}
	if err := os.Mkdir(draft, 0o700); err != nil {
		return "", fail(contract.ReasonStorageFailed, "%v", err)
	}
	return draft, nil
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
