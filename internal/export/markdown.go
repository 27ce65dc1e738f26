package export

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/stored"
)

// mostRows of a table are written: a page with more is not read, and GitHub does not render it.
const mostRows = 500

// Markdown writes the tables of a run, for which neither its plan nor its records are needed. It is the format "markdown",
// without the others: a program that needs no other does not get their libraries.
func Markdown(out io.Writer, run *stored.Run) error {
	if err := writeMarkdown(out, run); err != nil {
		return fmt.Errorf("writing the tables of %s: %w", run, err)
	}
	return nil
}

// writeMarkdown writes what became of the run, its comparisons, its medians and quoted numbers.
func writeMarkdown(out io.Writer, run *stored.Run) error {
	o := run.Object
	text := fmt.Sprintf("# %s\n\n%s\n", cellOf(o.Namespace+"/"+o.Name), cellOf(sentence(o)))
	if bad := Caveats(run); len(bad) > 1 { // the sentence has the first one
		text += "\n" + cellOf("And "+strings.Join(bad[1:], "; ")+".") + "\n"
	}
	if o.Status.Headline != "" {
		text += "\n" + cellOf(o.Status.Headline) + "\n"
	}
	text += table("Comparisons", methodOf(run)+" "+analysis.RatioLegend, []string{"Family", "Comparison", "Verdict", "Ratio", "Interval", "Confidence", "p by itself", "Adjusted p", "Blocks"}, comparisonRows(run))
	text += table("Sweeps", "In brackets is the interval of the knee, and of a peak the loads that none was shown to exceed.", []string{"Sweep", "Confidence"}, sweepRows(run))
	text += table("Medians", "Of the trials that count. "+analysis.MedianLegend, []string{"Target", "Cell", "Measurement", "Median", "Interval", "Coverage", "Min", "Max", "Unit", "Better", "Trials", "Left out", "Caveat"}, medianRows(run))
	text += table("Quoted numbers: somebody else measured them", "", []string{"Target", "Stage", "Measurement", "Value", "Unit", "Source"}, quotedRows(run))
	text += table("Findings", "", []string{"Severity", "Check", "Trial", "Target", "Message"}, findingRows(o))
	_, err := io.WriteString(out, text)
	return err
}

// sentence says what became of a run, the worst first.
func sentence(o *v1alpha1.BenchmarkRun) string {
	for _, bad := range []struct {
		condition string
		status    metav1.ConditionStatus
		text      string
	}{
		{v1alpha1.ConditionFailed, metav1.ConditionTrue, "The run has failed"},
		{v1alpha1.ConditionValid, metav1.ConditionFalse, "The run is not valid"},
		{v1alpha1.ConditionPassed, metav1.ConditionFalse, "The gate has failed"},
	} {
		if c := apimeta.FindStatusCondition(o.Status.Conditions, bad.condition); c != nil && c.Status == bad.status {
			return fmt.Sprintf("%s (%s): %s", bad.text, c.Reason, c.Message)
		}
	}
	switch {
	case !o.Finished():
		return "The run has not ended."
	case undecided(o) != "":
		return "Whether " + undecided(o)
	case o.Status.Verdict == "":
		return "The run compares nothing."
	}
	return o.Status.Verdict
}

func comparisonRows(run *stored.Run) (rows [][]string) {
	for _, c := range run.Summary.Comparisons {
		rows = append(rows, []string{
			string(c.Family), c.Text, string(c.Verdict), c.Ratio, between(c.IntervalLow, c.IntervalHigh), analysis.Level(c.IntervalConfidence), c.P, c.AdjustedP, fmt.Sprintf("%d of %d", c.BlockCount, c.PlannedBlockCount),
		})
	}
	return rows
}

func sweepRows(run *stored.Run) (rows [][]string) {
	for _, s := range run.Summary.Sweeps {
		rows = append(rows, []string{s.Text, analysis.Level(s.KneeConfidence)})
	}
	return rows
}

// betters are the directions for people.
var betters = map[string]string{string(contract.HigherIsBetter): "higher", string(contract.LowerIsBetter): "lower"}

func medianRows(run *stored.Run) (rows [][]string) {
	for _, e := range run.Summary.Entries {
		rows = append(rows, []string{
			e.Target, parametersOf(e), labelled(e.Name, e.Labels), short(e.Median), between(short(e.IntervalLow), short(e.IntervalHigh)), analysis.Level(e.IntervalCoverage), short(e.Min), short(e.Max), e.Unit, betters[e.Direction],
			fmt.Sprintf("%d of %d", e.TrialCount, e.PlannedTrialCount), leftOutOf(e), e.Caveat,
		})
	}
	return rows
}

// leftOutOf an entry: why trials do not count, such as "1 Disturbed, 1 BlockDisturbed".
func leftOutOf(e v1alpha1.SummaryEntry) string {
	words := make([]string, 0, len(e.LeftOut))
	for _, l := range e.LeftOut {
		words = append(words, fmt.Sprintf("%d %s", l.TrialCount, l.Reason))
	}
	return strings.Join(words, ", ")
}

// methodOf the comparisons of a run.
func methodOf(run *stored.Run) string {
	if run.Plan != nil {
		return analysis.Method(run.Plan.Order)
	}
	return analysis.Method(run.Object.Spec.Design.Order)
}

// short is a number with five digits, and what is no number as it is.
func short(text string) string {
	v, ok := number(text)
	if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
		return text
	}
	if math.Abs(v) >= 1e5 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// parametersOf the cell of an entry.
func parametersOf(e v1alpha1.SummaryEntry) string {
	words := make([]string, 0, len(e.Parameters))
	for axis, value := range e.Parameters {
		words = append(words, axis+"="+value.String())
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func quotedRows(run *stored.Run) (rows [][]string) {
	for _, q := range run.Quoted {
		for _, p := range q.Phases {
			for _, m := range p.Measurements {
				if m.Value != nil {
					rows = append(rows, []string{q.Target, p.Phase, labelled(m.Name, m.Labels), decimal(m.Value), m.Unit, q.Source})
				}
			}
		}
	}
	return rows
}

func findingRows(o *v1alpha1.BenchmarkRun) (rows [][]string) {
	for _, f := range o.Status.Findings {
		trial := ""
		if f.Trial != nil {
			trial = strconv.Itoa(int(*f.Trial))
		}
		rows = append(rows, []string{string(f.Severity), f.Check, trial, f.Target, f.Message})
	}
	return rows
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
	keep := slices.DeleteFunc(indexes(columns), func(i int) bool {
		return !slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "" })
	})
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

func indexes(columns []string) []int {
	out := make([]int, len(columns))
	for i := range out {
		out[i] = i
	}
	return out
}

// marks are what Markdown or HTML would take for their own.
var marks = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "@", "&#64;", "!", `\!`)

// cellOf a table: text of tenants as it is, in one line.
func cellOf(text string) string { return marks.Replace(contract.Line(text)) }

func between(low, high string) string {
	if low == "" || high == "" {
		return ""
	}
	return low + " to " + high
}
