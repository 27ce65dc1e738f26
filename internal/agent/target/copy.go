package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// chunk is the number of bytes between checks of the context.
const chunk = 64 << 20

// cloneFunc shares the content of one file with an empty file without copying.
type cloneFunc func(dst, src *os.File) error

// reflink works on Btrfs, XFS and some others, within one file system.
func reflink(dst, src *os.File) error {
	return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd()))
}

// clones tests whether the volume supports cloning.
func (v *volume) clones() bool {
	src, err := os.CreateTemp(v.dir, ".assay-clone-*")
	if err != nil {
		return false
	}
	defer func() { _, _ = src.Close(), os.Remove(src.Name()) }()
	dst, err := os.CreateTemp(v.dir, ".assay-clone-*")
	if err != nil {
		return false
	}
	defer func() { _, _ = dst.Close(), os.Remove(dst.Name()) }()
	if _, err := src.Write(make([]byte, 4096)); err != nil {
		return false
	}
	return v.clone(dst, src) == nil
}

// copier copies one tree. Everything is on disk at its end: later writes by the kernel would
// disturb the next measurement.
type copier struct {
	clone cloneFunc
	done  contract.Copy
	// plain: some file could not be cloned.
	plain bool
}

// copyTree makes dst a copy of the directory src. Bytes are the sizes of the files, holes
// included. It copies files and directories with their permissions, skips sockets and pipes,
// and refuses symbolic links, because both trees would share their targets. It never makes
// hard links, for the same reason.
func copyTree(ctx context.Context, dst, src string, clone cloneFunc) (contract.Copy, error) {
	c := copier{clone: clone}
	if err := c.dir(ctx, dst, src); err != nil {
		return contract.Copy{}, err
	}
	c.done.Reflink = !c.plain && c.done.Bytes > 0
	return c.done, nil
}

func (c *copier) dir(ctx context.Context, dst, src string) error {
	entries, err := os.ReadDir(src)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dst, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.entry(ctx, filepath.Join(dst, e.Name()), filepath.Join(src, e.Name()), e.Type()); err != nil {
			return err
		}
	}
	// Last, because the directory may be read-only.
	if err := keepMode(dst, src); err != nil {
		return err
	}
	return syncDir(dst)
}

func (c *copier) entry(ctx context.Context, dst, src string, kind fs.FileMode) error {
	switch kind {
	case 0:
		return c.file(ctx, dst, src)
	case fs.ModeDir:
		return c.dir(ctx, dst, src)
	case fs.ModeSymlink:
		return fmt.Errorf("%s is a symbolic link: keep the data in the data directory", src)
	}
	return nil
}

// keepMode gives the copy the permissions of the source, whatever the umask is.
func keepMode(dst, src string) error {
	info, err := os.Stat(src)
	if err != nil {
		return err
	}
	return os.Chmod(dst, info.Mode())
}

func (c *copier) file(ctx context.Context, dst, src string) (err error) {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	var stat unix.Stat_t
	if err := unix.Fstat(int(in.Fd()), &stat); err != nil {
		return &os.PathError{Op: "stat", Path: src, Err: err}
	}
	// After a failed clone, a plain copy succeeds or fails with the relevant error.
	if stat.Size > 0 && c.clone(out, in) != nil {
		c.plain = true
		if err := copyContent(ctx, out, in, stat); err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
	}
	if err := keepMode(dst, src); err != nil {
		return err
	}
	c.done.Files++
	c.done.Bytes += stat.Size
	return out.Sync()
}

// copyContent copies data without holes. A fully allocated file, such as a preallocated log,
// is fully allocated again: allocating blocks during writes would change the server's
// performance.
func copyContent(ctx context.Context, out, in *os.File, stat unix.Stat_t) error {
	if err := out.Truncate(0); err != nil { // what a clone began
		return err
	}
	if stat.Blocks*512 >= stat.Size {
		if err := allocate(out, stat.Size); err != nil {
			return err
		}
	}
	if err := out.Truncate(stat.Size); err != nil {
		return err
	}
	for offset := int64(0); offset < stat.Size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		begin, end := nextData(in, offset, stat.Size)
		end = min(end, begin+chunk)
		if err := copyRange(out, in, begin, end); err != nil {
			return err
		}
		offset = end
	}
	return nil
}

// allocate allocates the blocks of an empty file, where the file system supports it.
func allocate(f *os.File, size int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err == nil, errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil
		}
		return fmt.Errorf("allocating %d bytes: %w", size, err)
	}
}

// nextData returns the next range of data at or after the offset. File systems without holes
// have one range.
func nextData(f *os.File, offset, size int64) (begin, end int64) {
	begin, err := f.Seek(offset, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO):
		return size, size
	case err != nil:
		return offset, size
	}
	if end, err = f.Seek(begin, unix.SEEK_HOLE); err != nil {
		return begin, size
	}
	return begin, end
}

func copyRange(out, in *os.File, begin, end int64) error {
	if begin == end {
		return nil
	}
	for _, f := range []*os.File{out, in} {
		if _, err := f.Seek(begin, io.SeekStart); err != nil {
			return err
		}
	}
	_, err := io.CopyN(out, in, end-begin)
	return err
}
