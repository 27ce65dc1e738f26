package supervisor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/agent/toolwire"
)

// matching are the files below a directory, of the kinds that are wanted, whose names
// match one of the patterns, relative to it. No link out of the directory is followed.
func matching(root *os.Root, patterns []string, wanted func(fs.FileMode) bool) ([]toolwire.File, error) {
	var out []toolwire.File
	seen := map[string]bool{}
	for _, pattern := range patterns {
		found, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return nil, fmt.Errorf("the pattern %q: %w", pattern, err)
		}
		for _, name := range found {
			info, err := root.Lstat(name)
			if err != nil {
				return nil, err
			}
			if wanted(info.Mode()) && !seen[name] {
				seen[name] = true
				out = append(out, toolwire.File{Name: name, Size: info.Size()})
			}
		}
	}
	return out, nil
}

// discard removes the files of an earlier command, so they cannot be mistaken for output of
// the next command.
func discard(dir string, patterns []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	found, err := matching(root, patterns, func(m fs.FileMode) bool { return !m.IsDir() })
	for _, f := range found {
		err = errors.Join(err, root.Remove(f.Name))
	}
	return err
}

// files of the output of a command that has ended.
func (c *command) files() ([]toolwire.File, error) {
	var out []toolwire.File
	for _, name := range []string{toolwire.Stdout, toolwire.Stderr} {
		info, err := os.Lstat(path.Join(c.raw, name))
		if err != nil {
			return nil, err
		}
		out = append(out, toolwire.File{Name: name, Size: info.Size()})
	}
	if len(c.collect) == 0 {
		return out, nil
	}
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	found, err := matching(root, c.collect, fs.FileMode.IsRegular)
	if err != nil {
		return nil, err
	}
	if len(found) > toolwire.MaxFiles {
		return nil, fmt.Errorf("the tool wrote %d files that match %q, more than %d", len(found), c.collect, toolwire.MaxFiles)
	}
	for _, f := range found {
		out = append(out, toolwire.File{Name: path.Join(toolwire.DirFiles, f.Name), Size: f.Size})
	}
	return out, nil
}

// seekTail goes to the last bytes of a file, and returns how many there are.
func seekTail(f *os.File, size int64, tail string) (int64, error) {
	most, err := strconv.ParseInt(tail, 10, 64)
	if err != nil || most < 0 {
		return 0, fmt.Errorf("the end of a file of %.20q bytes", tail)
	}
	most = min(most, size)
	_, err = f.Seek(size-most, io.SeekStart)
	return most, err
}

// file sends one file of an output, or its end. Of a command that runs it is what was written so far.
func (s *Supervisor) file(w http.ResponseWriter, r *http.Request) error {
	c, err := s.command(r)
	if err != nil {
		return err
	}
	dir, name := c.raw, r.PathValue("file")
	if own, ok := strings.CutPrefix(name, toolwire.DirFiles+"/"); ok {
		dir, name = c.dir, own
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	// A pipe in place of a file would be waited for.
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", name)
	}
	size := info.Size()
	if tail := r.URL.Query().Get(toolwire.QueryTail); tail != "" {
		if size, err = seekTail(f, size, tail); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	_, err = io.CopyN(w, f, size)
	if err != nil {
		panic(http.ErrAbortHandler) // the answer has begun: only its end can tell
	}
	return nil
}
