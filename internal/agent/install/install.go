// Package install is `agent install`: an init container runs it to copy the agent into a
// volume, from which the database container starts it.
package install

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Name of the installed file.
const Name = "assay-agent"

// Run copies the running program to the directory, executable by everyone. The file is renamed
// when it is complete.
func Run(dir string) error {
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the agent's own file: %w", err)
	}
	in, err := os.Open(own)
	if err != nil {
		return fmt.Errorf("reading the agent: %w", err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.CreateTemp(dir, "."+Name+"-*")
	if err != nil {
		return fmt.Errorf("installing the agent: %w", err)
	}
	if err := fill(out, in); err != nil {
		_ = os.Remove(out.Name()) // the first error counts
		return fmt.Errorf("installing the agent: %w", err)
	}
	return nil
}

func fill(out *os.File, in io.Reader) error {
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if err := os.Chmod(out.Name(), 0o755); err != nil {
		return err
	}
	return os.Rename(out.Name(), filepath.Join(filepath.Dir(out.Name()), Name))
}
