package readout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// Tone of a statement: how it is marked.
type Tone string

// Tones of statements.
const (
	// Bad: the run failed, is not valid, or its gate did not pass.
	Bad Tone = "bad"
	// Open: nothing is decided, or not yet.
	Open Tone = "open"
	// Good: decided, or the gate passed.
	Good Tone = "good"
	// Plain: numbers without a verdict.
	Plain Tone = "plain"
)

// Statement is one sentence of the answer.
type Statement struct {
	Tone Tone `json:"tone"`
	// Word that it begins with, in capitals, such as FASTER or GATE FAILED.
	Word string `json:"word"`
	// Text behind the word.
	Text string `json:"text"`
}

// String is the statement in one line.
func (s Statement) String() string { return strings.TrimSpace(s.Word + " " + s.Text) }

// became are the tone, the word and the first words of what became of a run. One that is sound shows it.
var became = map[Kind]Statement{
	Failed:        {Bad, "FAILED", ""},
	Invalid:       {Bad, "INVALID", "no number of this run can be relied on: "},
	GateFailed:    {Bad, "GATE FAILED", ""},
	GateNotJudged: {Open, "GATE NOT JUDGED", ""},
	Passed:        {Good, "GATE PASSED", ""},
}

// answer of a run: what became of it where that is bad, its gate, and what it shows. There is at least one statement.
func (r *Run) answer(run *v1alpha1.BenchmarkRun) (out []Statement) {
	s, told := became[r.Kind]
	if r.Kind == Going {
		s, told = Statement{Tone: Open, Word: strings.ToUpper(r.Outcome)}, true
		if t := r.Trials; t.Planned > 0 {
			s.Text = fmt.Sprintf("%d of %d trials; ", t.Done, t.Planned)
		}
	}
	if told {
		out = append(out, Statement{s.Tone, s.Word, contract.Line(s.Text + r.Message)})
	}
	out = append(out, r.shows(run)...)
	compared := len(r.Family(v1alpha1.FamilyPrimary)) + len(r.Family(v1alpha1.FamilyControl)) + len(r.Sweeps)
	if len(r.Searches) > 0 && r.Headline != "" {
		compared++
		out = append(out, Statement{Plain, "SEARCH", contract.Line(r.Headline)})
	}
	if len(out) == 0 || compared == 0 && r.Kind != Failed && r.Kind != Going && r.Headline != "" {
		out = append(out, Statement{Plain, "MEASURED", contract.Line(r.measured())})
	}
	return append(out, early(run)...)
}

// shows is what the comparisons, sweeps and controls of a run show.
func (r *Run) shows(run *v1alpha1.BenchmarkRun) (out []Statement) {
	says := func(tone Tone, word, text string) { out = append(out, Statement{tone, word, contract.Line(text)}) }
	if primary := r.Family(v1alpha1.FamilyPrimary); len(primary) > 0 {
		out = append(out, primary[0].statement())
		if r.Kind == Invalid {
			out[0].Tone = Plain // nobody takes it for shown
		}
		if len(primary) > 1 {
			says(Plain, "", remaining(primary[1:]))
		}
	}
	if len(r.Sweeps) > 0 {
		first, n := r.Sweeps[0], len(r.Sweeps)
		if stored := run.Status.Results; stored != nil {
			n = max(n, int(stored.SweepCount))
		}
		if n > 1 {
			first = fmt.Sprintf("1 of %d: %s", n, first)
		}
		says(Plain, WordSweep, first)
	}
	if text := resolution(r.Family(v1alpha1.FamilyControl), analysis.ErrorRate(run.Spec)); text != "" {
		says(Plain, "CONTROL", text)
	}
	if text := r.uncompared; text != "" {
		says(Open, "NO VERDICT", text)
	}
	return out
}

