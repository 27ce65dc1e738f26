// Package lastrelease gives suites the tree of the last release: its manager, its chart, its CRDs.
//
// last-release.txt names the tag and its commit, since a clone may lack tags. Who tags a release
// writes it there in the commit that follows.
package lastrelease

import (
	"bytes"
	_ "embed"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

//go:embed last-release.txt
var entry string

// top of the repository.
func top() string {
	_, self, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(self), "..", "..", "..")
}

// Name is the tag of the last release, and the commit that it had.
func Name(t testing.TB) (tag, commit string) {
	t.Helper()
	tag, commit, ok := strings.Cut(strings.TrimSpace(entry), " ")
	if !ok {
		t.Fatal("last-release.txt: want a tag and its commit")
	}
	return tag, commit
}

// Tree lays the paths of the last release, or all of it, into a folder. It skips the test in a clone
// that was cut.
func Tree(t testing.TB, paths ...string) string {
	t.Helper()
	_, commit := Name(t)
	archive := exec.Command("git", append([]string{"-C", top(), "archive", commit}, paths...)...)
	tree, err := archive.Output()
	if err != nil {
		// Only a clone that was cut may lack it; in a whole one the entry is wrong.
		shallow, _ := exec.Command("git", "-C", top(), "rev-parse", "--is-shallow-repository").Output()
		if strings.TrimSpace(string(shallow)) != "false" {
			t.Skipf("NOT TESTED: this tree has no whole history, and so not the commit %s of the last release: git fetch --unshallow", commit)
		}
		t.Fatalf("last-release.txt: the commit %s of the last release is not in this clone: %v", commit, err)
	}
	dir := t.TempDir()
	unpack := exec.Command("tar", "-x", "-C", dir)
	unpack.Stdin = bytes.NewReader(tree)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("unpacking %s: %v: %s", commit, err, out)
	}
	return dir
}
