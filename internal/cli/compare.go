package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/verdict/analysis"
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
  1  nothing can be said: an object cannot be read, a run has not ended or ended before its plan was
     stored, or the runs did not measure the same
  6  what a run has stored was changed or is gone; the output names it, and nothing is compared`

func newCompare(k *kube.Config) *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use: "compare RUN|BUNDLE RUN|BUNDLE...", Short: "Analyse several runs together", Long: compareHelp, Args: cobra.MinimumNArgs(2),
		Example: "  kubectl assay compare monday tuesday wednesday\n  kubectl assay compare old new -o json", ValidArgsFunction: k.CompleteRuns(0),
		RunE: onRuns(k, func(ctx context.Context, runs []stored.Source, to streams) error {
			return compareRuns(ctx, runs, format, to)
		}),
	}
	format.AddTo(cmd)
	return cmd
}

func compareRuns(ctx context.Context, sources []stored.Source, format output.Format, to streams) error {
	notes := output.Later{For: to.out}
	doc, err := comparisonOf(ctx, sources, &notes)
	if err != nil {
		_, told := to.problems.Write(notes.Bytes())
		return errors.Join(err, told)
	}
	if format.ForPrograms() {
		_, err = to.problems.Write(notes.Bytes())
		return errors.Join(err, format.Write(to.out, doc, nil))
	}
	// The verdict first, and what was verified last.
	if err := tellComparison(to.out, doc); err != nil {
		return err
	}
	_, err = io.WriteString(to.out, "\n"+notes.String())
	return err
}

// comparisonOf runs. Notes get what the verification says; it ends with exit.ErrDiffers for a run that is not what it has stored.
func comparisonOf(ctx context.Context, sources []stored.Source, notes io.Writer) (readout.Comparisons, error) {
	runs, caveats, err := analysed(ctx, sources, notes)
	if err != nil {
		return readout.Comparisons{}, err
	}
	var all []analysis.Run
	for _, r := range runs {
		all = append(all, r.analysis)
	}
	result, err := analysis.ConcludeRuns(all)
	if err != nil {
		return readout.Comparisons{}, err
	}
	return readout.OverRuns(namesOf(sources), result, all[0].Declaration, caveats), nil
}

// read is a run with what it has stored, and as an analysis takes it.
type read struct {
	stored   *stored.Run
	analysis analysis.Run
}

// analysed runs, all of which are verified first, with why their numbers may not be relied on.
func analysed(ctx context.Context, sources []stored.Source, notes io.Writer) (runs []read, caveats []string, err error) {
	differs := false
	for _, from := range sources {
		switch err := (verification{from: from}).verify(ctx, notes); {
		case errors.Is(err, exit.ErrDiffers):
			differs = true
		case err != nil:
			return nil, nil, err
		}
	}
	if differs {
		_, err := io.WriteString(notes, "not compared: a run is not what it has stored\n")
		return nil, nil, errors.Join(exit.ErrDiffers, err)
	}
	for _, from := range sources {
		run, err := stored.Read(ctx, from)
		if err != nil {
			return nil, nil, err
		}
		one, err := run.Analysis()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", from, err)
		}
		runs = append(runs, read{run, one})
		for _, text := range readout.Caveats(run.Object) {
			caveats = append(caveats, from.String()+": "+text)
		}
	}
	return runs, caveats, nil
}

// namesOf runs, as messages have them.
func namesOf(sources []stored.Source) []string {
	out := make([]string, len(sources))
	for i, from := range sources {
		out[i] = from.String()
	}
	return out
}

// tellComparison prints the answer, a row for each comparison, what varies, and what differs between the runs.
func tellComparison(out io.Writer, doc readout.Comparisons) error {
	p := output.NewPage(out)
	for _, s := range doc.Answer {
		p.Statement("", s)
	}
	var all []readout.Verdict
	var variations []string
	for _, c := range doc.Comparisons {
		all = append(all, c.Verdict)
		if c.Variation != nil {
			variations = append(variations, c.Subject+": "+c.Variation.Text)
		}
	}
	ratios := []string{"RATIOS OF THE RUNS"}
	for i, v := range readout.InOneForm(all) {
		ratios = append(ratios, ratiosOf(doc.Comparisons[i].Ratios, v.Effect != "" && !v.IsFactor()))
	}
	if !slices.ContainsFunc(doc.Comparisons, func(c readout.RunsVerdict) bool { return len(c.Ratios) > 0 }) {
		ratios = nil // each side is one run
	}
	p.Section("why, and what limits them:", show.Verdicts(p, all, ratios)...)
	p.Section("what varies, and what to repeat:", variations...)
	p.Section("compared:", doc.Compared...)
	p.Section("between the runs:", doc.Between...)
	p.Section("caveats:", doc.Caveats...)
	p.Section("how:", doc.Method, pLegend)
	return p.Flush()
}

// pLegend says what the columns of evidence and level are.
const pLegend = "The level is that of the interval by itself. The adjusted p is that of all declared comparisons together (Holm)."

// ratiosOf runs, in the form of the comparison over them.
func ratiosOf(ratios []string, percent bool) string {
	words := make([]string, len(ratios))
	for i, ratio := range ratios {
		words[i] = cmp.Or(figure.EffectAs(percent, ratio, "", "").Ratio, "-")
	}
	return strings.Join(words, ", ")
}
