package target

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// bufferPoolFile is where InnoDB writes which pages it had in memory when it stopped, and reads them at its start. How many that are
// follows from the size of the buffer pool, in which servers may differ that share an archive: none is archived.
const bufferPoolFile = "ib_buffer_pool"

// decoderMemory bounds what a stream may ask the decoder for; the encoder uses windows of 4 MiB.
const decoderMemory = 64 << 20

// archive brings the data directory of a server that has stopped into the object store. The volume has to have room for one part.
func (v *volume) archive(ctx context.Context, to contract.Archive) (contract.Copy, error) {
	begin := time.Now()
	if err := checkFree(v, to.PartBytes); err != nil {
		return contract.Copy{}, err
	}
	parts, err := newPartWriter(ctx, v.dir, to)
	if err != nil {
		return contract.Copy{}, kept("making the archive", err)
	}
	packed, err := pack(ctx, parts, v.data)
	if parts.failure != nil { // the encoder and the tar may have put it into words of their own
		err = parts.failure
	}
	if err == nil {
		packed.Parts, err = parts.finish()
	}
	if err := errors.Join(err, parts.spool.Close()); err != nil {
		return contract.Copy{}, kept("making the archive", err)
	}
	packed.Seconds = time.Since(begin).Seconds()
	return packed, nil
}

// fetch makes the data directory of a server that has stopped that of an archive. It is replaced when all of the archive is there, and is
// what was asked for.
func (v *volume) fetch(ctx context.Context, from contract.Archive) (contract.Copy, error) {
	begin, largest := time.Now(), int64(0)
	for _, part := range from.Parts {
		largest = max(largest, part.Bytes)
	}
	if err := os.RemoveAll(v.dataDraft()); err != nil {
		return contract.Copy{}, storageFailure("removing an unfinished data directory", err)
	}
	if err := checkFree(v, from.Bytes+largest); err != nil {
		return contract.Copy{}, err
	}
	unpacked, err := v.unpack(ctx, from)
	if err == nil {
		err = v.swap()
	}
	if err != nil {
		return contract.Copy{}, errors.Join(kept("restoring the archive", err), os.RemoveAll(v.dataDraft()))
	}
	unpacked.Seconds = time.Since(begin).Seconds()
	return unpacked, nil
}

// swap the data directory for the draft, which is complete. Until the new one is in its place on disk, the old one is whole.
func (v *volume) swap() error {
	if err := os.Rename(v.data, v.dataOld()); err != nil {
		return err
	}
	if err := adopt(v.dataDraft(), v.data); err != nil {
		if !exists(v.data) {
			err = errors.Join(err, os.Rename(v.dataOld(), v.data))
		}
		return err
	}
	return os.RemoveAll(v.dataOld())
}

// endFetch removes what a fetch left that was interrupted. The data directory is the old one or the new one.
func (v *volume) endFetch() error {
	if !exists(v.data) && exists(v.dataOld()) {
		if err := adopt(v.dataOld(), v.data); err != nil {
			return storageFailure("putting the data directory back", err)
		}
	}
	for _, dir := range []string{v.dataOld(), v.dataDraft()} {
		if err := os.RemoveAll(dir); err != nil {
			return storageFailure("removing what an archive left that was restored", err)
		}
	}
	return nil
}

// unpack the archive into the draft of the data directory.
func (v *volume) unpack(ctx context.Context, from contract.Archive) (contract.Copy, error) {
	parts, err := newPartReader(ctx, v.dir, from)
	if err != nil {
		return contract.Copy{}, err
	}
	unpacked, err := unpack(v.dataDraft(), parts, from.Bytes)
	if parts.failure != nil {
		err = parts.failure
	}
	if err == nil && parts.next != len(from.Parts) {
		err = damaged("the archive ends before its last part")
	}
	return unpacked, errors.Join(err, parts.spool.Close())
}

// checkFree refuses a transfer to a volume for which there is no room.
func checkFree(v *volume, need int64) error {
	free, err := v.free(v.dir)
	if err != nil {
		return storageFailure("asking for the room that is left", err)
	}
	if need <= free {
		return nil
	}
	return fail(contract.ReasonStorageFailed, "the volume %s is too small for the data set: %s needed, %s free; give the target's storage a larger size",
		v.dir, mebibytes(need), mebibytes(free))
}

func damaged(format string, args ...any) error {
	return fail(contract.ReasonPartDamaged, "the archive is not what its manifest says: %s", fmt.Sprintf(format, args...))
}

// kept leaves a failure that has its reason what it is.
func kept(doing string, err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return storageFailure(doing, err)
}

