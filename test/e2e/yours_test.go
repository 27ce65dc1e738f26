package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// disturbedRuns deletes the runs of which no trial counts. What another run left for the story is in host.
const disturbedRuns = `kubectl get bmr -o json |
  jq -r '.items[] | select(.metadata.name != "host" and any(.status.conditions[]?; .type == "Valid" and .reason == "NoUsableTrial")) | .metadata.name' |
  xargs -r kubectl delete bmr --wait`

// again says whether the machine disturbed a run, and deletes it, so that the same name can be measured again. Runs that are well
// stay: later commands compare with them.
func (s shell) again(output string) bool {
	s.t.Helper()
	if !disturbed(output) {
		return false
	}
	if out, err := s.run(disturbedRuns); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	return true
}

// The page about verdicts, as it is written: its numbers are those of another play. It wants a machine without other work.
func TestReadAVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	config, err := filepath.Abs("../../config")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(config, filepath.Join(s.Dir, "config")); err != nil {
		t.Fatal(err)
	}
	page := pages.Open(t, "../..", "docs/guide/read-a-verdict.md", s.Shell).Retry(s.again)
	for page.Left() > 0 {
		page.Next()
	}
}

// The page for those who try it, with versions of their own: the demo, and then the page as it is written. It wants a machine
// without other work.
func TestTryIt(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	for _, name := range []string{"config", "out", "bin"} {
		at, err := filepath.Abs("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, filepath.Join(s.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for try := 1; ; try++ { // make demo does this
		out, err := s.run("kubectl assay run -f config/samples/demo.yaml")
		if err == nil {
			break
		}
		if try == 3 || !s.again(out) {
			t.Fatalf("%v: %s", err, out)
		}
	}
	page := pages.Open(t, "../..", "docs/guide/try-it.md", s.Shell).Retry(s.again).Replace("-n assay-demo", "-n "+s.ns)
	for page.Left() > 0 {
		page.Next()
	}
	for _, file := range []string{"mine.html", "mine.yaml"} {
		if info, err := os.Stat(filepath.Join(s.Dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The page about a database of one's own, as it is written, with a server that another run has left.
func TestYourDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	address, secret := hostDatabase(t, s.ns)
	page := withShapes(pages.Open(t, "../..", "docs/guide/your-database.md", s.Shell)).Retry(s.again).
		Replace("db.example.com", address).Replace("username=bench", "username="+string(secret.Data["username"])).
		Replace("password=change-me", "password="+string(secret.Data["password"])).
		Replace("  deadline:", "  exclusive: false\n  deadline:") // the server is on a node that the run may use
	for page.Left() > 0 {
		page.Next()
	}
}
