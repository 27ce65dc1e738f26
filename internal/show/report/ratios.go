package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

// Basis is what comparisons have in common.
type Basis struct {
	// MinimumEffect is a share; 0 is not drawn.
	MinimumEffect float64
	// Method says where the ratios come from; empty where that was said before.
	Method string
}

// basisOf the comparisons of a run.
func basisOf(in Input) Basis {
	order := in.Run.Spec.Design.Order
	if in.Plan != nil {
		order = in.Plan.Order
	}
	return Basis{readout.MinimumEffect(in.Run), readout.Method(order)}
}

// ratioBlocks are comparisons as pictures with a row for each, and as a table.
func ratioBlocks(all []readout.Verdict, by Basis) (out []block) {
	if len(all) == 0 {
		return nil
	}
	all = readout.InOneForm(all)
	drawn, strokes := 0, 0
	for _, direction := range []contract.Direction{contract.HigherIsBetter, contract.LowerIsBetter, ""} {
		if f, rows, intervals := forest(direction, all, by.MinimumEffect); f != nil {
			drawn, strokes, out = drawn+rows, strokes+intervals, append(out, block{Picture: f})
		}
	}
	t := &table{Caption: "Comparisons with their verdicts", Folded: len(out) > 0, Head: []column{{"comparison", false}, {"verdict", false}, {"ratio", true}, {"interval", true}, {"p by itself", true}, {"adjusted p", true}, {"blocks", true}}}
	for _, v := range all {
		p, adjusted := v.Ps()
		t.Rows = append(t.Rows, []cell{{Text: v.Subject, Heading: true, Below: []string{strings.Join(v.Rest(), "; ")}}, {Text: verdictOf(v), Strong: !v.Undecided()},
			{Text: orDash(v.Effect)}, {Text: orDash(v.Interval), Below: []string{figure.Level(v.IntervalConfidence)}}, {Text: orDash(p)}, {Text: orDash(adjusted)},
			{Text: readout.BlocksOf(v.Blocks, v.PlannedBlocks)}})
	}
	if drawn > 0 {
		out = append(out, block{Text: by.legend(drawn, strokes, len(all)), Note: true})
	}
	if out = append(out, block{Table: t}); by.Method != "" {
		out = append(out, block{Text: by.Method + " " + readout.RatioLegend, Note: true})
	}
	return out
}

// legend of the pictures of so many comparisons.
func (b Basis) legend(drawn, strokes, all int) string {
	text := "The dashed line is no difference. The axis is logarithmic: half and double are equally far from it."
	if b.MinimumEffect > 0 {
		text += fmt.Sprintf(" The band around it is the minimum effect of %s: a smaller difference does not matter.", figure.Share(b.MinimumEffect))
	}
	if strokes > 0 {
		text += " A stroke is an interval: one that crosses the line shows no difference."
	}
	if strokes < drawn {
		text += " A row without a stroke has no interval: too few blocks count."
	}
	if drawn < all {
		text += fmt.Sprintf(" %d of %d comparisons are drawn.", drawn, all)
	}
	return text
}

func verdictOf(v readout.Verdict) string {
	if v.BelowMinimumEffect {
		return v.Label() + ", less than the minimum effect"
	}
	return v.Label()
}

// orDash is a dash for what is not known.
func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// sides of a picture of ratios, by what is better.
var sides = map[contract.Direction]struct{ name, axis, note string }{
	contract.HigherIsBetter: {"Higher is better", "better →", ""},
	contract.LowerIsBetter:  {"Lower is better", "lower is better →", "The axis is turned: the smaller ratio is at the right, which is the better side."},
	"":                      {"Neither is better", "more →", ""},
}

// forest is one row for each comparison of a direction, over the ratio, with the numbers of rows and of intervals; nil where none has one.
func forest(direction contract.Direction, all []readout.Verdict, effect float64) (f *picture, rows, intervals int) {
	all = slices.DeleteFunc(slices.Clone(all), func(v readout.Verdict) bool { return v.Direction != string(direction) || v.Effect == "" })
	if len(all) == 0 {
		return nil, 0, 0
	}
	one := 1.0
	c := chart.Rows{Log: true, Reference: &one, Turned: direction == contract.LowerIsBetter, Differences: !slices.ContainsFunc(all, readout.Verdict.IsFactor)}
	all = all[:min(len(all), maxMarks)]
	unlike := slices.ContainsFunc(all, func(v readout.Verdict) bool { return len(v.Unlike) > 0 })
	for _, v := range all {
		ratio, _ := figure.Decimal(v.Ratio)
		row := chart.Row{Label: v.Subject, Word: v.Word(), Note: figure.Effect{Ratio: v.Effect, Interval: v.Interval}.String(), Mid: &ratio, Title: line(v.Text)}
		if unlike { // on a phone both sides do not fit in one line
			row.Group, row.Label = "against "+v.Against(), v.Compared()
		}
		if row.Series = decided; v.Undecided() {
			row.Series = undecided
		}
		if v.Interval != "" {
			low, _ := figure.Decimal(v.IntervalLow)
			high, _ := figure.Decimal(v.IntervalHigh)
			row.Low, row.High = &low, &high
			if level := figure.Level(v.IntervalConfidence); level != "" {
				row.Title = line(row.Title + "; " + level + " interval")
			}
			intervals++
		}
		c.Rows = append(c.Rows, row)
	}
	side := sides[direction]
	c.Unit = "ratio to the baseline, " + side.axis
	if c.Differences {
		c.Unit = "difference to the baseline, " + side.axis
	}
	if effect > 0 {
		c.Band = &chart.Span{From: 1 / (1 + effect), To: 1 + effect}
	}
	f = &picture{Caption: side.name + ": ratios to the baseline", Note: side.note}
	c.Label = f.Caption + ". The table with it has the numbers."
	f.draw = c.SVG
	return f, len(c.Rows), intervals
}

// Colours of comparisons: those of the tones of their verdicts.
const decided, undecided = 2, 4
