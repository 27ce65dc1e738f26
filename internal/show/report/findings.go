package report

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
)

// maxGroups of findings are listed.
const maxGroups = 60

// meanings of the severities.
var meanings = map[string]string{
	v1alpha1.SeverityInvalid:   "The result contradicts itself. It does not count.",
	v1alpha1.SeverityDisturbed: "Something else happened during the measurement. It does not count.",
	v1alpha1.SeverityWarning:   "It counts, with a doubt.",
	v1alpha1.SeverityNote:      "A fact beside the result, without a doubt.",
}

// findings of all checks in words, those of one kind together.
func findings(in Input) (out []block) {
	all, last := readout.FindingsOf(in.Run, in.Records)
	if len(all) == 0 {
		if len(in.Records) == 0 {
			return nil
		}
		return []block{paragraph("No check has found anything.")}
	}
	left := len(all) - maxGroups
	all = all[:min(len(all), maxGroups)]
	for _, severity := range readout.Severities {
		var lines []string
		for _, g := range all {
			if g.Severity == severity {
				lines = append(lines, wordsOf(g))
			}
		}
		if len(lines) > 0 {
			out = append(out, block{Heading: severity + readout.OfTheLast(last), Text: meanings[severity], Bullets: lines})
		}
	}
	if left > 0 {
		out = append(out, paragraph(fmt.Sprintf("%d more kinds of findings are in the records.", left)))
	}
	return out
}

// words of the findings of one kind in one line.
func wordsOf(g readout.Finding) string {
	text := g.Check
	if g.Target != "" {
		text += ", " + g.Target
	}
	text += ": " + strings.TrimSuffix(g.Message, ".")
	var trials []string
	for _, t := range g.Trials {
		trials = append(trials, fmt.Sprint(t))
	}
	switch {
	case len(trials) == 1 && g.Count == 1:
		text += " (trial " + trials[0] + ")"
	case len(trials) == 0 && g.Count > 1:
		text += fmt.Sprintf(" (the first of %d)", g.Count)
	case g.Count > 1 && len(trials) < int(g.Count): // the numbers are those of the first one
		text += fmt.Sprintf(" (trial %s; %d times, such as in trials %s)", trials[0], g.Count, strings.Join(trials, ", "))
	case g.Count > 1:
		text += fmt.Sprintf(" (trial %s; with its own numbers also in %s)", trials[0], strings.Join(trials[1:], ", "))
	}
	return line(text)
}