// pack writes the files and directories below a directory. It skips sockets and pipes, and refuses symbolic links, as copyTree does.
// Holes are packed as zeros. The dump of the buffer pool is left out.
func pack(ctx context.Context, to io.Writer, dir string) (contract.Copy, error) {
	var done contract.Copy
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(4<<20))
	if err != nil {
		return done, err
	}
	t := tar.NewWriter(z)
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir || name == filepath.Join(dir, bufferPoolFile) {
			return err
		}
		return packEntry(ctx, t, dir, name, d, &done)
	})
	if err == nil {
		err = t.Close()
	}
	return done, errors.Join(err, z.Close())
}

func packEntry(ctx context.Context, t *tar.Writer, dir, name string, d fs.DirEntry, done *contract.Copy) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	inside, err := filepath.Rel(dir, name)
	if err != nil {
		return err
	}
	header := &tar.Header{Name: filepath.ToSlash(inside), Mode: int64(info.Mode().Perm()), Format: tar.FormatPAX}
	switch info.Mode().Type() {
	case fs.ModeDir:
		header.Typeflag = tar.TypeDir
		return t.WriteHeader(header)
	case fs.ModeSymlink:
		return fmt.Errorf("%s is a symbolic link: keep the data in the data directory", name)
	case 0:
	default:
		return nil
	}
	header.Typeflag, header.Size = tar.TypeReg, info.Size()
	if err := t.WriteHeader(header); err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	// A file that grew meanwhile is cut, and one that shrank fails: nothing writes while the server is stopped.
	if _, err := io.Copy(t, &interruptible{ctx, io.LimitReader(file, header.Size)}); err != nil {
		return err
	}
	done.Files++
	done.Bytes += header.Size
	return nil
}

// interruptible ends with the context.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// unpack files and directories of so many bytes together into a new directory. Nothing outside of it is touched, whatever the names are.
// All of it is on disk at the end.
func unpack(dir string, from io.Reader, bytes int64) (contract.Copy, error) {
	var done contract.Copy
	if err := os.Mkdir(dir, 0o700); err != nil {
		return done, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return done, err
	}
	defer func() { _ = root.Close() }()
	z, err := zstd.NewReader(from, zstd.WithDecoderMaxMemory(decoderMemory))
	if err != nil {
		return done, err
	}
	defer z.Close()
	u := unpacker{root: root, left: bytes, done: &done}
	if err := u.all(tar.NewReader(z)); err != nil {
		return done, err
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(z, 1)); err != nil || n > 0 {
		return done, damaged("something follows its end")
	}
	if u.left != 0 {
		return done, damaged("its files have %d bytes less", u.left)
	}
	for _, d := range slices.Backward(u.dirs) { // those inside before those around them: one may be read-only
		name := filepath.Join(dir, d.Name)
		if err := errors.Join(syncDir(name), os.Chmod(name, d.FileInfo().Mode().Perm())); err != nil {
			return done, err
		}
	}
	return done, syncDir(dir)
}

// unpacker makes what a tar has.
type unpacker struct {
	root *os.Root
	// left are the bytes that files may still have.
	left int64
	dirs []*tar.Header
	done *contract.Copy
}

func (u *unpacker) all(t *tar.Reader) error {
	for {
		header, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return damaged("%v", err)
		case !filepath.IsLocal(header.Name):
			return damaged("it has the name %q", header.Name)
		}
		switch header.Typeflag {
		case tar.TypeDir:
			u.dirs = append(u.dirs, header)
			err = u.root.Mkdir(filepath.Clean(header.Name), 0o700)
		case tar.TypeReg:
			err = u.file(header, t)
		default:
			err = damaged("%q is neither a file nor a directory", header.Name)
		}
		if err != nil {
			return err
		}
	}
}

func (u *unpacker) file(header *tar.Header, content io.Reader) (err error) {
	if header.Size > u.left {
		return damaged("its files have more bytes")
	}
	out, err := u.root.OpenFile(header.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if header.Size > 0 {
		// As copyContent does: a preallocated log is allocated again.
		if err := allocate(out, header.Size); err != nil {
			return err
		}
	}
	n, err := io.Copy(out, stream{content})
	if err != nil {
		return err
	}
	u.left -= n
	u.done.Files++
	u.done.Bytes += n
	return errors.Join(out.Chmod(header.FileInfo().Mode().Perm()), out.Sync())
}

// stream is what is unpacked: what cannot be read of it is damaged.
type stream struct{ io.Reader }

func (s stream) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damaged("%v", err)
	}
	return n, err
}
