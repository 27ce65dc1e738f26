package export

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
)

// mostRows of a table are written: a page with more is not read, and GitHub does not render it.
const mostRows = 500

// ReadoutOf what a run has stored: every number of it.
func ReadoutOf(run *stored.Run) readout.Run {
	return readout.Of(readout.Input{
		Run: run.Object, Summary: run.Summary.Entries, Comparisons: run.Summary.Comparisons, Sweeps: run.Summary.Sweeps, Searches: run.Summary.Searches, Records: run.Records, View: readout.View{Name: readout.All},
	})
}

// Markdown writes the answer, the comparisons with what else differs, the medians and quoted numbers, what they do not say
// and what to do next. Neither plan nor records of the run are needed; without records the findings are those of the status. It is the format "markdown", without the others: a program that
// needs no other does not get their libraries.
func Markdown(out io.Writer, run *stored.Run) error {
	doc := ReadoutOf(run)
	text := fmt.Sprintf("# %s\n", cellOf(doc.Namespace+"/"+doc.Name))
	for _, s := range doc.Answer {
		word := ""
		if s.Word != "" {
			word = "**" + cellOf(s.Word) + "** "
		}
		text += "\n" + word + cellOf(s.Text) + "\n"
	}
	measured := slices.DeleteFunc(slices.Clone(doc.Measurements), func(m readout.Measurement) bool { return m.Quoted != "" })
	notes := readout.NotesOf(measured)
	text += table("Comparisons", methodOf(run)+" "+readout.RatioLegend, []string{"Verdict", "Effect", "Interval", "Level", "p by itself", "Adjusted p", "Blocks", "Better", "Comparison", "Family", "Why, and what limits it"}, comparisonRows(doc))
	for _, pair := range doc.Differences {
		text += table("What else differs", "", []string{"Setting or fact", pair.Value, pair.Baseline, "May favour", "Meaning"}, differenceRows(pair))
	}
	text += table("Sweeps", "In brackets is the interval of the knee, and of a peak the loads that none was shown to exceed.", []string{"Sweep", "Confidence"}, sweepRows(run))
	text += table("Searches", readout.SearchLegend+".", []string{"Target", "Cell", "Block", "Outcome", "Held", "Failed", "Trials", "Why"}, searchRows(doc))
	text += table("Medians", "Of the trials that count. "+readout.MedianLegend, []string{"Target", "Where", "Measurement", "Median", "Interval", "Level", "Min", "Max", "Unit", "Better", "Trials", "Notes"}, medianRows(measured, notes))
	text += list("Notes", notes.Legend)
	text += table("Quoted numbers: somebody else measured them", "", []string{"Target", "Stage", "Measurement", "Value", "Unit", "Source"}, quotedRows(run))
	text += findings(run)
	text += list("What this does not say", doc.Lacks) + list("What to do next", doc.Next)
	_, err := io.WriteString(out, text)
	return err
}

// list of lines below a heading; empty without lines.
func list(heading string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	text := "\n## " + heading + "\n\n"
	for _, line := range lines {
		text += "- " + cellOf(line) + "\n"
	}
	return text
}

func comparisonRows(doc readout.Run) (rows [][]string) {
	for _, v := range readout.InOneForm(doc.Verdicts) {
		p, adjusted := v.Ps()
		rows = append(rows, []string{
			v.Label(), v.Effect, v.Interval, figure.Level(v.IntervalConfidence), p, adjusted, fmt.Sprintf("%d of %d", v.Blocks, v.PlannedBlocks), readout.Better(v.Direction), v.Subject, v.Family, strings.Join(v.Rest(), "; "),
		})
	}
	return rows
}

func differenceRows(pair readout.Differences) (rows [][]string) {
	for _, d := range pair.Differences {
		rows = append(rows, []string{d.Name, d.Value, d.Baseline, pair.Favours(d), d.Meaning})
	}
	return rows
}

func sweepRows(run *stored.Run) (rows [][]string) {
	for _, s := range run.Summary.Sweeps {
		rows = append(rows, []string{readout.SweepText(s), figure.Level(s.KneeConfidence)})
	}
	return rows
}

func searchRows(doc readout.Run) (rows [][]string) {
	for _, s := range doc.Searches {
		held, failed := s.Rates()
		rows = append(rows, []string{s.Target, strings.TrimPrefix(readout.PlaceOf(s.Where), "-"), strconv.Itoa(int(s.Block)), s.Outcome, held, failed, strconv.Itoa(int(s.Trials)), s.Reason})
	}
	return rows
}

func medianRows(all []readout.Measurement, notes readout.Notes) (rows [][]string) {
	for i, m := range all {
		median, interval := m.Figures()
		if m.IntervalLow == "" {
			interval = "" // the columns behind it have the range
		}
		_, low, high := figure.Measured(m.Median, m.Min, m.Max)
		rows = append(rows, []string{
			m.Target, strings.TrimPrefix(readout.PlaceOf(m.Where), "-"), m.Name, median, interval, figure.Level(m.IntervalCoverage), low, high, m.Unit, readout.Better(m.Direction),
			fmt.Sprintf("%d of %d", m.Trials, m.PlannedTrials), notes.Of[i],
		})
	}
	return rows
}

// methodOf the comparisons of a run.
func methodOf(run *stored.Run) string {
	if run.Plan != nil {
		return readout.Method(run.Plan.Order)
	}
	return readout.Method(run.Object.Spec.Design.Order)
}

func quotedRows(run *stored.Run) (rows [][]string) {
	for _, q := range run.Quoted {
		for _, p := range q.Phases {
			for _, m := range p.Measurements {
				if m.Value != nil {
					rows = append(rows, []string{q.Target, p.Phase, labelled(m.Name, m.Labels), figure.Number(*m.Value), m.Unit, q.Source})
				}
			}
		}
	}
	return rows
}

// findings of a run with its notes, those of one kind in a row with the message of the first one.
func findings(run *stored.Run) string {
	var rows [][]string
	all, last := readout.FindingsOf(run.Object, run.Records)
	for _, f := range all {
		trial := ""
		if f.Trial != nil {
			trial = strconv.Itoa(int(*f.Trial))
		}
		rows = append(rows, []string{f.Severity, strconv.Itoa(int(f.Count)), f.Check, trial, f.Target, f.Message})
	}
	return table("Findings"+readout.OfTheLast(last), "", []string{"Severity", "Times", "Check", "Trial", "Target", "Message"}, rows)
}

// table with a heading, and with what its numbers are below it; empty without rows. A column that is empty in each row
// is left out.
func table(heading, legend string, columns []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	more := ""
	if n := len(rows) - mostRows; n > 0 {
		rows, more = rows[:mostRows], fmt.Sprintf("\n%d more rows are left out: the long table (csv) has all values.\n", n)
	}
	var keep []int
	for i := range columns {
		if slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "" }) {
			keep = append(keep, i)
		}
	}
	var text strings.Builder
	line := func(cells []string) {
		for _, i := range keep {
			text.WriteString("| " + cellOf(cells[i]) + " ")
		}
		text.WriteString("|\n")
	}
	text.WriteString("\n## " + heading + "\n\n")
	line(columns)
	text.WriteString(strings.Repeat("| --- ", len(keep)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	if legend != "" {
		text.WriteString("\n" + cellOf(legend) + "\n")
	}
	return text.String() + more
}

// marks are what Markdown or HTML would take for their own.
var marks = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "@", "&#64;", "!", `\!`)

// cellOf a table: text of tenants as it is, in one line.
func cellOf(text string) string { return marks.Replace(contract.Line(text)) }
