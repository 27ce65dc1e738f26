package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/export"
	"github.com/assay-bench/assay/internal/show/readout"
)

const exportHelp = `Write a run into a file: in the format of another program, or whole, as a bundle.

The run is verified first, as by "kubectl assay verify". A value that the run lacks is absent in the file.
docs/reference/exports.md has what stands where in each format.

The bundle has the spec, what it was resolved
to, the status, the plan, the records, the summary, the results of all clients with their raw output
and their environment, and the digest of each. The same run gives the same bytes. Objects of an object
store are not in it: the index names their folder.

All commands that read a run but "watch" take the path of a bundle in its place, which has a slash in it or
ends in ` + bundle.Extension + `. "import" unpacks it.

Exit codes:
  0  the file is written
  1  nothing is written: the output says why
  6  what the run has stored was changed or is gone; the output names it, and nothing is written`

const exportExamples = `  kubectl assay export demo --format csv -o demo.csv
  kubectl assay export demo --format benchstat
  kubectl assay export demo --bundle`

// exporting is what the flags say.
type exporting struct {
	bundle bool
	format string
	output string
}

func newExport(k *kube.Config) *cobra.Command {
	var e exporting
	cmd := &cobra.Command{
		Use: "export RUN|BUNDLE", Short: "Write a run into a file", Long: exportHelp, Args: cobra.ExactArgs(1),
		Example: exportExamples, ValidArgsFunction: k.CompleteRuns(1),
		RunE: onRuns(k, func(ctx context.Context, runs []stored.Source, to streams) error { return e.run(ctx, runs[0], to) }),
	}
	flags := cmd.Flags()
	flags.BoolVar(&e.bundle, "bundle", false, "write a bundle")
	flags.StringVar(&e.format, "format", "", "format of the file:\n"+formatList())
	flags.StringVarP(&e.output, "output", "o", "", "the file; default: standard output, and of a bundle RUN"+bundle.Extension)
	cmd.MarkFlagsMutuallyExclusive("bundle", "format")
	cmd.MarkFlagsOneRequired("bundle", "format")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // the flag exists
	return cmd
}

// formatList are the formats with what they are, a line each.
func formatList() string {
	var lines []string
	for _, f := range export.Formats() {
		lines = append(lines, f.Name+": "+f.About)
	}
	return strings.Join(lines, "\n")
}

func formatNames() (names []cobra.Completion) {
	for _, f := range export.Formats() {
		names = append(names, cobra.CompletionWithDesc(f.Name, f.About))
	}
	return names
}

func (e exporting) run(ctx context.Context, from stored.Source, to streams) error {
	var format export.Format
	if !e.bundle {
		var err error
		if format, err = export.Find(e.format); err != nil {
			return err
		}
	}
	if err := verifyTo(ctx, from, to.problems); err != nil {
		return err
	}
	if e.bundle {
		return e.writeBundle(ctx, from, to)
	}
	run, err := stored.Read(ctx, from)
	if err != nil {
		return err
	}
	p := output.NewPage(to.problems)
	for _, text := range readout.Caveats(run.Object) { // no format has a place for all of them
		p.Line("caveat: " + text)
	}
	if err := p.Flush(); err != nil {
		return err
	}
	if e.output == "" {
		return format.Write(ctx, to.out, run)
	}
	if err := writeFile(e.output, func(out io.Writer) error { return format.Write(ctx, out, run) }); err != nil {
		return err
	}
	p.Line(fmt.Sprintf("%s: %s of %s", e.output, format.Name, from))
	return p.Flush()
}

func (e exporting) writeBundle(ctx context.Context, from stored.Source, to streams) error {
	run, err := from.Run(ctx)
	if err != nil {
		return err
	}
	file := cmp.Or(e.output, run.Name+bundle.Extension)
	var index bundle.Index
	if err := writeFile(file, func(out io.Writer) (err error) {
		index, err = bundle.Write(ctx, from, out)
		return err
	}); err != nil {
		return err
	}
	p := output.NewPage(to.out)
	p.Line(fmt.Sprintf("%s: %d files of %s", file, len(index.Files), from))
	if index.Store != "" {
		p.Item("  ", fmt.Sprintf("without the objects in %s: copy them, too", index.Store))
	}
	return p.Flush()
}

// verifyTo verifies a run that is to leave the cluster. What differs is not exported.
func verifyTo(ctx context.Context, from stored.Source, notes io.Writer) error {
	err := verification{from: from}.verify(ctx, notes)
	if errors.Is(err, exit.ErrDiffers) {
		_, told := io.WriteString(notes, "not exported: the run is not what it has stored\n")
		return errors.Join(err, told)
	}
	return err
}

// deliver data to a file, or to standard output without one.
func deliver(data []byte, file string, out io.Writer) error {
	write := func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	}
	if file == "" {
		return write(out)
	}
	return writeFile(file, write)
}

// writeFile makes a file whole or not at all: what fails half-way leaves what was there. A device or a pipe is written to.
func writeFile(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeDevice(path, write)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.partial")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	err = write(file)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the error that is told is the one that matters
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

func writeDevice(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
