package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/stored"
)

const compareHelp = `Analyse several runs of a namespace together.

Each run is verified first, as by "kubectl assay verify". Runs of one experiment on the same
targets repeat it: each has one ratio for each comparison that was declared, and the
interval includes how the runs differ from one another. Two runs whose targets differ, or that
compare nothing, are compared with each other: the second one against the first one.

Of repeated runs the output says how much each ratio varies from block to block within a run and
from run to run, and which of both is worth repeating. With -o json or yaml the result is a document on
standard output, and what the verification found is on standard error.

Exit codes:
  0  the runs are compared, whatever the verdict is
  1  nothing can be said: an object cannot be read, a run has not ended or has no chain, or
     the runs did not measure the same
  6  what a run has stored was changed or is gone; the output names it, and nothing is compared`

func newCompare(k *kubeconfig) *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use: "compare RUN|BUNDLE RUN|BUNDLE...", Short: "Analyse several runs together", Long: compareHelp, Args: cobra.MinimumNArgs(2),
		Example: "  kubectl assay compare monday tuesday wednesday\n  kubectl assay compare old new -o json", ValidArgsFunction: k.CompleteRuns(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := k.sources(args)
			if err != nil {
				return err
			}
			return compareRuns(cmd.Context(), runs, format, streams{cmd.OutOrStdout(), cmd.ErrOrStderr()})
		},
	}
	format.AddTo(cmd)
	return cmd
}

func compareRuns(ctx context.Context, sources []stored.Source, format output.Format, to streams) error {
	notes := to.out
	if format.ForPrograms() {
		notes = to.problems
	}
	result, caveats, err := comparisonOf(ctx, sources, notes)
	if err != nil {
		return err
	}
	return format.Write(to.out, comparisonsOf(sources, result, caveats), func(out io.Writer) error { return tellComparison(out, result, caveats) })
}

// comparisonOf runs, and why one of them may not be relied on. Notes get what the verification says; it ends with
// errDiffers for a run that is not what it has stored.
func comparisonOf(ctx context.Context, sources []stored.Source, notes io.Writer) (analysis.RunsResult, []string, error) {
	differs := false
	for _, from := range sources {
		switch err := (verification{from: from}).verify(ctx, notes); {
		case errors.Is(err, errDiffers):
			differs = true
		case err != nil:
			return analysis.RunsResult{}, nil, err
		}
	}
	if differs {
		_, err := io.WriteString(notes, "not compared: a run is not what it has stored\n")
		return analysis.RunsResult{}, nil, errors.Join(errDiffers, err)
	}
	var runs []analysis.Run
	var caveats []string
	for _, from := range sources {
		read, err := stored.Read(ctx, from)
		if err != nil {
			return analysis.RunsResult{}, nil, err
		}
		run, err := read.Analysis()
		if err != nil {
			return analysis.RunsResult{}, nil, fmt.Errorf("%s: %w", from, err)
		}
		runs, caveats = append(runs, run), append(caveats, caveatsOf(read.Object)...)
	}
	result, err := analysis.ConcludeRuns(runs)
	return result, caveats, err
}

// comparisonsOf runs as a document.
func comparisonsOf(sources []stored.Source, result analysis.RunsResult, caveats []string) output.Comparisons {
	doc := output.Comparisons{
		Version: output.ComparisonVersion, Runs: namesOf(sources), Kind: string(result.Kind), Comparisons: []output.RunsComparison{},
		Compared: result.Compared, Between: result.Between, Caveats: caveats, Verdict: result.Verdict,
	}
	for _, c := range result.Comparisons {
		one := output.RunsComparison{
			Family: string(c.Family), Factor: c.Factor, Value: c.Value, Baseline: c.Baseline, Target: c.Target, Name: c.Name, Labels: c.Labels, Unit: c.Unit,
			Direction: c.Direction, Verdict: string(c.Verdict), BelowMinimumEffect: c.BelowMinimumEffect,
			Ratio: c.Ratio, IntervalLow: c.IntervalLow, IntervalHigh: c.IntervalHigh, IntervalConfidence: c.IntervalConfidence, P: c.P, AdjustedP: c.AdjustedP,
			DetectableEffect: c.DetectableEffect, Blocks: c.BlockCount, PlannedBlocks: c.PlannedBlockCount, Differences: c.Differences, Reason: c.Reason,
			Text: c.Text, Ratios: c.Ratios,
		}
		for axis, value := range c.Parameters {
			if one.Parameters == nil {
				one.Parameters = map[string]string{}
			}
			one.Parameters[axis] = value.String()
		}
		if v := c.Variation; v != nil {
			one.Variation = &output.Variation{WithinRuns: v.WithinRuns, BetweenRuns: v.BetweenRuns, BetweenShare: v.BetweenShare, Buy: string(v.Buy), Text: v.Text}
		}
		doc.Comparisons = append(doc.Comparisons, one)
	}
	return doc
}

// namesOf runs, as messages have them.
func namesOf(sources []stored.Source) []string {
	out := make([]string, len(sources))
	for i, from := range sources {
		out[i] = from.String()
	}
	return out
}

// caveatsOf a run that has ended: why its numbers may not be relied on.
func caveatsOf(run *v1alpha1.BenchmarkRun) (out []string) {
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed); c != nil && c.Status == metav1.ConditionTrue {
		out = append(out, fmt.Sprintf("run %s has failed (%s): %s", run.Name, c.Reason, c.Message))
	}
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); c != nil && c.Status == metav1.ConditionFalse {
		out = append(out, fmt.Sprintf("run %s is not valid (%s): %s", run.Name, c.Reason, c.Message))
	}
	return out
}

// tellComparison prints the table, what differs between the runs, and the verdict.
func tellComparison(out io.Writer, result analysis.RunsResult, caveats []string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	text := "\nFAMILY\tVERDICT\tBLOCKS\tRATIOS OF THE RUNS\tCOMPARISON\n"
	for _, c := range result.Comparisons {
		text += fmt.Sprintf("%s\t%s\t%d of %d\t%s\t%s\n", c.Family, c.Verdict, c.BlockCount, c.PlannedBlockCount, ratiosOf(c), c.Text)
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
	}{{"what varies, and what to repeat:", variationsOf(result)}, {"compared:", result.Compared}, {"between the runs:", result.Between}, {"caveats:", caveats}} {
		if len(part.lines) > 0 {
			text += part.title + "\n  " + strings.Join(part.lines, "\n  ") + "\n"
		}
	}
	_, err := io.WriteString(out, text+"verdict: "+relied(caveats)+result.Verdict+"\n")
	return err
}

// relied is what a verdict begins with where runs have caveats.
func relied(caveats []string) string {
	if len(caveats) == 0 {
		return ""
	}
	return "not every run can be relied on (see the caveats): "
}

// variationsOf the comparisons, one in a line.
func variationsOf(result analysis.RunsResult) (out []string) {
	for _, c := range result.Comparisons {
		if c.Variation != nil {
			out = append(out, analysis.Subject(c.ComparisonEntry)+": "+c.Variation.Text)
		}
	}
	return out
}

func ratiosOf(c analysis.RunsComparison) string {
	if len(c.Ratios) == 0 {
		return "-"
	}
	words := make([]string, len(c.Ratios))
	for i, ratio := range c.Ratios {
		if words[i] = ratio; ratio == "" {
			words[i] = "-"
		}
	}
	return strings.Join(words, ", ")
}
