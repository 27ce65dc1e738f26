package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/assay-bench/assay/internal/cli"
)

// manPages of all commands. They have no date, so that the same commands make the same bytes.
func manPages(folder string) error {
	old, err := filepath.Glob(filepath.Join(folder, "*.1"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // pages are for all to read
		return err
	}
	root := cli.NewCommand()
	root.InitDefaultCompletionCmd()
	return manPage(root, folder)
}

func manPage(cmd *cobra.Command, folder string) error {
	for _, below := range cmd.Commands() {
		if !below.IsAvailableCommand() || below.Name() == "help" {
			continue
		}
		if err := manPage(below, folder); err != nil {
			return err
		}
	}
	cmd.DisableAutoGenTag = true
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	var page bytes.Buffer
	header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "Assay", Manual: "kubectl assay", Date: &noDate}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return fmt.Errorf("the man page of %s: %w", cmd.CommandPath(), err)
	}
	text := strings.Replace(page.String(), `"`+noDate.Format("Jan 2006")+`"`, `""`, 1)
	return os.WriteFile(filepath.Join(folder, name+".1"), []byte(text), 0o644) //nolint:gosec // pages are for all to read
}
