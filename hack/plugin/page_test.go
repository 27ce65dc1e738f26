package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
)

// The page of all commands is that of the commands, and the guide has each of them and each exit code.
func TestThePagesHaveEveryCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "reference", "commands.md")
	if err := writePage(file); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("../../docs/man", commandsPage))
	if err != nil || string(have) != string(want) {
		t.Errorf("docs/reference/commands.md is not that of the commands (%v): make generate", err)
	}
	guide, err := os.ReadFile("../../docs/guide/kubectl-assay.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	var visit func(*cobra.Command)
	visit = func(above *cobra.Command) {
		for _, cmd := range above.Commands() {
			name := strings.TrimPrefix(cmd.CommandPath(), "kubectl assay ")
			if !cmd.Runnable() {
				visit(cmd)
				continue
			}
			seen++
			if !strings.Contains(string(guide), "\n| `"+name) {
				t.Errorf("the guide has no row for %s", name)
			}
			if !strings.Contains(string(want), "\n## "+name+"\n") {
				t.Errorf("the reference has no section for %s", name)
			}
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if !strings.Contains(string(want), "--"+f.Name) {
					t.Errorf("the reference lacks --%s of %s", f.Name, name)
				}
			})
		}
	}
	visit(cli.NewCommand())
	if seen < 15 {
		t.Errorf("only %d commands were seen", seen)
	}
	for _, code := range []int{exit.OK, exit.Problem, exit.Failed, exit.Invalid, exit.Gate, exit.Inconclusive, exit.Differs, exit.Outside, exit.Interrupted} {
		if !strings.Contains(string(guide), fmt.Sprintf("\n| %d | ", code)) {
			t.Errorf("the guide has no exit code %d", code)
		}
	}
}
