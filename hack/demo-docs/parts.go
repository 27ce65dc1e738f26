package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/show/readout"
)

// partsOf the pages: what the demo printed, by the name of the part.
func partsOf(run *v1alpha1.BenchmarkRun) (map[string]string, error) {
	doc := readout.FromStatus(run)
	if doc.Kind != readout.Sound || doc.Verdict == "" {
		return nil, fmt.Errorf("the demo is %s (%s), and shows no verdict: play it again", doc.Outcome, doc.Message)
	}
	first, ok := primary(doc)
	if !ok || first.Verdict == string(v1alpha1.VerdictExploratory) {
		return nil, fmt.Errorf("too few blocks of the demo count for a verdict (%s): play it again on a machine without other work", doc.Verdict)
	}
	words, err := wordsOf(first, doc)
	if err != nil {
		return nil, err
	}
	var get bytes.Buffer
	if err := show.Tell(&get, doc, false); err != nil {
		return nil, err
	}
	return map[string]string{
		"get":      fenced(get.String()),
		"plan":     fenced("demo: " + planned(run)),
		"headline": fenced(doc.Headline),
		"verdict":  fenced(answerOf(doc)),
		"words":    words,
		"detects":  fenced(first.Subject + ": " + strings.Join(first.Rest(), "; ")),
	}, nil
}

// decided is the first comparison of a run, which has to be decided.
func decided(run *v1alpha1.BenchmarkRun) (string, error) {
	doc := readout.FromStatus(run)
	first, ok := primary(doc)
	if doc.Kind != readout.Sound || !ok || first.Undecided() {
		return "", fmt.Errorf("the run is %s, and its first comparison is not decided: %s", doc.Outcome, answerOf(doc))
	}
	return "> `" + first.Text + "`\n", nil
}

// answerOf a run, a line for each statement.
func answerOf(doc readout.Run) string {
	lines := make([]string, len(doc.Answer))
	for i, s := range doc.Answer {
		lines[i] = s.String()
	}
	return strings.Join(lines, "\n")
}

func fenced(text string) string {
	return "```text\n" + strings.TrimRight(text, "\n") + "\n```\n"
}

// primary is the first comparison that was declared; false without one.
func primary(doc readout.Run) (readout.Verdict, bool) {
	for _, v := range doc.Verdicts {
		if v.Family == string(v1alpha1.FamilyPrimary) {
			return v, true
		}
	}
	return readout.Verdict{}, false
}

// planned is what the plan of the run can show, as `kubectl assay plan` says it.
func planned(run *v1alpha1.BenchmarkRun) string {
	p := run.Status.Plan
	if p == nil {
		return ""
	}
	return experiment.Message(int(p.TrialCount), int(p.CellCount), run.Spec, p.Analysis)
}
