package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/rerun"
	"github.com/assay-bench/assay/internal/stored"
)

const rerunHelp = `Write the manifest that repeats a run, or say whether a repetition came out as predicted.

The manifest has images by their digests, shapes and settings as they were resolved, the seed of the plan,
and the files that the run has copied, as ConfigMaps. What it cannot pin stands in comments at its
begin: the images of the operator, and a server that Assay did not provide.

With --check, the runs before it predict the one that is checked: for each measurement that it compares, an
interval in which the median of one more such run lies. All of them together hold it with a
probability of 95 %, if runs differ from one another as those did. That takes at least three runs. From fewer
it is not estimable, and the command says so.

Each run is verified first, as by "kubectl assay verify".

Exit codes:
  0  the manifest is written, or the check has a result, whatever it is
  1  nothing can be said: the output says why; too few runs are one reason
  6  what a run has stored was changed or is gone; the output names it`

const rerunExamples = `  kubectl assay rerun demo.assay.tar | kubectl apply -f -
  kubectl assay rerun monday.assay.tar tuesday.assay.tar wednesday.assay.tar --check thursday`

// rerunning is what the flags say.
type rerunning struct{ name, output, check string }

func newRerun(k *kubeconfig) *cobra.Command {
	var r rerunning
	cmd := &cobra.Command{
		Use: "rerun RUN|BUNDLE...", Short: "Repeat a run, or check a repetition", Long: rerunHelp, Example: rerunExamples, Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: k.CompleteRuns(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			to := streams{cmd.OutOrStdout(), cmd.ErrOrStderr()}
			if r.check != "" {
				runs, err := k.sources(slices.Concat(args, []string{r.check}))
				if err != nil {
					return err
				}
				return checkRerun(cmd.Context(), runs[:len(args)], runs[len(args)], to)
			}
			if len(args) > 1 {
				return errors.New("one run is repeated: several are for --check")
			}
			runs, err := k.sources(args)
			if err != nil {
				return err
			}
			return r.write(cmd.Context(), runs[0], to)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.check, "check", "", "the repetition, which the runs before it predict")
	flags.StringVar(&r.name, "name", "", "name of the new run; default: that of the run with -rerun behind it")
	flags.StringVarP(&r.output, "output", "o", "", "file for the manifest; default: standard output")
	cmd.MarkFlagsMutuallyExclusive("check", "name")
	cmd.MarkFlagsMutuallyExclusive("check", "output")
	return cmd
}

func (r rerunning) write(ctx context.Context, from stored.Source, to streams) error {
	if err := (verification{from: from}).verify(ctx, to.problems); err != nil {
		return err
	}
	run, err := stored.Read(ctx, from)
	if err != nil {
		return err
	}
	name := r.name
	if name == "" {
		name = run.Object.Name + "-rerun"
	}
	manifest, err := rerun.Make(ctx, run, name)
	if err != nil {
		return err
	}
	data, err := manifest.YAML()
	if err != nil {
		return err
	}
	if r.output == "" {
		_, err = to.out.Write(data)
		return err
	}
	return writeFile(r.output, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// checkRerun says whether a run lies within what the earlier ones predict.
func checkRerun(ctx context.Context, earlier []stored.Source, checked stored.Source, to streams) error {
	all := slices.Concat(earlier, []stored.Source{checked})
	var runs []analysis.Run
	var caveats []string
	seen := map[types.UID]bool{}
	for _, from := range all {
		if err := (verification{from: from}).verify(ctx, to.problems); err != nil {
			return err
		}
		read, err := stored.Read(ctx, from)
		if err != nil {
			return err
		}
		if seen[read.Object.UID] {
			return fmt.Errorf("%s stands there twice: a run does not predict itself", from)
		}
		seen[read.Object.UID] = true
		run, err := read.Analysis()
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		runs, caveats = append(runs, run), append(caveats, caveatsOf(read.Object)...)
	}
	report, err := rerun.Check(runs[:len(earlier)], runs[len(earlier)])
	if err != nil {
		return err
	}
	return tellCheck(to.out, checked, report, caveats)
}

func tellCheck(out io.Writer, checked stored.Source, report rerun.Report, caveats []string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	text, outside := "MEASUREMENT\tPREDICTED\tVALUE\tUNIT\tWITHIN\n", 0
	for _, p := range report.Predictions {
		within := "yes"
		if !p.Within {
			within, outside = "NO", outside+1
		}
		text += fmt.Sprintf("%s\t%.5g to %.5g\t%.5g\t%s\t%s\n", p.Measurement, p.Low, p.High, p.Value, p.Unit, within)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	text = ""
	for _, part := range []struct {
		title string
		lines []string
	}{{"not compared:", report.Missing}, {"caveats:", caveats}} {
		if len(part.lines) > 0 {
			text += part.title + "\n  " + strings.Join(part.lines, "\n  ") + "\n"
		}
	}
	_, err := io.WriteString(out, text+relied(caveats)+verdictOf(checked, report, outside)+"\n")
	return err
}

// verdictOf a check in one line. What is not compared is part of it: nobody knows whether that lies within.
func verdictOf(checked stored.Source, report rerun.Report, outside int) string {
	text := fmt.Sprintf("%s lies within what %d runs predict", checked, report.Runs)
	switch n := len(report.Predictions); {
	case !report.Within():
		text = fmt.Sprintf("%s does not lie within what %d runs predict: %d of %d measurements are outside", checked, report.Runs, outside, n)
	case len(report.Missing) > 0:
		text = fmt.Sprintf("what is compared of %s lies within what %d runs predict: %d measurements", checked, report.Runs, n)
	}
	if n := len(report.Missing); n > 0 {
		text += fmt.Sprintf(", and %d not compared", n)
	}
	return text
}
