package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/export"
	"github.com/assay-bench/assay/internal/show/report"
	"github.com/assay-bench/assay/internal/show/writeup"
)

const reportHelp = `Write what a run has stored as one page: an HTML file that needs nothing else.

The page has the answer with its evidence, what it does not say, the settings that differ, and what
to do next; the medians beside each other, every trial as a point over the time, curves over a load,
over time and by percentile, the environment, what the checks found, quoted numbers, and how to repeat
the run. It has no script and loads nothing, can be
sent and printed, and follows the light or dark scheme of whoever reads it. The same run gives the
same bytes.

A run that goes on is shown as far as it has got. Whether anything was changed afterwards is not
asked: "kubectl assay verify" says it.`

func newReport(k *kube.Config) *cobra.Command {
	var r reporting
	cmd := &cobra.Command{
		Use: "report RUN|BUNDLE", Short: "Write a run as a page", Long: reportHelp, Args: cobra.ExactArgs(1),
		Example: "  kubectl assay report demo\n  kubectl assay report demo -o - | ssh host tee demo.html", ValidArgsFunction: k.CompleteRuns(1),
		RunE: onRuns(k, func(ctx context.Context, runs []stored.Source, to streams) error {
			return r.write(ctx, runs[0], to.out)
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&r.file, "output", "o", "", `the file; "-" is standard output; default: the name of the run with .html, in this folder`)
	flags.StringVar(&r.format, "format", formatHTML, "html, or markdown: the tables alone, as GitHub renders them, to NAME.md")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]cobra.Completion{formatHTML, formatMarkdown}, cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // the flag exists
	return cmd
}

// Formats of a report.
const formatHTML, formatMarkdown = "html", "markdown"

// reporting is what the flags say.
type reporting struct{ file, format string }

// write the report of a run to a file, and say where it is; or to standard output.
func (r reporting) write(ctx context.Context, from stored.Source, out io.Writer) error {
	extension, file := map[string]string{formatHTML: ".html", formatMarkdown: ".md"}[r.format], r.file
	if extension == "" {
		return fmt.Errorf("--format %s: use %s or %s", r.format, formatHTML, formatMarkdown)
	}
	run, err := stored.Read(ctx, from)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := r.to(ctx, &page, run); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if file == "-" {
		return deliver(page.Bytes(), "", out)
	}
	if file == "" {
		// Whoever made a bundle wrote the name.
		if problems := validation.IsDNS1123Subdomain(run.Object.Name); len(problems) > 0 {
			return fmt.Errorf("%s: its name is not one of a run: %s: name the file with -o", from, problems[0])
		}
		file = run.Object.Name + extension
	}
	if err := deliver(page.Bytes(), file, out); err != nil {
		return err
	}
	p := output.NewPage(out)
	p.Line(fmt.Sprintf("%s: %s", file, from))
	return p.Flush()
}

// to writes the report in its format.
func (r reporting) to(ctx context.Context, out io.Writer, run *stored.Run) error {
	if r.format == formatHTML {
		in, err := writeup.Input(ctx, run)
		if err != nil {
			return err
		}
		return report.Write(out, in)
	}
	markdown, err := export.Find(formatMarkdown)
	if err != nil {
		return err
	}
	return markdown.Write(ctx, out, run)
}

// writePage of a run for `ui`: what it says is what the command says.
func writePage(ctx context.Context, from stored.Source, page io.Writer) error {
	run, err := stored.Read(ctx, from)
	if err != nil {
		return err
	}
	if err := (reporting{format: formatHTML}).to(ctx, page, run); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return nil
}
