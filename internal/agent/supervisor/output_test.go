package supervisor_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/agent/toolwire"
)

// The agent gets bytes, and only of files that are the tool's.
func TestLuresInTheWorkingDirectory(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	collect := func(o *toolwire.Command) { o.Collect = []string{"*.hdr", "up/*/*"}; o.Env["SECRET"] = secret }
	c := newContainer(t)
	c.prepare(t, "lures", collect)
	_, out, err := c.end(t, c.start(t))
	if diff := cmp.Diff(map[string][]byte{"good.hdr": []byte("good")}, out.Files); err != nil || diff != "" {
		t.Errorf("%v, files (-want +got):\n%s", err, diff)
	}
	// The next command finds none of them.
	c.prepare(t, "says", collect)
	if left, _ := filepath.Glob(filepath.Join(c.work, "tool/*.hdr")); len(left) > 0 {
		t.Errorf("files of the command before: %q", left)
	}
}

func TestOutputsThatAreRefused(t *testing.T) {
	for tool, want := range map[string]string{"huge": "1099511627776 bytes", "many": "257 files"} {
		c := newContainer(t)
		c.prepare(t, tool, func(o *toolwire.Command) { o.Collect = []string{"*.hdr"} })
		_, _, err := c.end(t, c.start(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", tool, err, want)
		}
	}
}

func TestAFileThatBecomesALink(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("1234"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newContainer(t)
	c.prepare(t, "swaps", func(o *toolwire.Command) { o.Collect = []string{"*.hdr"} })
	ended, err := c.End(t.Context(), "run", c.start(t))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(c.work, "tool/swap.hdr")
	if err := errors.Join(os.Remove(name), os.Symlink(secret, name)); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Fetch(t.Context(), "run", ended.Files, t.TempDir()); err == nil {
		t.Errorf("a link was followed: %q", out.Files)
	}
}
