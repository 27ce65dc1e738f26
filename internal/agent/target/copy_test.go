package target

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func unsupported(_, _ *os.File) error { return errors.ErrUnsupported }

// failing is a clone that leaves something behind, longer than most files.
func failing(dst, _ *os.File) error {
	_, err := dst.WriteString("something that is longer than each of the files")
	return errors.Join(err, unix.EIO)
}

// look lists a tree: the mode of each entry, and the content of each file.
func look(t *testing.T, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(dir, name)
		seen[relative] = info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(name)
			seen[relative] += " " + string(content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestCopyTree(t *testing.T) {
	dir := t.TempDir()
	src := dir + "/src"
	for _, sub := range []string{"/mysql", "/#innodb_redo", "/empty"} {
		if err := os.MkdirAll(src+sub, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]fs.FileMode{"/ibdata1": 0o660, "/mysql/user.frm": 0o640, "/#innodb_redo/#ib_redo1": 0o600, "/flag": 0o444}
	for name, mode := range files {
		if err := os.WriteFile(src+name, []byte("content of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(src+name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(src+"/mysql", 0o2777); err != nil {
		t.Fatal(err)
	}
	for name, clone := range map[string]cloneFunc{
		"plain":                       unsupported,
		"a clone":                     func(dst, src *os.File) error { _, err := dst.ReadFrom(src); return err },
		"a clone that fails half way": failing,
	} {
		t.Run(name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "dst")
			got, err := copyTree(t.Context(), dst, src, clone)
			if err != nil {
				t.Fatal(err)
			}
			want := contract.Copy{Files: 4, Reflink: name == "a clone"}
			for file := range files {
				want.Bytes += int64(len("content of " + file))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("copy (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(look(t, src), look(t, dst)); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
			var a, b unix.Stat_t
			if err := errors.Join(unix.Stat(src+"/ibdata1", &a), unix.Stat(dst+"/ibdata1", &b)); err != nil {
				t.Fatal(err)
			}
			if a.Ino == b.Ino && a.Dev == b.Dev {
				t.Error("the copy is a hard link")
			}
		})
	}
}

func TestCopyTreeLeavesOut(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/src", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(dir+"/src/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := copyTree(t.Context(), dir+"/dst", dir+"/src", unsupported)
	if err != nil || !cmp.Equal(got, contract.Copy{}) || exists(dir+"/dst/pipe") {
		t.Errorf("a pipe: %+v, %v", got, err)
	}
	if _, err := copyTree(t.Context(), dir+"/dst", dir+"/src", unsupported); !errors.Is(err, fs.ErrExist) {
		t.Errorf("onto a directory that exists: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := copyTree(ctx, dir+"/late", dir+"/src", unsupported); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// Holes stay holes, and what was allocated in advance stays allocated.
func TestCopyOfSparseFiles(t *testing.T) {
	const size = 8 << 20
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/src", 0o700); err != nil {
		t.Fatal(err)
	}
	make1 := func(name string, prepare func(f *os.File) error) {
		f, err := os.Create(dir + "/src/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(prepare(f), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write := func(f *os.File, offset int64) error {
		_, err := f.WriteAt(bytes.Repeat([]byte("x"), 5000), offset)
		return err
	}
	make1("sparse", func(f *os.File) error {
		return errors.Join(f.Truncate(size), write(f, 1<<20), write(f, 5<<20))
	})
	make1("hole", func(f *os.File) error { return f.Truncate(size) })
	make1("tail", func(f *os.File) error { return write(f, size-5000) })
	make1("log", func(f *os.File) error {
		return errors.Join(unix.Fallocate(int(f.Fd()), 0, 0, size), write(f, 0))
	})
	blocks := func(root string) map[string]int64 {
		all := map[string]int64{}
		for _, name := range []string{"sparse", "hole", "tail", "log"} {
			var stat unix.Stat_t
			if err := unix.Stat(filepath.Join(root, name), &stat); err != nil {
				t.Fatal(err)
			}
			all[name] = stat.Blocks * 512 >> 20 // MiB
		}
		return all
	}
	got, err := copyTree(t.Context(), dir+"/dst", dir+"/src", failing)
	if want := (contract.Copy{Files: 4, Bytes: 4 * size}); err != nil || !cmp.Equal(got, want) {
		t.Fatalf("got %+v, %v; want %+v", got, err, want)
	}
	if want := map[string]int64{"sparse": 0, "hole": 0, "tail": 0, "log": 8}; !cmp.Equal(want, blocks(dir+"/src")) {
		t.Skipf("this file system knows no holes: %v", blocks(dir+"/src"))
	}
	if diff := cmp.Diff(blocks(dir+"/src"), blocks(dir+"/dst")); diff != "" {
		t.Errorf("room in MiB (-want +got):\n%s", diff)
	}
	if !cmp.Equal(look(t, dir+"/src"), look(t, dir+"/dst")) {
		t.Error("the content differs")
	}
}