// early says after how many blocks a run stopped early; it is empty for any other.
func early(run *v1alpha1.BenchmarkRun) []Statement {
	n := stoppedAfter(run)
	if n == 0 {
		return nil
	}
	most := run.Spec.Design.BlockCount() + run.Spec.Design.ReserveBlocks
	all := BlocksOf(most, most)
	return []Statement{{Plain, "", fmt.Sprintf("stopped early, after %d of at most %s", n, all)}}
}

// statement of a comparison.
func (v Verdict) statement() Statement {
	return Statement{v.Tone(), v.Word(), strings.TrimPrefix(v.Text, v.Word()+" ")}
}

// remaining comparisons, how they ended.
func remaining(all []Verdict) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = v.Verdict
	}
	if len(all) == 1 {
		return "the other comparison: " + strings.ToLower(tally(words, label))
	}
	return fmt.Sprintf("the other %d comparisons: %s", len(all), strings.ToLower(tally(words, label)))
}

// measured is the headline; without one that there are medians, or that no trial counts.
func (r *Run) measured() string {
	if r.Headline != "" {
		return r.Headline
	}
	for _, m := range r.Measurements {
		if m.Median != "" && m.Quoted == "" {
			return "the medians below"
		}
	}
	return "nothing: no trial counts"
}

// stoppedAfter is the number of blocks of a run that stopped early; 0 for any other.
func stoppedAfter(run *v1alpha1.BenchmarkRun) int32 {
	if p := run.Status.Plan; p != nil && p.Analysis != nil && p.Analysis.StoppedAfterBlocks != nil {
		return *p.Analysis.StoppedAfterBlocks
	}
	return 0
}

// resolution of an experiment is the widest interval of its control in the first measurement; empty without a control. The error rate is
// that of each interval.
func resolution(controls []Verdict, errorRate float64) string {
	if len(controls) == 0 {
		return ""
	}
	low, high := "", ""
	lowest, highest := 1.0, 1.0
	differs := false
	for _, v := range controls {
		l, ok := figure.Decimal(v.IntervalLow)
		h, also := figure.Decimal(v.IntervalHigh)
		differs = differs || !v.Undecided() && v.Verdict != string(v1alpha1.VerdictEquivalent)
		if v.Name != controls[0].Name || !ok || !also {
			continue
		}
		if low == "" || l < lowest {
			low, lowest = v.IntervalLow, l
		}
		if high == "" || h > highest {
			high, highest = v.IntervalHigh, h
		}
	}
	if low == "" {
		return "no resolution: " + strings.Join(controls[0].Rest(), "; ")
	}
	first := controls[0]
	text := resolves(first.Ratio, low, high) + " (" + first.Evidence + ")"
	switch {
	case differs:
		return text + ", and the baseline differs from itself"
	case lowest > 1 || highest < 1:
		return text + fmt.Sprintf(", not around 0, as %s of sound controls are", figure.Share(errorRate))
	}
	return text
}

// Tone of a verdict: good for one that was decided.
func (v Verdict) Tone() Tone {
	if v.Undecided() {
		return Open
	}
	return Good
}

// Tone of what became of a run.
func (h RunHead) Tone() Tone {
	switch h.Kind {
	case Failed, Invalid, GateFailed:
		return Bad
	case Passed:
		return Good
	case Sound:
		if h.Verdict == "" {
			return Plain
		}
		if !slices.ContainsFunc(undecided, func(v v1alpha1.ComparisonVerdict) bool { return strings.Contains(h.Outcome, string(v)) }) {
			return Good
		}
	}
	return Open
}

// Shows is what a run shows, in a line of a list: its verdict, why it has none, or its medians.
func (h RunHead) Shows() string {
	switch {
	case h.Kind == Sound && h.Verdict == "" || h.Kind == Passed && h.Verdict == "":
		return h.Headline
	case h.Kind == Sound || h.Kind == Passed:
		return h.Verdict
	}
	return h.Message
}

