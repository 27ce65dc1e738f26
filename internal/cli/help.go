package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-bench/assay/internal/cli/output"
)

// help of a command, wrapped at the width of the terminal. Examples are copied, and stay as they are. What is in it is what the page of
// all commands has.
func help(cmd *cobra.Command, _ []string) {
	p := output.NewPage(cmd.OutOrStdout())
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	p.Prose(output.Reflowed(text))
	p.Text("\nUsage:\n")
	if cmd.Runnable() {
		p.Item("  ", cmd.UseLine())
	}
	var below [][2]string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			below = append(below, [2]string{"  " + c.Name(), c.Short})
		}
	}
	if len(below) > 0 {
		p.Item("  ", cmd.CommandPath()+" COMMAND")
		p.Text("\nCommands:\n")
		p.Fields(below)
	}
	if cmd.Example != "" {
		p.Text("\nExamples:\n" + strings.TrimRight(cmd.Example, "\n") + "\n")
	}
	options(p, "Options", cmd.LocalFlags())
	options(p, "Options of all commands", cmd.InheritedFlags())
	_ = p.Flush() // there is nobody else to tell
}

// options of a command, with the same words as the library has for them, which does not wrap all of them.
func options(p *output.Page, title string, all *pflag.FlagSet) {
	var rows [][2]string
	all.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		value, usage := pflag.UnquoteUsage(f)
		switch {
		case slices.Contains([]string{"", "0", "0s", "false", "[]", "<nil>"}, f.DefValue):
		case f.Value.Type() == "string":
			usage += fmt.Sprintf(" (default %q)", f.DefValue)
		default:
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		name = strings.TrimRight(name+" "+value, " ")
		for _, line := range strings.Split(usage, "\n") {
			rows = append(rows, [2]string{name, line})
			name = ""
		}
	})
	if len(rows) > 0 {
		p.Text("\n" + title + ":\n")
		p.Fields(rows)
	}
}
