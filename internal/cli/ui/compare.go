package ui

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/report/chart"
	"github.com/assay-bench/assay/internal/stored"
)

const (
	// mostCompared runs are compared with each other on a page.
	mostCompared = 2
	// mostBars are drawn of a comparison.
	mostBars = 40
	// mostNotes are shown of what the verification says, in bytes.
	mostNotes = 16 << 10
)

// comparePage is the choice of two runs, and what is said of them.
type comparePage struct {
	Namespace string
	// First and Second run that are chosen, as namespace/name. Known are the runs to choose from.
	First, Second string
	Known         []string
	// Problem in place of a result.
	Problem  *problem
	Verdict  string
	Figure   *figure
	Table    *table
	Chapters []linesOf
	// Notes are what the verification says.
	Notes string
}

type linesOf struct {
	Title string
	Lines []string
}

// compare two runs: the first one is what the second one is compared with.
func (s *site) compare(ctx context.Context, r *http.Request) (page, error) {
	namespace, err := s.namespaceOf(r)
	if err != nil {
		return page{}, err
	}
	body := comparePage{Namespace: namespace}
	heads, _, err := s.heads(ctx, namespace)
	if err != nil { // runs that may be read may be compared, whether they may be listed or not
		_, words := problemOf(err)
		body.Problem = &words
	}
	for _, h := range heads {
		if h.Ended != nil && len(body.Known) < mostRows {
			body.Known = append(body.Known, h.Namespace+"/"+h.Name)
		}
	}
	var runs []stored.Source
	for i, text := range r.URL.Query()["run"] {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		in, name, has := strings.Cut(text, "/")
		if !has {
			in, name = namespace, text
		}
		id, err := keyFrom(in, name)
		if err != nil || i >= mostCompared {
			return page{}, refusal{http.StatusBadRequest, "Two runs are compared, each as NAMESPACE/NAME."}
		}
		runs = append(runs, stored.InCluster(s.api, id))
		if body.First == "" && i == 0 {
			body.First = id.String()
		} else {
			body.Second = id.String()
		}
	}
	p := page{Template: "compare", Title: "Compare two runs", At: "compare", Namespace: namespace}
	if len(runs) == mostCompared {
		if err := s.tell(ctx, &body, runs); err != nil {
			return page{}, err
		}
	}
	p.Body = body
	return p, nil
}

// tell what the command `compare` says of runs.
func (s *site) tell(ctx context.Context, body *comparePage, runs []stored.Source) error {
	var notes bytes.Buffer
	result, caveats, err := s.read.Compare(ctx, runs, &notes)
	body.Notes = contract.Clean(contract.Cut(notes.String(), mostNotes))
	body.Problem = nil
	if err != nil {
		_, words := problemOf(err)
		if errors.Is(err, exit.ErrDiffers) {
			words = problem{Text: "Nothing is compared: a run is not what it has stored. What the verification says names it."}
		}
		body.Problem = &words
		return nil
	}
	if body.Verdict = cut(result.Verdict); len(caveats) > 0 {
		body.Verdict = cut("Not every run can be relied on (see the caveats): " + result.Verdict)
	}
	for _, part := range []linesOf{{"Caveats", caveats}, {"Compared", result.Compared}, {"Between the runs", result.Between}, {"What varies, and what to repeat", variations(result)},
		{"Where the numbers come from", []string{result.Method(), analysis.RatioLegend}}} {
		if len(part.Lines) == 0 {
			continue
		}
		for i := range part.Lines {
			part.Lines[i] = cut(part.Lines[i])
		}
		part.Lines = part.Lines[:min(len(part.Lines), mostRows)]
		body.Chapters = append(body.Chapters, part)
	}
	body.Table = tableOfComparisons(result)
	if body.Figure, err = forest(result); err == nil && body.Figure != nil {
		body.Figure.Behind, body.Table = body.Table, nil
	}
	return err
}

func variations(result analysis.RunsResult) (out []string) {
	for _, c := range result.Comparisons {
		if c.Variation != nil {
			out = append(out, analysis.Subject(c.ComparisonEntry)+": "+c.Variation.Text)
		}
	}
	return out
}

func tableOfComparisons(result analysis.RunsResult) *table {
	t := &table{Caption: "Comparisons with their verdicts", Head: []column{{Name: "Comparison"}, {Name: "Verdict"}, {"Ratio", true}, {"Interval", true}, {"p by itself", true}, {"Adjusted p", true}, {"Blocks", true}}}
	for _, c := range result.Comparisons[:min(len(result.Comparisons), mostRows)] {
		interval := "–"
		if c.IntervalLow != "" {
			interval = ratioOf(c.IntervalLow) + " to " + ratioOf(c.IntervalHigh)
		}
		below := string(c.Family)
		if len(c.Ratios) > 0 {
			below += "; ratios of the runs: " + strings.Join(c.Ratios, ", ")
		}
		t.Rows = append(t.Rows, []cell{
			{Text: cut(nameOf(c)), Below: cut(below), Heading: true}, {Text: cut(string(c.Verdict))},
			{Text: ratioOf(c.Ratio), Number: true}, {Text: interval, Below: analysis.Level(c.IntervalConfidence), Number: true}, {Text: cut(cmp.Or(c.P, "–")), Number: true}, {Text: cut(cmp.Or(c.AdjustedP, "–")), Number: true}, {Text: fmt.Sprintf("%d of %d", c.BlockCount, c.PlannedBlockCount), Number: true},
		})
	}
	return t
}

// ratioOf a decimal number, as figureOf, and with more digits where that would hide on which side of 1 it is.
func ratioOf(text string) string {
	shown := figureOf(text)
	if v, err := strconv.ParseFloat(text, 64); err == nil && shown == "1" && v != 1 {
		return analysis.Factor(v)
	}
	return shown
}

// nameOf a comparison, with its measurement: the subject names every one but the throughput.
func nameOf(c analysis.RunsComparison) string {
	subject := analysis.Subject(c.ComparisonEntry)
	if c.Name != contract.NameThroughput {
		return subject
	}
	return c.Name + ", " + subject
}

// forest has a row for each comparison, over the ratio.
func forest(result analysis.RunsResult) (*figure, error) {
	var rows []chart.Row
	for _, c := range result.Comparisons {
		ratio, ok := positive(c.Ratio)
		if !ok || len(rows) == mostBars {
			continue
		}
		row := chart.Row{Label: cut(nameOf(c)), Mid: &ratio, Note: chart.Figure(ratio) + "x", Title: cut(c.Text)}
		if c.Verdict == v1alpha1.VerdictInconclusive || c.Verdict == v1alpha1.VerdictExploratory {
			row.Series = 1
		}
		low, has := positive(c.IntervalLow)
		high, also := positive(c.IntervalHigh)
		if has && also {
			row.Low, row.High = &low, &high
		}
		rows = append(rows, row)
	}
	one := 1.0
	f := figure{ID: "ratios", Caption: "Ratios to the baseline, with their intervals", Note: "The dashed line is no difference. The axis is logarithmic."}
	return f.draw(chart.Rows{Label: f.Caption + ". The table behind it has the numbers.", Unit: "ratio to the baseline", Rows: rows, Log: true, Reference: &one}, []string{"with a verdict", "without a verdict"})
}

// positive is a decimal number above 0.
func positive(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && v > 0
}
