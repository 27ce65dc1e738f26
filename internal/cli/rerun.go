package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/rerun"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

const rerunHelp = `Write the manifest that repeats a run, or say whether a repetition came out as predicted.

The manifest has images by their digests, shapes and settings as they were resolved, the seed of the plan,
and the files that the run has copied, as ConfigMaps. What it cannot pin stands in comments at its
begin: the images of the operator, and a server that Assay did not provide.

With --check, the runs before it predict the one that is checked: for each measurement that it compares, an
interval in which the median of one more such run lies. All of them together hold it with a
probability of 95 %, if runs differ from one another as those did. That takes at least three runs. From fewer
it is not estimable, and the command says so. What else differs, such as a version or the settings of a server,
stands before the verdict: it does not decide. The verdict says how far the intervals reach: with three runs it is 5 and
more standard deviations, and that a run lies within them shows little. With --check, -o is the format of what it says: table, json or yaml.

Each run is verified first, as by "kubectl assay verify".

Exit codes:
  0  the manifest is written, or what is compared of the repetition lies within what was predicted
  1  nothing can be said: the output says why; too few runs are one reason
  6  what a run has stored was changed or is gone; the output names it
  7  --check: a measurement of the repetition lies outside of what was predicted`

const rerunExamples = `  kubectl assay rerun demo.assay.tar | kubectl apply -f -
  kubectl assay rerun monday.assay.tar tuesday.assay.tar wednesday.assay.tar --check thursday`

// rerunning is what the flags say.
type rerunning struct{ name, output, check string }

