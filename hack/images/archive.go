package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An image may be made of an archive from another machine: of a harness whose packages cannot be had everywhere. The
// variable of the row names it, a tar.gz of the harness as a folder, with what sha256sum says of it beside it:
//
//	harness-linux-x64.tar.gz
//	harness-linux-x64.tar.gz.sha256
//
// Without the variable the image stays as the archive that was given last made it: given.go.

const (
	// harnessName is the program of a harness, at the top of its archive, and the folder of the build context that it is unpacked into.
	harnessName = "harness"
	// sourcesName is the file beside it with the digest of what it was built of.
	sourcesName = "sources"
)

// dotnetScript makes the archives, and prints the digest of what they are built of.
const dotnetScript = "hack/dotnet.sh"

const (
	// maxUnpacked of an archive, in bytes, and maxEntries: a self-contained program of .NET has about 100 MB in some hundred files.
	maxUnpacked = 1 << 30
	maxEntries  = 10000
)

// rid is what .NET calls a machine, and the architecture of its programs.
type rid struct {
	name    string
	machine elf.Machine
}

// rids by Go's word for the architecture of the machine whose images are built.
var rids = map[string]rid{"amd64": {"linux-x64", elf.EM_X86_64}, "arm64": {"linux-arm64", elf.EM_AARCH64}}

// refuse says what is wrong with the archive of an image, and by which variable it came.
func (i image) refuse(format string, args ...any) error {
	return fmt.Errorf("%s=%s: %w", i.Archive, i.Given, fmt.Errorf(format, args...))
}

// digestLine is the first line that sha256sum writes.
var digestLine = regexp.MustCompile(`^([0-9a-f]{64})(?:\s|$)`)

// archiveSum is the digest of an image's archive, which has to be the one beside it.
func (i image) archiveSum() (string, error) {
	got, err := sumOf(i.Given)
	if errors.Is(err, fs.ErrNotExist) {
		return "", i.refuse("there is no such file: name the archive that hack/dotnet.sh left, by its path from the root of the repository")
	}
	if err != nil {
		return "", i.refuse("reading it: %w", err)
	}
	text, err := os.ReadFile(i.Given + ".sha256")
	if errors.Is(err, fs.ErrNotExist) {
		return "", i.refuse("there is no %s.sha256 beside it: hack/dotnet.sh leaves both, so bring both", filepath.Base(i.Given))
	}
	if err != nil {
		return "", i.refuse("reading its digest: %w", err)
	}
	want := digestLine.FindSubmatch(text)
	switch {
	case want == nil:
		return "", i.refuse("%s.sha256 does not begin with 64 hex digits, as sha256sum writes it", filepath.Base(i.Given))
	case string(want[1]) != got:
		return "", i.refuse("its SHA-256 is %s, and %s.sha256 says %s: bring both again from the machine that made them", got, filepath.Base(i.Given), want[1])
	}
	return got, nil
}

// unpack the archive of an image into a folder that is not there yet, if it is the one that the tag is of. Nothing but files
// and folders below it is taken, and the program has to be for a machine of this architecture (Go's word), and of the sources of
// this checkout.
func (i image) unpack(folder, architecture string) error {
	file, err := os.Open(i.Given)
	if err != nil {
		return i.refuse("reading it: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	got, err := sumOfAll(file)
	switch {
	case err != nil:
		return i.refuse("reading it: %w", err)
	case got != i.Sum:
		return i.refuse("its SHA-256 was %s a moment ago, and is %s: somebody has replaced it, so ask for the image again", i.Sum, got)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return i.refuse("reading it: %w", err)
	}
	packed, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return i.refuse("it is no tar.gz: %w", err)
	}
	if err := makeFolder(folder); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return unpackTar(tar.NewReader(packed), folder) },
		func() error { return checkProgram(filepath.Join(folder, harnessName), architecture) },
		func() error { return i.checkSources(filepath.Join(folder, sourcesName)) },
	} {
		if err := step(); err != nil {
			return i.refuse("%w", err)
		}
	}
	return nil
}

// checkSources says why a harness is not that of this checkout.
func (i image) checkSources(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("it has no %s, which says what it was built of: make it again by %s", sourcesName, dotnetScript)
	}
	if got := strings.TrimSpace(string(text)); err == nil && got != i.Sources {
		return fmt.Errorf("it was built of sources and a lock with the digest %s, and those of this checkout have %s: "+
			"make it again of this checkout by %s, or take the packages.lock.json that is in it", got, i.Sources, dotnetScript)
	}
	return err
}

// makeFolder that all may read, whatever the mask of the user.
func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return os.Chmod(path, 0o755)
}

func unpackTar(in *tar.Reader, folder string) error {
	left := int64(maxUnpacked)
	for n := 0; ; n++ {
		entry, err := in.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("it is no tar.gz: %w", err)
		case n >= maxEntries:
			return fmt.Errorf("it has more than %d entries, which no harness has", maxEntries)
		case !filepath.IsLocal(entry.Name):
			return fmt.Errorf("%q leads out of it: pack the folder of the harness itself, as hack/dotnet.sh does", entry.Name)
		}
		if left -= entry.Size; entry.Size < 0 || left < 0 {
			return fmt.Errorf("unpacked it has more than %d bytes, which no harness has", int64(maxUnpacked))
		}
		path := filepath.Join(folder, entry.Name)
		switch entry.Typeflag {
		case tar.TypeDir:
			err = makeFolder(path)
		case tar.TypeReg:
			err = writeEntry(in, path, entry.FileInfo().Mode())
		default:
			return fmt.Errorf("%q is neither a file nor a folder: pack links as what they lead to", entry.Name)
		}
		if err != nil {
			return fmt.Errorf("unpacking %q: %w", entry.Name, err)
		}
	}
}

// writeEntry writes a file that is not there yet, and that all may read, whatever the mask of the user.
func writeEntry(from io.Reader, path string, mode fs.FileMode) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if mode&0o111 != 0 {
		perm = 0o755
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Chmod(perm), to.Close())
}

// checkProgram says why a harness cannot be started in the images of this machine.
func checkProgram(path, architecture string) error {
	want, known := rids[architecture]
	if !known {
		return fmt.Errorf("there is no harness of .NET for images of this machine, which are for %s", architecture)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("it has no %s at its top: pack the folder of the harness itself, as hack/dotnet.sh does", harnessName)
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return fmt.Errorf("its %s is no file that may be executed: pack it with its modes", harnessName)
	}
	program, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("its %s is no program for Linux (%w): publish it for %s", harnessName, err, want.name)
	}
	defer func() { _ = program.Close() }() // it was only read
	if program.Machine != want.machine {
		return fmt.Errorf("its %s is for %s, and the images of this machine are for %s: name the archive of that", harnessName, ridOf(program.Machine), want.name)
	}
	return nil
}

// ridOf an architecture, or what ELF calls it.
func ridOf(machine elf.Machine) string {
	for _, r := range rids {
		if r.machine == machine {
			return r.name
		}
	}
	return strings.TrimPrefix(machine.String(), "EM_")
}
