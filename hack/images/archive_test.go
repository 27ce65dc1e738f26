package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/tree"
)

func sumOfText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// programFor is the head of a program for Linux, as short as debug/elf takes it.
func programFor(t *testing.T, machine elf.Machine) string {
	t.Helper()
	head := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(head.Ident[:], elf.ELFMAG)
	head.Ident[elf.EI_CLASS], head.Ident[elf.EI_DATA], head.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var out bytes.Buffer
	if err := binary.Write(&out, binary.LittleEndian, head); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// member of an archive; without a kind it is a file.
type member struct {
	name, text string
	mode       int64
	kind       byte
	link       string
	// size that its head claims, where that is not the length of the text.
	size int64
}

func packed(t *testing.T, members []member) string {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for _, m := range members {
		head := &tar.Header{Name: m.name, Mode: m.mode, Typeflag: m.kind, Linkname: m.link, Size: int64(len(m.text))}
		if m.kind == 0 {
			head.Typeflag = tar.TypeReg
		}
		if m.size > 0 {
			head.Size = m.size
		}
		if err := archive.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Flush(); err != nil && members[len(members)-1].size == 0 {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A harness that is packed as hack/dotnet.sh does is unpacked with its modes, and the digest of its archive is known.
func TestUnpack(t *testing.T) {
	text := packed(t, []member{
		{name: "./", mode: 0o755, kind: tar.TypeDir},
		{name: "./harness", text: programFor(t, elf.EM_X86_64), mode: 0o700},
		{name: "./harness.dll", text: "MZ", mode: 0o600},
		{name: "./en/", mode: 0o755, kind: tar.TypeDir},
		{name: "./en/a.dll", text: "MZ", mode: 0o644},
		{name: "./sources", text: "0123456789ab\n", mode: 0o644},
	})
	folder := tree.Of(t, map[string]string{"x.tar.gz": text, "x.tar.gz.sha256": sumOfText(text) + "  x.tar.gz\n"})
	i := image{Archive: "DOTNET_HARNESS", Given: filepath.Join(folder, "x.tar.gz"), Sum: sumOfText(text), Sources: "0123456789ab"}
	if got, err := i.archiveSum(); err != nil || got != i.Sum {
		t.Errorf("digest %s, %v", got, err)
	}
	to := filepath.Join(t.TempDir(), "harness")
	if err := i.unpack(to, "amd64"); err != nil {
		t.Fatal(err)
	}
	got := map[string]os.FileMode{}
	for _, name := range []string{"harness", "harness.dll", "en/a.dll"} {
		info, err := os.Stat(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = info.Mode()
	}
	if diff := cmp.Diff(map[string]os.FileMode{"harness": 0o755, "harness.dll": 0o644, "en/a.dll": 0o644}, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
}

// What the scripts pack is the same archive each time, whatever the modes of a machine, and is unpacked.
func TestWhatIsPackedByTheScriptsIsUnpacked(t *testing.T) {
	folder := tree.Of(t, map[string]string{"published/harness": programFor(t, elf.EM_AARCH64), "published/en/a.dll": "MZ", "published/sources": "0123456789ab\n"})
	lib, err := filepath.Abs("../lib.sh")
	if err != nil {
		t.Fatal(err)
	}
	i := image{Archive: "DOTNET_HARNESS", Given: filepath.Join(folder, "x.tar.gz"), Sources: "0123456789ab"}
	sums := map[string]bool{}
	for _, mode := range []os.FileMode{0o700, 0o755} {
		if err := os.Chmod(filepath.Join(folder, "published/harness"), mode); err != nil {
			t.Fatal(err)
		}
		script := exec.Command("bash", "-c", `source "$0"; cd "$1"; pack published . x.tar.gz; sha256sum x.tar.gz >x.tar.gz.sha256`, lib, folder)
		script.Env = append(os.Environ(), "ASSAY_CACHE="+t.TempDir())
		if out, err := script.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		sum, err := i.archiveSum()
		if err != nil {
			t.Fatal(err)
		}
		sums[sum] = true
		i.Sum = sum
	}
	if len(sums) != 1 {
		t.Errorf("the same harness has the digests %v", sums)
	}
	if err := i.unpack(filepath.Join(t.TempDir(), "harness"), "arm64"); err != nil {
		t.Error(err)
	}
}

// What is no such archive is refused by the variable and with what would be right, and nothing is written outside of the folder.
func TestUnpackRefuses(t *testing.T) {
	program := member{name: "harness", text: programFor(t, elf.EM_X86_64), mode: 0o755}
	other := member{name: "harness", text: programFor(t, elf.EM_AARCH64), mode: 0o755}
	riscV := member{name: "harness", text: programFor(t, elf.EM_RISCV), mode: 0o755}
	const digest = "0123456789ab"
	elsewhere := member{name: "sources", text: "ba9876543210\n", mode: 0o644}
	many := []member{program}
	for range maxEntries {
		many = append(many, member{name: "d", kind: tar.TypeDir, mode: 0o755})
	}
	for name, tt := range map[string]struct {
		members []member
		// change what lies beside each other; nil: nothing.
		change func(files map[string]string)
		// on is Go's word for the machine; empty: amd64.
		on  string
		err string
	}{
		"a path above it":            {members: []member{program, {name: "../outside", text: "x", mode: 0o644}}, err: `"../outside" leads out of it`},
		"a path above it, within":    {members: []member{program, {name: "a/../../outside", text: "x", mode: 0o644}}, err: `leads out of it`},
		"a path from the root":       {members: []member{program, {name: "/tmp/outside", text: "x", mode: 0o644}}, err: `"/tmp/outside" leads out of it`},
		"a link":                     {members: []member{program, {name: "a", kind: tar.TypeSymlink, link: ".."}}, err: `"a" is neither a file nor a folder`},
		"a file through a link":      {members: []member{{name: "a", kind: tar.TypeSymlink, link: "/tmp"}, {name: "a/outside", text: "x", mode: 0o644}}, err: `"a" is neither a file nor a folder`},
		"a hard link":                {members: []member{program, {name: "a", kind: tar.TypeLink, link: "/etc/passwd"}}, err: `"a" is neither a file nor a folder`},
		"a device":                   {members: []member{program, {name: "a", kind: tar.TypeChar}}, err: `"a" is neither a file nor a folder`},
		"a file twice":               {members: []member{program, other}, err: `unpacking "harness"`},
		"a file as a folder":         {members: []member{program, {name: "harness/a", text: "x", mode: 0o644}}, err: `unpacking "harness/a"`},
		"more than a harness has":    {members: []member{program, {name: "a", mode: 0o644, size: maxUnpacked}}, err: "unpacked it has more than 1073741824 bytes"},
		"more entries than that":     {members: many, err: "more than 10000 entries"},
		"nothing":                    {members: []member{{name: "./", kind: tar.TypeDir, mode: 0o755}}, err: "it has no harness at its top"},
		"a folder too many":          {members: []member{{name: "published/harness", text: program.text, mode: 0o755}}, err: "it has no harness at its top: pack the folder of the harness itself"},
		"a folder of that name":      {members: []member{{name: "harness/", kind: tar.TypeDir, mode: 0o755}}, err: "its harness is no file that may be executed"},
		"no mode":                    {members: []member{{name: "harness", text: program.text, mode: 0o644}}, err: "its harness is no file that may be executed"},
		"a script":                   {members: []member{{name: "harness", text: "#!/bin/sh\n", mode: 0o755}}, err: "its harness is no program for Linux"},
		"another machine's":          {members: []member{other}, err: "its harness is for linux-arm64, and the images of this machine are for linux-x64"},
		"the same, the other way":    {members: []member{program}, on: "arm64", err: "its harness is for linux-x64, and the images of this machine are for linux-arm64"},
		"one that .NET does not say": {members: []member{riscV}, err: "its harness is for RISCV, and the images of this machine are for linux-x64"},
		"a machine without .NET":     {members: []member{program}, on: "s390x", err: "there is no harness of .NET for images of this machine, which are for s390x"},
		"no sources":                 {members: []member{program}, err: "it has no sources, which says what it was built of: make it again by hack/dotnet.sh"},
		"other sources":              {members: []member{program, elsewhere}, err: "a lock with the digest ba9876543210, and those of this checkout have 0123456789ab"},
		"no archive": {members: []member{program}, change: func(files map[string]string) { delete(files, "x.tar.gz") },
			err: "there is no such file: name the archive that hack/dotnet.sh left"},
		"no digest": {members: []member{program}, change: func(files map[string]string) { delete(files, "x.tar.gz.sha256") },
			err: "there is no x.tar.gz.sha256 beside it"},
		"no digest in it": {members: []member{program}, change: func(files map[string]string) { files["x.tar.gz.sha256"] = "x.tar.gz\n" },
			err: "x.tar.gz.sha256 does not begin with 64 hex digits"},
		"a digest that is cut": {members: []member{program}, change: func(files map[string]string) { files["x.tar.gz.sha256"] = files["x.tar.gz.sha256"][:63] },
			err: "x.tar.gz.sha256 does not begin with 64 hex digits"},
		"another digest": {members: []member{program}, change: func(files map[string]string) { files["x.tar.gz"] += "\x00" },
			err: "bring both again from the machine that made them"},
		"no compression": {members: []member{program}, change: replaced("a tar"), err: "it is no tar.gz"},
		"no tar":         {members: []member{program}, change: replaced(zipped(t, strings.Repeat("x", 1024))), err: "it is no tar.gz"},
		"half of it":     {members: []member{program}, change: func(files map[string]string) { replaced(files["x.tar.gz"][:len(files["x.tar.gz"])/2])(files) }, err: "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			text := packed(t, tt.members)
			files := map[string]string{"x.tar.gz": text, "x.tar.gz.sha256": sumOfText(text) + "  x.tar.gz\n"}
			if tt.change != nil {
				tt.change(files)
			}
			on := tt.on
			if on == "" {
				on = "amd64"
			}
			i := image{Archive: "DOTNET_HARNESS", Given: filepath.Join(tree.Of(t, files), "x.tar.gz"), Sources: digest}
			above := t.TempDir()
			var err error
			if i.Sum, err = i.archiveSum(); err == nil {
				err = i.unpack(filepath.Join(above, "harness"), on)
			}
			checkError(t, err, tt.err)
			if err != nil && !strings.HasPrefix(err.Error(), "DOTNET_HARNESS="+i.Given+": ") {
				t.Errorf("%v does not begin with the variable", err)
			}
			if left, err := filepath.Glob(filepath.Join(above, "out*")); err != nil || len(left) > 0 {
				t.Errorf("written outside of its folder: %v, %v", left, err)
			}
			if _, err := os.Lstat("/tmp/outside"); !os.IsNotExist(err) {
				t.Errorf("written outside of its folder: %v", err)
			}
		})
	}
}

// What is built is what the tag is of, even where somebody replaces the archive and its digest in between.
func TestUnpackRefusesAnotherArchiveThanThatOfTheTag(t *testing.T) {
	sources := member{name: "sources", text: "0123456789ab\n", mode: 0o644}
	first := packed(t, []member{{name: "harness", text: programFor(t, elf.EM_X86_64), mode: 0o755}, sources})
	second := packed(t, []member{{name: "harness", text: programFor(t, elf.EM_X86_64) + "another", mode: 0o755}, sources})
	t.Chdir(tree.Of(t, map[string]string{"runners/x/Dockerfile": "FROM scratch\n", "x.tar.gz": first, "x.tar.gz.sha256": sumOfText(first) + "\n"}))
	images := []image{{Name: "runner-drivers-x", Folder: "runners/x", Archive: "X_HARNESS", Given: "x.tar.gz", Sum: sumOfText(first), Sources: "0123456789ab"}}
	if err := setTags(".", images); err != nil {
		t.Fatal(err)
	}
	write(t, "x.tar.gz", second)
	write(t, "x.tar.gz.sha256", sumOfText(second)+"\n")
	to := filepath.Join(t.TempDir(), "harness")
	checkError(t, images[0].unpack(to, "amd64"), "its SHA-256 was "+sumOfText(first)+" a moment ago, and is "+sumOfText(second))
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Errorf("something was unpacked: %v", err)
	}
	write(t, "x.tar.gz", first)
	if err := images[0].unpack(to, "amd64"); err != nil {
		t.Errorf("the archive of the tag: %v", err)
	}
}

// replaced puts another archive in the place, with its digest.
func replaced(text string) func(map[string]string) {
	return func(files map[string]string) {
		files["x.tar.gz"], files["x.tar.gz.sha256"] = text, sumOfText(text)+"  x.tar.gz\n"
	}
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	to := gzip.NewWriter(&out)
	if _, err := to.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
