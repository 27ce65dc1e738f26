package readout

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
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

// answer of a run: what became of it where that is bad, its gate, and what it shows. There is at least one statement.
func (r *Run) answer(run *v1alpha1.BenchmarkRun, kind Kind) (out []Statement) {
	says := func(tone Tone, word, text string) { out = append(out, Statement{tone, word, contract.Line(text)}) }
	switch kind {
	case Failed:
		says(Bad, "FAILED", r.Message)
	case Invalid:
		says(Bad, "INVALID", "no number of this run can be relied on: "+r.Message)
	case GateFailed:
		says(Bad, "GATE FAILED", r.Message)
	case GateNotJudged:
		says(Open, "GATE NOT JUDGED", r.Message)
	case Passed:
		says(Good, "GATE PASSED", r.Message)
	case Going:
		says(Open, strings.ToUpper(r.Outcome), progressOf(r.Trials)+r.Message)
	}
	primary, controls := r.family(v1alpha1.FamilyPrimary), r.family(v1alpha1.FamilyControl)
	if len(primary) > 0 {
		out = append(out, primary[0].statement())
		if kind == Invalid {
			out[len(out)-1].Tone = Plain // nobody takes it for shown
		}
		if len(primary) > 1 {
			says(Plain, "", remaining(primary[1:]))
		}
	}
	for _, s := range r.Sweeps {
		says(Plain, "SWEEP", s)
		break
	}
	if text := resolution(controls, run); text != "" {
		says(Plain, "CONTROL", text)
	}
	if text := r.uncompared; text != "" {
		says(Open, "NO VERDICT", text)
	}
	if len(out) == 0 || len(primary) == 0 && kind != Failed && kind != Going && r.Headline != "" && len(r.Sweeps)+len(controls) == 0 {
		says(Plain, "MEASURED", r.measured())
	}
	if n := stoppedAfter(run); n > 0 {
		says(Plain, "", fmt.Sprintf("stopped early, after %d of at most %s", n, BlocksOf(run.Spec.Design.Blocks, run.Spec.Design.Blocks)))
	}
	return out
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
		return "the other comparison: " + strings.ToLower(words[0])
	}
	return fmt.Sprintf("the other %d comparisons: %s", len(all), strings.ToLower(Tally(words)))
}

func progressOf(t Trials) string {
	if t.Planned == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d trials; ", t.Done, t.Planned)
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

// resolution of a run is the widest interval of its control in the first measurement; empty without a control.
func resolution(controls []Verdict, run *v1alpha1.BenchmarkRun) string {
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
	text := fmt.Sprintf("two equal servers differ by %s: a smaller difference is not resolved (%s)", figure.EffectOf(first.Ratio, low, high).Interval, first.Evidence)
	switch {
	case differs:
		return text + ", and the baseline differs from itself"
	case lowest > 1 || highest < 1:
		return text + fmt.Sprintf(", not around 0, as %s of sound controls are", figure.Share(analysis.ErrorRate(run.Spec)))
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
		if !strings.Contains(h.Outcome, string(v1alpha1.VerdictInconclusive)) && !strings.Contains(h.Outcome, string(v1alpha1.VerdictExploratory)) {
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

// LookText is why a run with design.stopEarly stops at a look, or goes on.
func LookText(l analysis.Looked) string {
	after, wanted, widest := fmt.Sprintf("after %d of at most %d blocks", l.Blocks, l.MaxBlocks), figure.Share(l.Precision), figure.Share(l.Widest)
	switch {
	case l.Stop:
		return fmt.Sprintf("stopped %s: every ratio is known to within %s (the widest interval: %s)", after, wanted, widest)
	case l.Without > 0:
		return fmt.Sprintf("%s: %d of %d ratios have no interval, or too few blocks for a verdict", after, l.Without, l.Ratios)
	}
	return fmt.Sprintf("%s: a ratio is known to within %s, and all of them have to be to within %s", after, widest, wanted)
}
