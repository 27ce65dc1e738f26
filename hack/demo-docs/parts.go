package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/cli/show"
)

// partsOf the pages: what the demo printed, by the name of the part.
func partsOf(run *v1alpha1.BenchmarkRun, sample string) (map[string]string, error) {
	doc := show.RunOf(run, show.View{})
	if doc.Outcome != "Valid" || doc.Verdict == "" {
		return nil, fmt.Errorf("the demo is %s (%s), and shows no verdict: play it again", doc.Outcome, doc.Message)
	}
	first, ok := primary(run)
	if !ok {
		return nil, fmt.Errorf("too few blocks of the demo count for a verdict (%s): play it again on a machine without other work", doc.Verdict)
	}
	words, err := wordsOf(first, run)
	if err != nil {
		return nil, err
	}
	var get bytes.Buffer
	if err := show.Tell(&get, doc, 0); err != nil {
		return nil, err
	}
	return map[string]string{
		"sample":   fenced("yaml", withoutComments(sample)),
		"table":    table(doc.Measurements) + "\n> " + doc.Verdict + "\n",
		"get":      fenced("text", get.String()),
		"plan":     fenced("text", "demo: "+accepted(run)),
		"headline": fenced("text", doc.Headline),
		"verdict":  fenced("text", doc.Verdict),
		"words":    words,
	}, nil
}

func fenced(language, text string) string {
	return "```" + language + "\n" + strings.TrimRight(text, "\n") + "\n```\n"
}

// primary comparison of the run, the one of its verdict.
func primary(run *v1alpha1.BenchmarkRun) (v1alpha1.ComparisonEntry, bool) {
	for _, c := range run.Status.Comparisons {
		if c.Family == v1alpha1.FamilyPrimary {
			return c, true
		}
	}
	return v1alpha1.ComparisonEntry{}, false
}

// accepted is what the plan of the run can show.
func accepted(run *v1alpha1.BenchmarkRun) string {
	for _, c := range run.Status.Conditions {
		if c.Type == v1alpha1.ConditionAccepted {
			return c.Message
		}
	}
	return ""
}

// table of measurements in Markdown.
func table(ms []output.Measurement) string {
	text := "| Target | Measurement | Median | Interval of the median | Trials |\n| --- | --- | --- | --- | --- |\n"
	for _, m := range ms {
		name := m.Name
		if p := m.Where["p"]; p != "" {
			name += ", p" + p
		}
		text += fmt.Sprintf("| %s | %s | %s %s | %s to %s | %d of %d |\n", m.Target, name, short(m.Median), m.Unit, short(m.IntervalLow), short(m.IntervalHigh), m.Trials, m.PlannedTrials)
	}
	return text
}

// short is a decimal number in four digits.
func short(number string) string {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
