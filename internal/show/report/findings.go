package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxGroups of findings are listed.
const maxGroups = 60

// group of findings: of one check, severity and target.
type group struct {
	check, severity, target, message string
	trials                           []int32
	count                            int
}

var severities = []string{v1alpha1.SeverityInvalid, v1alpha1.SeverityDisturbed, v1alpha1.SeverityWarning, v1alpha1.SeverityNote}

// meanings of the severities.
var meanings = map[string]string{
	v1alpha1.SeverityInvalid:   "The result contradicts itself. It does not count.",
	v1alpha1.SeverityDisturbed: "Something else happened during the measurement. It does not count.",
	v1alpha1.SeverityWarning:   "It counts, with a doubt.",
	v1alpha1.SeverityNote:      "A fact beside the result, without a doubt.",
}

// findings of all checks in words, those of one kind together.
func findings(in Input) (out []block) {
	all := groups(in)
	if len(all) == 0 {
		if len(in.Records) == 0 {
			return nil
		}
		return []block{paragraph("No check has found anything.")}
	}
	for _, severity := range severities {
		var lines []string
		for _, g := range all {
			if g.severity == severity {
				lines = append(lines, g.words())
			}
		}
		if len(lines) > 0 {
			out = append(out, block{Heading: severity, Text: meanings[severity], Bullets: lines})
		}
	}
	return out
}

// groups of the findings of the final attempts and of the run, the most serious ones first.
func groups(in Input) (out []*group) {
	by := map[[3]string]*group{}
	add := func(check, severity, target, message string, trial *int32) {
		key := [3]string{check, severity, target}
		g := by[key]
		if g == nil {
			g = &group{check: check, severity: severity, target: target, message: message}
			by[key], out = g, append(out, g)
		}
		g.count++
		if trial != nil && len(g.trials) < 8 && !slices.Contains(g.trials, *trial) {
			g.trials = append(g.trials, *trial)
		}
	}
	for i := range in.Records {
		rec := &in.Records[i]
		for _, f := range rec.Findings {
			add(f.Check, f.Severity, rec.Target, f.Message, &rec.Index)
		}
		if rec.State == contract.Failed && rec.Final {
			add(cmp.Or(rec.Reason, "failed"), v1alpha1.SeverityInvalid, rec.Target, "the trial failed: "+rec.Message, &rec.Index)
		}
	}
	for _, f := range in.Run.Status.Findings {
		if f.Trial == nil { // those of trials are in the records
			add(f.Check, f.Severity, f.Target, f.Message, nil)
		}
	}
	slices.SortStableFunc(out, func(a, b *group) int {
		return slices.Index(severities, a.severity) - slices.Index(severities, b.severity)
	})
	if more := len(out) - maxGroups; more > 0 {
		out = append(out[:maxGroups], &group{check: "more", severity: v1alpha1.SeverityNote, message: fmt.Sprintf("%d more kinds of findings are in the records", more), count: 1})
	}
	return out
}

// words of a group in one line.
func (g group) words() string {
	text := g.check
	if g.target != "" {
		text += ", " + g.target
	}
	text += ": " + strings.TrimSuffix(g.message, ".")
	var trials []string
	for _, t := range g.trials {
		trials = append(trials, fmt.Sprint(t))
	}
	switch {
	case len(trials) == 1 && g.count == 1:
		text += " (trial " + trials[0] + ")"
	case len(trials) == 0 && g.count > 1:
		text += fmt.Sprintf(" (the first of %d)", g.count)
	case g.count > 1 && len(trials) < g.count: // the numbers are those of the first one
		text += fmt.Sprintf(" (trial %s; %d times, such as in trials %s)", trials[0], g.count, strings.Join(trials, ", "))
	case g.count > 1:
		text += fmt.Sprintf(" (trial %s; with its own numbers also in %s)", trials[0], strings.Join(trials[1:], ", "))
	}
	return line(text)
}
