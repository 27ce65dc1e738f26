package show

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

// Tell people of a run: the answer, its servers and numbers, the verdicts, what they do not say, and the answer once more, where a
// terminal ends. All is every row; without it comparisons that were not declared are counted.
func Tell(out io.Writer, doc readout.Run, all bool) error {
	page := output.NewPage(out)
	tell(page, doc, all)
	return page.Flush()
}

func tell(p *output.Page, doc readout.Run, all bool) {
	answer(p, doc)
	if t := doc.Trials; t.Planned > 0 {
		p.Line(fmt.Sprintf("%d of %d trials%s", t.Done, t.Planned, NotCounted(t)))
	}
	table(p, targetRows(doc.Targets))
	for _, t := range doc.Targets {
		if t.Snapshot != nil {
			p.Line(t.Snapshot.Text)
		}
	}
	notes := readout.NotesOf(doc.Measurements)
	table(p, rowsOf(doc.Measurements, notes))
	if doc.MoreMeasurements > 0 {
		p.Line(fmt.Sprintf("and %d more numbers in the ConfigMaps of the summary", doc.MoreMeasurements))
	}
	p.Section("* notes:", notes.Legend...)
	p.Section("sweeps:", more(doc.Sweeps, doc.MoreSweeps, "the ConfigMaps of the summary")...)
	var searches []string
	for _, s := range doc.Searches {
		searches = append(searches, s.Text)
	}
	p.Section("searches, in operations per second of each client:", more(searches, doc.MoreSearches, "the ConfigMaps of the summary")...)
	comparisons(p, doc, all)
	for _, pair := range doc.Differences {
		differences(p, pair)
	}
	heading, findings := doc.Against()
	shown := findings[:min(len(findings), mostFindings)]
	p.Section(heading+":", more(shown, int32(len(findings)-len(shown)), "the report")...)
	p.Section("what this does not say:", doc.Lacks...)
	p.Section("what to do next:", doc.Next...)
	if doc.Report != "" {
		p.Section("report:", doc.Report)
	}
	if doc.Kind != readout.Going {
		p.Blank()
		answer(p, doc)
	}
}

// mostFindings of a run are printed, those of one kind in one line; the report has all of them.
const mostFindings = 8

// answer of a run, with its name before the first statement.
func answer(p *output.Page, doc readout.Run) {
	for i, s := range doc.Answer {
		before := ""
		if i == 0 {
			before = contract.Line(doc.Namespace + "/" + doc.Name + ":")
		}
		p.Statement(before, s)
	}
}

// NotCounted says how many trials failed or do not count, each number after a comma; empty for none.
func NotCounted(t readout.Trials) (text string) {
	for _, n := range []struct {
		count int32
		word  string
	}{{t.Failed, "failed"}, {t.Invalid, "invalid"}, {t.Disturbed, "disturbed"}, {t.Retries, "retries"}} {
		if n.count > 0 {
			text += fmt.Sprintf(", %d %s", n.count, n.word)
		}
	}
	return text
}

func table(p *output.Page, rows [][]string) {
	if len(rows) > 1 {
		p.Blank()
		p.Rows(rows, nil)
	}
}

// more lines than those that are shown are somewhere else.
func more(lines []string, n int32, where string) []string {
	if n > 0 && len(lines) > 0 {
		return append(slices.Clone(lines), fmt.Sprintf("and %d more in %s", n, where))
	}
	return lines
}

// comparisons of a run: a row for each comparison, and below them why some are not decided.
func comparisons(p *output.Page, doc readout.Run, all bool) {
	var shown []readout.Verdict
	folded := 0
	for _, v := range doc.Verdicts {
		if v.Family == string(v1alpha1.FamilyExploratory) && !all {
			folded++
			continue
		}
		shown = append(shown, v)
	}
	var why []string
	if len(shown) > 0 {
		why = Verdicts(p, shown, nil)
	}
	if len(shown) == 0 && doc.MoreComparisons+int32(folded) > 0 {
		p.Blank()
	}
	if doc.MoreComparisons > 0 {
		p.Line(fmt.Sprintf("%s more in the ConfigMaps of the summary", figure.Counted(int(doc.MoreComparisons), "comparison")))
	}
	if folded > 0 {
		p.Line(figure.Counted(folded, "comparison") + " more that nobody declared: -m all shows them")
	}
	p.Section("why, and what limits them:", why...)
}

