package toolside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/runners/runner"
)

// maxName is the maximum length of the name of a file.
const maxName = 255

// Fetch reads the files of a command that has ended, and keeps them below a directory of the
// agent.
func (s *Side) Fetch(ctx context.Context, name string, files []toolwire.File, keep string) (runner.Output, error) {
	var out runner.Output
	if err := check(files); err != nil {
		return out, err
	}
	if err := os.MkdirAll(keep, 0o700); err != nil {
		return out, err
	}
	root, err := os.OpenRoot(keep)
	if err != nil {
		return out, err
	}
	defer func() { _ = root.Close() }()
	for _, f := range files {
		data, err := s.fetch(ctx, name, f)
		if err != nil {
			return out, err
		}
		if err := write(root, f.Name, data); err != nil {
			return out, err
		}
		switch f.Name {
		case toolwire.Stdout:
			out.Stdout = data
		case toolwire.Stderr:
			out.Stderr = data
		default:
			if out.Files == nil {
				out.Files = map[string][]byte{}
			}
			out.Files[strings.TrimPrefix(f.Name, toolwire.DirFiles+"/")] = data
		}
	}
	return out, nil
}

// check refuses an announced output that is too large or has impossible names.
func check(files []toolwire.File) error {
	seen, left := map[string]bool{}, int64(toolwire.MaxOutput)
	for _, f := range files {
		known := f.Name == toolwire.Stdout || f.Name == toolwire.Stderr || strings.HasPrefix(f.Name, toolwire.DirFiles+"/")
		if !known || !fs.ValidPath(f.Name) || len(f.Name) > maxName || seen[f.Name] {
			return fmt.Errorf("%w: a file %.300q is impossible", ErrOutput, f.Name)
		}
		seen[f.Name] = true
		// Compared before the subtraction, which sizes of a hostile tool might overflow.
		if f.Size < 0 || f.Size > left {
			return fmt.Errorf("%w: %s has %d bytes, and all files together may have %d", ErrOutput, f.Name, f.Size, toolwire.MaxOutput)
		}
		left -= f.Size
	}
	if !seen[toolwire.Stdout] || !seen[toolwire.Stderr] || len(files) > toolwire.MaxFiles+2 {
		return fmt.Errorf("%w: %d files, with %s: %v, with %s: %v", ErrOutput,
			len(files), toolwire.Stdout, seen[toolwire.Stdout], toolwire.Stderr, seen[toolwire.Stderr])
	}
	return nil
}

// fetch one file, of which exactly the announced bytes must come.
func (s *Side) fetch(ctx context.Context, name string, f toolwire.File) ([]byte, error) {
	parts := strings.Split(f.Name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	response, err := s.do(ctx, http.MethodGet, pathOf(toolwire.PathFile, name)+strings.Join(parts, "/"), nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	// All files together are bounded: see check.
	data := make([]byte, f.Size)
	if n, err := io.ReadFull(response.Body, data); err != nil {
		return nil, fmt.Errorf("%w: %s, after %d of %d bytes: %w", ErrOutput, f.Name, n, f.Size, err)
	}
	return data, nil
}

// write below the directory. Names that contradict each other are an error.
func write(root *os.Root, name string, data []byte) error {
	err := root.MkdirAll(path.Dir(name), 0o700)
	if err == nil {
		err = root.WriteFile(name, data, 0o600)
	}
	if err != nil {
		return errors.Join(ErrOutput, err)
	}
	return nil
}

// Tail reads the whole lines at the end of what a command has printed so far, of at most so many bytes. The
// file is Stdout or Stderr of toolwire. Nothing is kept.
func (s *Side) Tail(ctx context.Context, name, file string, most int64) ([]byte, error) {
	path := fmt.Sprintf("%s%s?%s=%d", pathOf(toolwire.PathFile, name), file, toolwire.QueryTail, most)
	response, err := s.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return nil, fmt.Errorf("%w: the end of %s: %w", ErrLost, file, err)
	}
	if int64(len(data)) == most { // its first line has lost its beginning
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data[:bytes.LastIndexByte(data, '\n')+1], nil
}
