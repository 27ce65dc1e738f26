package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxCollected is the maximum number of files of a tool.
const maxCollected = 256

// matching are the files below a directory, of the kinds that are wanted, whose names
// match one of the patterns, relative to it. No link out of the directory is followed.
func matching(dir string, patterns []string, wanted func(fs.FileMode) bool) ([]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	var names []string
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
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// discard removes the files of an earlier command, so they cannot be mistaken for output of
// the next command.
func discard(dir string, patterns []string) error {
	names, err := matching(dir, patterns, func(m fs.FileMode) bool { return !m.IsDir() })
	for _, name := range names {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// collect moves the files that match to the raw files, untouched, and reads them.
func collect(dir, raw string, patterns []string) (map[string][]byte, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	names, err := matching(dir, patterns, fs.FileMode.IsRegular)
	if err != nil {
		return nil, err
	}
	if len(names) > maxCollected {
		return nil, fmt.Errorf("the tool wrote %d files that match %q, more than %d", len(names), patterns, maxCollected)
	}
	files, left := map[string][]byte{}, int64(maxOutput)
	for _, name := range names {
		kept := filepath.Join(raw, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700), os.Rename(filepath.Join(dir, name), kept)); err != nil {
			return nil, err
		}
		info, err := os.Stat(kept)
		if err != nil {
			return nil, err
		}
		if left -= info.Size(); left < 0 {
			return nil, fmt.Errorf("the files that match %q have more than %d bytes", patterns, maxOutput)
		}
		if files[name], err = os.ReadFile(kept); err != nil {
			return nil, err
		}
	}
	return files, nil
}
