package show

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/contract"
)

// RunOf a run is its document.
func RunOf(run *v1alpha1.BenchmarkRun, view View) output.Run {
	st := run.Status
	doc := output.Run{Version: output.RunVersion, RunHead: HeadOf(run), Measurements: Measurements(run, view), Comparisons: []output.Comparison{}}
	if doc.Measurements == nil {
		doc.Measurements = []output.Measurement{}
	}
	for _, c := range st.Comparisons {
		if c.Family == v1alpha1.FamilyExploratory || view.Name != "" && c.Name != view.Name {
			continue
		}
		doc.Comparisons = append(doc.Comparisons, output.Comparison{
			Family: string(c.Family), Verdict: string(c.Verdict), Text: c.Text, Blocks: c.BlockCount, PlannedBlocks: c.PlannedBlockCount, IntervalConfidence: c.IntervalConfidence,
		})
	}
	for _, s := range st.Sweeps {
		if view.Name == "" || s.Name == view.Name {
			doc.Sweeps = append(doc.Sweeps, s.Text)
		}
	}
	for _, f := range st.Findings {
		if f.Severity != v1alpha1.SeverityNote {
			doc.Findings = append(doc.Findings, output.Finding{Check: f.Check, Severity: f.Severity, Trial: f.Trial, Target: f.Target, Message: f.Message})
		}
	}
	if r := st.Results; r != nil {
		doc.MoreMeasurements = max(r.SummaryEntryCount-r.ShownEntryCount, 0)
		doc.MoreComparisons = max(r.ComparisonCount-r.ShownComparisonCount, 0)
		if len(doc.Sweeps) > 0 {
			doc.MoreSweeps = max(r.SweepCount-int32(len(st.Sweeps)), 0)
		}
	}
	return doc
}

// mostFindings of a run are printed; the records have all of them.
const mostFindings = 5

// Tell people of a run: what became of it, its numbers, what they show, and what is against them.
func Tell(out io.Writer, doc output.Run, width int) error {
	text := fmt.Sprintf("%s/%s: %s\n", doc.Namespace, doc.Name, sentence(doc.RunHead))
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	if len(doc.Measurements) > 0 {
		if _, err := io.WriteString(out, "\n"); err != nil {
			return err
		}
		if err := output.Rows(out, width, rowsOf(doc.Measurements)); err != nil {
			return err
		}
	}
	text = ""
	list := func(title string, lines []string, more int32, where string) {
		if len(lines) == 0 {
			return
		}
		text += "\n" + title + "\n"
		for _, line := range lines {
			text += "  " + contract.Line(line) + "\n"
		}
		if more > 0 {
			text += fmt.Sprintf("  and %d more in %s\n", more, where)
		}
	}
	if doc.MoreMeasurements > 0 {
		text += fmt.Sprintf("and %d more numbers in the ConfigMaps of the summary\n", doc.MoreMeasurements)
	}
	list("sweeps:", doc.Sweeps, doc.MoreSweeps, "the ConfigMaps of the summary")
	var comparisons, findings []string
	for _, c := range doc.Comparisons {
		comparisons = append(comparisons, comparisonOf(c))
	}
	list("comparisons:", comparisons, doc.MoreComparisons, "the ConfigMaps of the summary")
	for _, f := range doc.Findings {
		findings = append(findings, findingOf(f))
	}
	slices.Reverse(findings) // the newest first
	shown := findings[:min(len(findings), mostFindings)]
	list("against the numbers:", shown, int32(len(findings)-len(shown)), "status.findings")
	_, err := io.WriteString(out, text)
	return err
}

// comparisonOf a run in one line, with the confidence of its interval.
func comparisonOf(c output.Comparison) string {
	about := fmt.Sprintf("%s, %d of %d blocks", strings.ToLower(c.Verdict), c.Blocks, c.PlannedBlocks)
	if level := analysis.Level(c.IntervalConfidence); level != "" {
		about += ", interval at " + level
	}
	if c.Family == string(v1alpha1.FamilyControl) {
		about += ", control"
	}
	return about + ": " + c.Text
}

func findingOf(f output.Finding) string {
	about := ""
	switch {
	case f.Trial != nil:
		about = fmt.Sprintf(" (trial %d)", *f.Trial)
	case f.Target != "":
		about = " (" + f.Target + ")"
	}
	return fmt.Sprintf("%s %s%s: %s", strings.ToLower(f.Severity), f.Check, about, f.Message)
}

// sentence about a run.
func sentence(h output.RunHead) string {
	trials := fmt.Sprintf("%d of %d trials", h.Trials.Done, h.Trials.Planned)
	for _, n := range []struct {
		count int32
		word  string
	}{{h.Trials.Failed, "failed"}, {h.Trials.Invalid, "invalid"}, {h.Trials.Disturbed, "disturbed"}} {
		if n.count > 0 {
			trials += fmt.Sprintf(", %d %s", n.count, n.word)
		}
	}
	phase := h.Phase
	if phase == "" {
		phase = "Pending"
	}
	about := map[string]string{
		"Running": "", "Failed": "failed, ", "Invalid": "not valid, ", "GateFailed": "gate failed, ", "Inconclusive": "gate inconclusive, ", "Passed": "",
	}[h.Outcome]
	return contract.Line(fmt.Sprintf("%s (%s): %s%s", phase, trials, about, h.Message))
}

// rowsOf measurements for people. Columns that would be empty are left out.
func rowsOf(ms []output.Measurement) [][]string {
	placed := slices.ContainsFunc(ms, func(m output.Measurement) bool { return len(m.Where) > 0 })
	row := func(name, where string, rest ...string) []string {
		if !placed {
			return append([]string{name}, rest...)
		}
		return append([]string{name, where}, rest...)
	}
	rows := [][]string{row("MEASUREMENT", "WHERE", "TARGET", "MEDIAN", "UNIT", "INTERVAL", "TRIALS")}
	for _, m := range ms {
		trials := fmt.Sprintf("%d of %d", m.Trials, m.PlannedTrials)
		if m.Quoted != "" {
			trials = ""
		}
		rows = append(rows, row(m.Name, PlaceOf(m.Where), m.Target, m.Median, m.Unit, intervalOf(m), trials))
	}
	return rows
}

// intervalOf the median; of few trials it is all that they have, and of a quoted number its source.
func intervalOf(m output.Measurement) string {
	switch {
	case m.Factor != "":
		return m.Factor + ", quoted: " + m.Quoted
	case m.Quoted != "":
		return "quoted: " + m.Quoted
	case m.IntervalLow != "":
		text := m.IntervalLow + " to " + m.IntervalHigh
		if level := analysis.Level(m.IntervalCoverage); level != "" {
			text += " (" + level + ")"
		}
		return text
	case m.Min != "":
		return m.Min + " to " + m.Max + " (all)"
	}
	return ""
}