// Verdicts prints a row for each, with what else a column has, its head first; and returns why they are what they are.
func Verdicts(p *output.Page, all []readout.Verdict, column []string) (why []string) {
	all = readout.InOneForm(all)
	rows := [][]string{{"VERDICT", "EFFECT", "INTERVAL", "LEVEL", "P BY ITSELF", "ADJUSTED P", "BLOCKS", "BETTER", "COMPARISON"}}
	for _, v := range all {
		byItself, adjusted := v.Ps()
		rows = append(rows, []string{v.Label(), v.Effect, v.Interval, figure.Level(v.IntervalConfidence), byItself, adjusted, fmt.Sprintf("%d of %d", v.Blocks, v.PlannedBlocks), readout.Better(v.Direction), v.Subject})
		if rest := v.Rest(); len(rest) > 0 {
			why = append(why, v.Subject+": "+strings.Join(rest, "; "))
		}
	}
	for i, text := range column {
		rows[i] = slices.Insert(rows[i], len(rows[i])-1, text)
	}
	p.Blank()
	p.Rows(rows, func(row, column int) readout.Tone {
		if column > 0 {
			return ""
		}
		return all[row-1].Tone()
	})
	return why
}

// differences between two sides.
func differences(p *output.Page, pair readout.Differences) {
	rows := [][]string{{"DIFFERS IN", pair.Value, pair.Baseline, "MAY FAVOUR"}}
	for _, d := range pair.Differences {
		rows = append(rows, []string{d.Name, d.Value, d.Baseline, pair.Favours(d)})
	}
	table(p, rows)
}

// rowsOf measurements for people. Columns that would be empty are left out.
func rowsOf(ms []readout.Measurement, notes readout.Notes) [][]string {
	placed := slices.ContainsFunc(ms, func(m readout.Measurement) bool { return len(m.Where) > 0 })
	row := func(name, where string, rest ...string) []string {
		out := []string{name}
		if placed {
			out = append(out, where)
		}
		if len(notes.Legend) == 0 {
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
		median, interval := m.Figures()
		if level := figure.Level(m.IntervalCoverage); level != "" {
			interval += " (" + level + ")"
		}
		said := notes.Of[i]
		if said != "" {
			median = strings.TrimSpace(median + " *")
		}
		rows = append(rows, row(m.Name, readout.PlaceOf(m.Where), m.Target, median, m.Unit, interval, trials, said))
	}
	return rows
}

// targetRows for people: those that were measured here. Columns that would be empty are left out.
func targetRows(targets []readout.Target) [][]string {
	rows := [][]string{{"TARGET", "SERVER", "NODE", "LOAD (s)", "ROWS/s"}}
	for _, t := range targets {
		if t.Quoted == "" {
			rows = append(rows, []string{t.Name, t.Server, t.Node, loadFigure(t, contract.NameLoadTime), loadFigure(t, contract.NameRowRate)})
		}
	}
	for column := len(rows[0]) - 1; column > 0; column-- {
		if slices.ContainsFunc(rows[1:], func(row []string) bool { return row[column] != "" }) {
			continue
		}
		for i := range rows {
			rows[i] = slices.Delete(rows[i], column, column+1)
		}
	}
	if len(rows[0]) == 1 { // nothing is known of them yet
		return nil
	}
	return rows
}

// loadFigure of a target; empty where loading did not give it.
func loadFigure(t readout.Target, name string) string {
	for _, v := range t.Load {
		if v.Name == name && len(v.Labels) == 0 {
			return figure.Text(v.Value)
		}
	}
	return ""
}
