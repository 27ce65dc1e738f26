package client

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// errFull is the cause when a pack does not fit.
var errFull = errors.New("the raw files do not fit")

// rawFile is one file to pack.
type rawFile struct {
	// name in the pack, such as run/stdout.txt.
	name, path string
	size       int64
}

// rawFiles lists what was kept, in the order of the names.
func rawFiles(dir string) ([]rawFile, error) {
	var files []rawFile
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files = append(files, rawFile{name: filepath.ToSlash(name), path: path, size: info.Size()})
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return files, err
}

// pack makes a tar.gz of at most limit bytes; errFull if it does not fit. Equal files give
// equal bytes, because no time and no owner is recorded.
func pack(files []rawFile, limit int) ([]byte, error) {
	var out bytes.Buffer
	err := packTo(&limited{&out, int64(limit)}, files)
	return out.Bytes(), err
}

// packTo writes a tar.gz.
func packTo(out io.Writer, files []rawFile) error {
	zip, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zip)
	for _, f := range files {
		if err := add(archive, f); err != nil {
			return fmt.Errorf("packing %s: %w", f.name, err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		return fmt.Errorf("packing: %w", err)
	}
	return nil
}

func add(archive *tar.Writer, f rawFile) error {
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	header := &tar.Header{Name: f.name, Mode: 0o644, Size: f.size, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	// The size was read before; what was added since stays out.
	_, err = io.CopyN(archive, in, f.size)
	return err
}

// packWhatFits leaves the largest files out until the rest fits, and names them.
func packWhatFits(files []rawFile, limit int) (packed []byte, dropped []rawFile, err error) {
	dropped, err = fitting(files, func(rest []rawFile) (err error) {
		packed, err = pack(rest, limit)
		return err
	})
	return packed, dropped, err
}

// fitting tries to pack files, each time without the largest one, until the rest fits.
func fitting(files []rawFile, pack func([]rawFile) error) (dropped []rawFile, err error) {
	rest := slices.Clone(files)
	for {
		err = pack(rest)
		if !errors.Is(err, errFull) || len(rest) == 0 {
			return dropped, err
		}
		largest := slices.MaxFunc(rest, func(a, b rawFile) int { return int(a.size - b.size) })
		dropped = append(dropped, largest)
		rest = slices.DeleteFunc(rest, func(f rawFile) bool { return f == largest })
	}
}

// limited writes so many bytes at most.
type limited struct {
	to   io.Writer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errFull
	}
	return l.to.Write(p)
}
