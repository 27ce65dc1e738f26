// Package program gives suites the manager as a program, as a cluster runs it. That of this tree
// is built by hack/test.sh, once for all suites, under a name with the digest of its content: Go
// keeps the outcome of a test for as long as the variables that the test read are the same.
package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// variable with the path of the manager. Another program in it is tested in place of this tree's.
const variable = "ASSAY_MANAGER"

// Manager is the path of the manager of this tree.
func Manager(t testing.TB) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("%s is not set: run these tests with `make envtest`, which builds the manager", variable)
	}
	return path
}

// Build makes the manager of another tree, with the flags of the Makefile: what this tree has in
// common with it is compiled already. The program is gone when the test ends.
func Build(t testing.TB, tree string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "manager")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-ldflags", "-s -w", "-o", out, "./cmd/manager")
	cmd.Dir, cmd.Env = tree, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the manager in %s: %v\n%s", tree, err, text)
	}
	return out
}