// InterimText is why a run that decides after its blocks stops, or goes on.
func InterimText(l analysis.InterimResult) string {
	after := fmt.Sprintf("after %d of at most %d blocks", l.Blocks, l.Rule.MostBlocks)
	wanted, widest := figure.Share(l.Rule.Precision), figure.Share(l.Widest)
	switch l.Stop {
	case analysis.StopPrecise:
		return fmt.Sprintf("stopped %s: every ratio is known to within %s (the widest interval: %s)", after, wanted, widest)
	case analysis.StopGatePassed:
		return fmt.Sprintf("stopped %s: the gate has passed", after)
	case analysis.StopGateFailed:
		return fmt.Sprintf("stopped %s: the gate has failed", after)
	case analysis.StopCounted:
		return fmt.Sprintf("stopped %s: %d of them count in every comparison", after, l.Counted)
	case analysis.StopInTime:
		text := fmt.Sprintf("stopped %s: another one does not fit into %s", after, l.Rule.Within)
		if l.Rule.Precision > 0 && l.Widest > 0 {
			text += fmt.Sprintf(" (a ratio is known to within %s, and %s was wanted)", widest, wanted)
			if f := l.Forecast; f != nil && f.ExpectedBlocks != nil {
				text += fmt.Sprintf("; at this spread that takes about %d blocks", *f.ExpectedBlocks)
			}
		}
		return text
	}
	text := after + ": "
	switch {
	case l.Rule.Counted > 0:
		return text + fmt.Sprintf("%d of them count in the comparison that has fewest, and %d are wanted", l.Counted, l.Rule.Counted)
	case l.Rule.Precision == 0:
		text += fmt.Sprintf("%s of %s are over", l.Elapsed.Round(time.Second), l.Rule.Within)
	case l.Without > 0:
		text += fmt.Sprintf("%d of %d ratios have no interval, or too few blocks for a verdict", l.Without, l.Ratios)
	case l.Widest == 0:
		text += "the pilot goes on"
	default:
		text += fmt.Sprintf("a ratio is known to within %s, and all of them have to be to within %s", widest, wanted)
	}
	return text + forecastText(l.Forecast)
}

// knownSoFar is what a run that measures knows of its ratios, and what is expected of its rest; empty before its first forecast.
func knownSoFar(run *v1alpha1.BenchmarkRun) string {
	p := run.Status.Plan
	if p == nil || p.Analysis == nil || p.Analysis.Forecast == nil {
		return ""
	}
	f := contract.Forecast(*p.Analysis.Forecast)
	text, pilot := "; after "+figure.Counted(f.AfterBlocks, "block")+" ", int32(stats.PilotBlocks)
	if p.Analysis.PilotBlocks != nil {
		pilot = *p.Analysis.PilotBlocks
	}
	switch wanted := run.Spec.Design.Precision; {
	case f.Precision != "" && wanted != "":
		text += fmt.Sprintf("every ratio is known to within %s, and %s is wanted", figure.ShareText(f.Precision), strings.TrimSuffix(string(wanted), "%")+" %")
	case f.Precision != "":
		text += "every ratio is known to within " + figure.ShareText(f.Precision)
	case f.AfterBlocks < pilot:
		text += "the pilot goes on"
	default:
		text += "a ratio has no interval, or too few blocks for a verdict"
	}
	return text + forecastText(&f)
}

// forecastText is what is expected of the rest of a run, to follow what is known; empty without it.
func forecastText(f *contract.Forecast) string {
	switch {
	case f == nil || f.Reachable == "":
		return ""
	case f.ExpectedBlocks != nil && *f.ExpectedBlocks <= f.MostBlocks:
		return fmt.Sprintf("; at this spread that takes about %d blocks", *f.ExpectedBlocks)
	case f.ExpectedBlocks != nil:
		return fmt.Sprintf("; at this spread that takes about %d blocks, and %d fit, which reach about %s", *f.ExpectedBlocks, f.MostBlocks, figure.ShareText(f.Reachable))
	}
	return fmt.Sprintf("; at this spread the %d blocks that fit reach about %s", f.MostBlocks, figure.ShareText(f.Reachable))
}
