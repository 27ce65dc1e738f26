package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/merge"
	"github.com/assay-bench/assay/internal/report"
	"github.com/assay-bench/assay/internal/stored"
)

const reportHelp = `Write what a run has stored as one page: an HTML file that needs nothing else.

The page has the verdict and what it does not say, the medians beside each other, every trial as a
point, curves over a load, over time and by percentile, the environment with what differs, what the
checks found, quoted numbers, and how to repeat the run. It has no script and loads nothing, can be
sent and printed, and follows the light or dark scheme of whoever reads it. The same run gives the
same bytes.

A run that goes on is shown as far as it has got. Whether anything was changed afterwards is not
asked: "kubectl assay verify" says it.`

func newReport(k *kubeconfig) *cobra.Command {
	file := ""
	cmd := &cobra.Command{
		Use: "report RUN|BUNDLE", Short: "Write a run as a page", Long: reportHelp, Args: cobra.ExactArgs(1),
		Example: "  kubectl assay report demo\n  kubectl assay report demo -o - | ssh host tee demo.html", ValidArgsFunction: k.CompleteRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := k.sources(args)
			if err != nil {
				return err
			}
			return writeReport(cmd.Context(), runs[0], file, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", `the file; "-" is standard output; default: the name of the run with .html, in this folder`)
	return cmd
}

// writeReport of a run to a file, and say where it is; or to standard output.
func writeReport(ctx context.Context, from stored.Source, file string, out io.Writer) error {
	var page bytes.Buffer
	run, err := reportOf(ctx, from, &page)
	if err != nil {
		return err
	}
	if file == "-" {
		_, err := page.WriteTo(out)
		return err
	}
	if file == "" {
		// Whoever made a bundle wrote the name.
		if problems := validation.IsDNS1123Subdomain(run.Object.Name); len(problems) > 0 {
			return fmt.Errorf("%s: its name is not one of a run: %s: name the file with -o", from, problems[0])
		}
		file = run.Object.Name + ".html"
	}
	if err := writeFile(file, func(to io.Writer) error {
		_, err := page.WriteTo(to)
		return err
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", file, from)
	return err
}

// reportOf a run, as a page.
func reportOf(ctx context.Context, from stored.Source, page io.Writer) (*stored.Run, error) {
	run, err := stored.Read(ctx, from)
	if err != nil {
		return nil, err
	}
	if err := report.Write(page, reported(ctx, run)); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return run, nil
}

// reported is what a run has stored, as the report takes it.
func reported(ctx context.Context, run *stored.Run) report.Input {
	return report.Input{
		Run: run.Object, Plan: run.Ran(), Records: run.Records,
		Entries: run.Summary.Entries, Comparisons: run.Summary.Comparisons, Sweeps: run.Summary.Sweeps, Searches: run.Summary.Searches,
		Quoted: run.Quoted,
		Result: func(rec contract.Record) (contract.Result, bool, error) {
			var clients []contract.Result
			for client, err := range run.Results(ctx, rec) {
				if err != nil {
					return contract.Result{}, false, err
				}
				clients = append(clients, client.Result)
			}
			if len(clients) == 0 {
				return contract.Result{}, false, nil
			}
			whole, _, err := merge.Results(clients)
			return whole, err == nil, err
		},
	}
}
