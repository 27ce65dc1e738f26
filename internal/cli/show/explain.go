package show

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/nearest"
	"github.com/assay-bench/assay/internal/show/explain"
)

const explainHelp = `Say what a word means that a command or kubectl get prints, or a field.

A reason stands in a condition or at a trial, a check in a finding, a verdict beside a comparison. Phases, outcomes, conditions, severities,
columns, notes, exit codes and values of fields are words, too. A field is one of BenchmarkRun: spec.design.blocks, design.blocks for
short, or its name alone where no other field has it. It needs no cluster.`

const explainExamples = `  kubectl assay explain Queued
  kubectl assay explain little
  kubectl assay explain inconclusive
  kubectl assay explain GateFailed
  kubectl assay explain 6
  kubectl assay explain design.dataReset
  kubectl assay explain workload.sysbench -o json`

// NewExplain is the command `explain`.
func NewExplain() *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use: "explain WORD|FIELD", Short: "Say what a word of the output or a field means", Long: explainHelp, Example: explainExamples, Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			doc, text, err := explanationOf(strings.Join(args, " ")) // some words are two
			if err != nil {
				return err
			}
			return format.Write(cmd.OutOrStdout(), doc, func(out io.Writer) error {
				p := output.NewPage(out)
				p.Prose(text)
				return p.Flush()
			})
		},
	}
	format.AddTo(cmd)
	return cmd
}

// verdicts on comparisons, as they stand in texts. A reason of a gate has the name slower, too, and comes first.
var verdicts = map[string]string{
	"faster":       "A difference was shown: the rate is larger, or the time shorter, than that of the baseline. The interval of the ratio does not hold 1, at the level at which Holm's procedure tested this comparison among all that were declared. That is the level of this interval by itself: all intervals together have no common one.",
	"higher":       "A difference was shown in a measurement that is no speed, such as memory: it is larger.",
	"lower":        "A difference was shown in a measurement that is no speed, such as memory: it is smaller.",
	"equivalent":   "The difference was shown to be smaller than the minimum effect that the run declares (analysis.minimumEffect).",
	"inconclusive": "Neither a difference nor equivalence was shown. That is no finding that both are alike: the interval also holds differences that may matter. The text says which difference these blocks would have found. For a smaller one plan more blocks, or longer windows.",
	"not measured": "No trial that counts has this number on both sides in one unit, such as with a driver that cannot do what is compared. Over several runs, no run has such a trial. Nothing was tested, so that there is no p. Among the declared comparisons it still counts in the error rate.",
	"exploratory":  "No verdict, and a hint for another run: the comparison was not declared before the data (analysis.comparisons), trials ran in sequence, fewer than 6 blocks are left, or the plan has fewer than its comparisons need together. All blocks may also be one observation, such as the largest memory since the server began. A comparison that was not declared may name another reason why it has no ratio, such as a value of 0. A pair is left out when other work disturbs one of its trials: status.findings names it.",
}

// verdictOf a name, as texts or the status have it; empty for no verdict.
func verdictOf(name string) string {
	for verdict := range verdicts {
		if strings.EqualFold(strings.ReplaceAll(verdict, " ", ""), strings.ReplaceAll(name, " ", "")) {
			return verdict
		}
	}
	return ""
}

// completeNames of reasons, checks and words.
func completeNames(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, err := explain.All()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return known(all), cobra.ShellCompDirectiveNoFileComp
}

// known names of everything that is explained but fields.
func known(all []explain.Entry) (out []string) {
	for _, e := range all {
		out = append(out, e.Name)
	}
	words, err := explain.Words()
	if err != nil {
		return out
	}
	for _, w := range words {
		out = append(out, w.Name)
	}
	out = slices.AppendSeq(out, maps.Keys(verdicts))
	slices.Sort(out)
	return slices.Compact(out)
}

// explanationOf a name, as a document and as text: what is meant first, and its other senses.
func explanationOf(name string) (output.Explanation, string, error) {
	senses, err := explain.Senses(name)
	if err != nil {
		return output.Explanation{}, "", err
	}
	doc, text, err := firstSense(name, senses)
	for _, s := range senses {
		if s.Meaning != doc.Meaning {
			doc.Senses = append(doc.Senses, output.Sense{Kind: s.Is, Meaning: s.Meaning})
			text += fmt.Sprintf("\nIt is also a word of another kind, %s: %s\n", s.Is, s.Meaning)
		}
	}
	return doc, text, err
}

// firstSense of a name: a reason, a check, a verdict, another word, or a field.
func firstSense(name string, senses []explain.Sense) (output.Explanation, string, error) {
	doc := output.Explanation{Version: output.ExplanationVersion}
	entry, similar, err := explain.Find(name)
	if err != nil {
		return doc, "", err
	}
	verdict := verdictOf(name)
	if entry.Name != "" && (verdict == "" || strings.EqualFold(entry.Name, name)) {
		doc.Kind, doc.Name, doc.Meaning, doc.Who, doc.Severities = string(entry.Kind), entry.Name, explain.Plain(entry.Meaning), entry.Who, entry.Severities
		for _, text := range entry.Causes {
			doc.Causes = append(doc.Causes, explain.Plain(text))
		}
		for _, text := range entry.Remedies {
			doc.Do = append(doc.Do, explain.Plain(text))
		}
		return doc, entry.Text(), nil
	}
	if verdict != "" {
		doc.Kind, doc.Name, doc.Meaning = "verdict", verdict, verdicts[verdict]
		return doc, fmt.Sprintf("%s is a verdict on a comparison.\n\n%s\n\nsee docs/guide/read-a-verdict.md\n", doc.Name, doc.Meaning), nil
	}
	if len(senses) > 0 {
		doc.Kind, doc.Name, doc.Meaning = senses[0].Is, senses[0].Name, senses[0].Meaning
		return doc, senses[0].Text(), nil
	}
	field, err := apischema.FieldOf(name)
	if err != nil {
		var several *apischema.SeveralError
		all, _ := explain.All()
		near := nearest.To(name, known(all))
		switch {
		case errors.As(err, &several):
			return doc, "", err
		case near != "":
			return doc, "", fmt.Errorf("%q is no word of Assay: did you mean %s?", name, near)
		case len(similar) > 0:
			err = fmt.Errorf("%w; similar names: %s", err, strings.Join(similar, ", "))
		}
		return doc, "", fmt.Errorf("%q is no word that a command prints, and %w", name, err)
	}
	doc.Kind, doc.Name, doc.Meaning = "field", field.Path, field.Description
	doc.Fields = append([]string{}, field.Fields...)
	text := fmt.Sprintf("%s (%s%s)\n\n%s\n", field.Path, field.Type, map[bool]string{true: ", required"}[field.Required], field.Description)
	for _, line := range []struct{ what, value string }{{"default", field.Default}, {"values", strings.Join(field.Values, ", ")}, {"bounds", field.Bounds}} {
		if line.value != "" {
			text += "\n" + line.what + ": " + line.value + "\n"
		}
	}
	doc.Type, doc.Default, doc.Values, doc.Bounds, doc.Required = field.Type, field.Default, field.Values, field.Bounds, field.Required
	if len(field.Fields) > 0 {
		text += "\nfields:\n  " + strings.Join(field.Fields, "\n  ") + "\n"
	}
	return doc, text, nil
}
