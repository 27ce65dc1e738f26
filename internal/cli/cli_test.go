package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/cli/exit"
)

// Nothing that the command prints moves the cursor or changes colours, whoever wrote it.
func TestNoEscapesOnTheTerminal(t *testing.T) {
	var out, problems bytes.Buffer
	code := Main([]string{"get", "run", "--kubeconfig", t.TempDir() + "/\x1b[2Jabsent"}, &out, &problems)
	if code != exit.Problem || strings.Contains(problems.String(), "\x1b") || !strings.Contains(problems.String(), "\uFFFD[2Jabsent") {
		t.Errorf("exit code %d: %q", code, problems.String())
	}
}
