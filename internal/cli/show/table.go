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
	doc := output.Run{
		Version: output.RunVersion, RunHead: HeadOf(run), Planned: plannedOf(run), Targets: targetsOf(run),
		Measurements: Measurements(run, view), Comparisons: []output.Comparison{},
	}
	if doc.Measurements == nil {
		doc.Measurements = []output.Measurement{}
	}
	for _, c := range st.Comparisons {
		if c.Family == v1alpha1.FamilyExploratory || !view.has(c.Name) {
			continue
		}
		doc.Comparisons = append(doc.Comparisons, output.Comparison{
			Family: string(c.Family), Verdict: string(c.Verdict), Text: c.Text, Blocks: c.BlockCount, PlannedBlocks: c.PlannedBlockCount, IntervalConfidence: c.IntervalConfidence,
		})
	}
	for _, s := range st.Sweeps {
		if view.has(s.Name) {
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

// Tell people of a run: what became of it, its servers and numbers, what these show, and what is against them.
func Tell(out io.Writer, doc output.Run, width int) error {
	text := fmt.Sprintf("%s/%s: %s\n", doc.Namespace, doc.Name, sentence(doc.RunHead))
	if doc.Planned != "" {
		text += "planned: " + contract.Line(doc.Planned) + "\n"
	}
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	notes := notesOf(doc.Measurements)
	for _, rows := range [][][]string{targetRows(doc.Targets), rowsOf(doc.Measurements, notes)} {
		if len(rows) < 2 {
			continue
		}
		if _, err := io.WriteString(out, "\n"); err != nil {
			return err
		}
		if err := output.Rows(out, width, rows); err != nil {
			return err
		}
	}
	text = ""
	if doc.MoreMeasurements > 0 {
		text += fmt.Sprintf("and %d more numbers in the ConfigMaps of the summary\n", doc.MoreMeasurements)
	}
	text += section("* notes:", notes.legend, 0, "")
	text += section("sweeps:", doc.Sweeps, doc.MoreSweeps, "the ConfigMaps of the summary")
	text += section("comparisons that were declared before the data:", comparisonsOf(doc.Comparisons), doc.MoreComparisons, "the ConfigMaps of the summary")
	findings := findingsOf(doc.Findings)
	shown := findings[:min(len(findings), mostFindings)]
	text += section("against the numbers:", shown, int32(len(findings)-len(shown)), "status.findings")
	if doc.Report != "" {
		text += "\nreport: " + contract.Line(doc.Report) + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

// section of lines below a title; empty without lines. More of them are said to be elsewhere.
func section(title string, lines []string, more int32, where string) string {
	if len(lines) == 0 {
		return ""
	}
	text := "\n" + title + "\n"
	for _, line := range lines {
		text += "  " + contract.Line(line) + "\n"
	}
	if more > 0 {
		text += fmt.Sprintf("  and %d more in %s\n", more, where)
	}
	return text
}

func comparisonsOf(all []output.Comparison) (lines []string) {
	for _, c := range all {
		about := fmt.Sprintf("%s, %d of %d blocks", strings.ToLower(c.Verdict), c.Blocks, c.PlannedBlocks)
		if level := analysis.Level(c.IntervalConfidence); level != "" {
			about += ", interval at " + level
		}
		if c.Family == string(v1alpha1.FamilyControl) {
			about += ", control"
		}
		lines = append(lines, about+": "+c.Text)
	}
	return lines
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
		"Running": "", "Failed": "failed, ", "Invalid": "not valid, ", "GateFailed": "gate failed, ", "Inconclusive": "gate inconclusive, ", "Passed": "", "Valid": "",
	}[h.Outcome]
	return contract.Line(fmt.Sprintf("%s (%s): %s%s", phase, trials, about, h.Message))
}

// rowsOf measurements for people. Columns that would be empty are left out.
func rowsOf(ms []output.Measurement, notes notes) [][]string {
	placed := slices.ContainsFunc(ms, func(m output.Measurement) bool { return len(m.Where) > 0 })
	row := func(name, where string, rest ...string) []string {
		out := []string{name}
		if placed {
			out = append(out, where)
		}
		if len(notes.legend) == 0 {
			rest = rest[:len(rest)-1]
		}
		return append(out, rest...)
	}
	rows := [][]string{row("MEASUREMENT", "WHERE", "TARGET", "MEDIAN", "UNIT", "INTERVAL", "TRIALS", "NOTES")}
	for i, m := range ms {
		trials := fmt.Sprintf("%d of %d", m.Trials, m.PlannedTrials)
		if m.Quoted != "" {
			trials = ""
		}
		median, said := output.Figure(m.Median), notes.of[i]
		if said != "" {
			median = strings.TrimSpace(median + " *")
		}
		rows = append(rows, row(m.Name, PlaceOf(m.Where), m.Target, median, m.Unit, intervalOf(m), trials, said))
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
		text := output.Figure(m.IntervalLow) + " to " + output.Figure(m.IntervalHigh)
		if level := analysis.Level(m.IntervalCoverage); level != "" {
			text += " (" + level + ")"
		}
		return text
	case m.Min != "":
		return output.Figure(m.Min) + " to " + output.Figure(m.Max) + " (all)"
	}
	return ""
}