func newRerun(k *kube.Config) *cobra.Command {
	var r rerunning
	cmd := &cobra.Command{
		Use: "rerun RUN|BUNDLE...", Short: "Repeat a run, or check a repetition", Long: rerunHelp, Example: rerunExamples, Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: k.CompleteRuns(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			to := streams{cmd.OutOrStdout(), cmd.ErrOrStderr()}
			if r.check != "" {
				format, err := output.FormatOf(cmp.Or(r.output, string(output.Table)))
				if err != nil {
					return fmt.Errorf("-o %s: with --check it is a format: %w", r.output, err)
				}
				runs, err := sources(k, append(args, r.check))
				if err != nil {
					return err
				}
				return checkRerun(cmd.Context(), runs, format, to)
			}
			if len(args) > 1 {
				return errors.New("one run is repeated: several are for --check")
			}
			runs, err := sources(k, args)
			if err != nil {
				return err
			}
			return r.write(cmd.Context(), runs[0], to)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.check, "check", "", "the repetition, which the runs before it predict")
	flags.StringVar(&r.name, "name", "", "name of the new run; default: that of the run with -rerun behind it")
	flags.StringVarP(&r.output, "output", "o", "", "file for the manifest; default: standard output. With --check the format: table, json or yaml")
	cmd.MarkFlagsMutuallyExclusive("check", "name")
	return cmd
}

func (r rerunning) write(ctx context.Context, from stored.Source, to streams) error {
	run, err := verified(ctx, from, to.problems)
	if err != nil {
		return err
	}
	manifest, err := rerun.Make(ctx, run, cmp.Or(r.name, run.Object.Name+"-rerun"))
	if err != nil {
		return err
	}
	data, err := manifest.YAML()
	if err != nil {
		return err
	}
	return deliver(data, r.output, to.out)
}

// checkRerun says whether the last run lies within what those before it predict. It ends with errOutside for one that
// does not.
func checkRerun(ctx context.Context, all []stored.Source, format output.Format, to streams) error {
	read, caveats, err := analysed(ctx, all, to.problems)
	if err != nil {
		return err
	}
	var runs []analysis.Run
	seen := map[types.UID]bool{}
	for i, r := range read {
		if seen[r.stored.Object.UID] {
			return fmt.Errorf("%s stands there twice: a run does not predict itself", all[i])
		}
		seen[r.stored.Object.UID] = true
		r.analysis.Spec = rerun.Pinned(r.stored)
		runs = append(runs, r.analysis)
	}
	earlier, last := len(runs)-1, runs[len(runs)-1]
	report, err := rerun.Check(runs[:earlier], last)
	if err != nil {
		return err
	}
	around, err := apartFrom(last, runs[:earlier])
	if err != nil {
		return err
	}
	doc := checkOf(all, report, around, caveats)
	if err := format.Write(to.out, doc, func(out io.Writer) error { return tellCheck(out, doc) }); err != nil {
		return err
	}
	if !doc.Within {
		return errOutside
	}
	return nil
}

// apart is what differs between a repetition and the runs before it, and what is not known of them.
type apart struct{ differ, unknown []string }

func apartFrom(checked analysis.Run, earlier []analysis.Run) (out apart, err error) {
	for _, run := range earlier {
		differ, unknown, err := analysis.Apart(run, checked)
		if err != nil {
			return out, err
		}
		out.differ, out.unknown = append(out.differ, readout.RunDifferences(differ)...), append(out.unknown, readout.RunDifferences(unknown)...)
	}
	return out, nil
}

// alike is what a verdict begins with where the runs differ: other servers give other numbers, and where the earlier runs had
// several, what they predict is as wide as those are apart.
func (a apart) alike() string {
	if len(a.differ) == 0 {
		return ""
	}
	return "not all runs had the same servers and clients (see between the runs): "
}

// errOutside ends a check whose output has said what lies outside.
var errOutside error = exit.Coded{Code: exit.Outside}

// checkOf a repetition, the last one of the runs, as a document.
func checkOf(all []stored.Source, report rerun.Report, around apart, caveats []string) output.Check {
	earlier, checked := all[:len(all)-1], all[len(all)-1]
	doc := output.Check{
		Version: output.CheckVersion, Checked: checked.String(), Earlier: namesOf(earlier), Within: report.Within(), Confidence: rerun.Confidence,
		Predictions: append([]rerun.Prediction{}, report.Predictions...), Missing: report.Missing, Between: slices.Concat(around.differ, around.unknown), Caveats: caveats,
	}
	relied := ""
	if len(caveats) > 0 {
		relied = "not every run can be relied on (see the caveats): "
	}
	doc.Verdict = relied + around.alike() + verdictOf(doc)
	return doc
}

// tellCheck prints the verdict, what was predicted of each measurement, and what limits that.
func tellCheck(out io.Writer, doc output.Check) error {
	p := output.NewPage(out)
	answer := readout.Statement{Tone: readout.Good, Word: "WITHIN", Text: doc.Verdict}
	if !doc.Within {
		answer.Tone, answer.Word = readout.Bad, "OUTSIDE"
	}
	p.Statement("", answer)
	rows := [][]string{{"MEASUREMENT", "WHERE", "TARGET", "PREDICTED", "VALUE", "UNIT", "WITHIN"}}
	for _, one := range doc.Predictions {
		within := "yes"
		if !one.Within {
			within = "NO"
		}
		decimal := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		value, low, high := figure.Measured(decimal(one.Value), decimal(one.Low), decimal(one.High))
		rows = append(rows, []string{one.Name, readout.PlaceOf(one.Where), one.Target, low + " to " + high, value, one.Unit, within})
	}
	p.Blank()
	p.Rows(rows, nil)
	p.Section("not compared:", doc.Missing...)
	p.Section("between the runs:", doc.Between...)
	p.Section("caveats:", doc.Caveats...)
	return p.Flush()
}

// verdictOf a check in one line. What is not compared is part of it: nobody knows whether that lies within.
func verdictOf(doc output.Check) string {
	n, outside := len(doc.Predictions), 0
	for _, p := range doc.Predictions {
		if !p.Within {
			outside++
		}
	}
	text := fmt.Sprintf("%s lies within what %d runs predict", doc.Checked, len(doc.Earlier))
	switch {
	case outside > 0:
		text = fmt.Sprintf("%s does not lie within what %d runs predict: %d of %d measurements are outside", doc.Checked, len(doc.Earlier), outside, n)
	case len(doc.Missing) > 0:
		text = fmt.Sprintf("what is compared of %s lies within what %d runs predict: %d measurements", doc.Checked, len(doc.Earlier), n)
	}
	if missing := len(doc.Missing); missing > 0 {
		text += fmt.Sprintf(", and %d not compared", missing)
	}
	if outside == 0 && n > 0 {
		text += ": " + widthOf(doc.Predictions)
	}
	return text
}

// wide is a reach in standard deviations beyond which "within" says little: twice that of very many runs.
const wide = 4

// widthOf predictions says how far they reach: what lies within a wide interval shows little.
func widthOf(all []rerun.Prediction) string {
	least, most, reach := math.Inf(1), 0.0, 0.0
	for _, p := range all {
		half := math.Sqrt(p.High/p.Low) - 1
		least, most, reach = min(least, half), max(most, half), max(reach, p.Reach)
	}
	text := "the intervals reach " + figure.Share(most)
	if len(all) > 1 {
		text = fmt.Sprintf("the intervals reach %s to %s", figure.Share(least), figure.Share(most))
	}
	text += fmt.Sprintf(" to either side, %.1f standard deviations of runs", reach)
	if reach > wide {
		text += ", and with so few runs that shows little"
	}
	return text
}
