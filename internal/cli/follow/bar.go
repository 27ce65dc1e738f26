package follow

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

const (
	// quiet is the least time between two lines about trials where there is no terminal.
	quiet = 10 * time.Second
	// clearLine moves to the begin of the line and clears it.
	clearLine = "\r\x1b[K"
	// barCells is the width of a bar.
	barCells = 16
)

// progress of a run for people. The zero value is not ready.
type progress struct {
	// out is the terminal itself; what tenants wrote is cleaned before.
	out io.Writer
	// width of the terminal; 0 for none.
	width func() int
	// last is the line that was shown last, state what decided it, and at when.
	last, state string
	at          time.Time
}

func newProgress(out io.Writer) *progress {
	return &progress{out: output.Raw(out), width: func() int { return output.Width(out) }}
}

// show how far a run is.
func (p *progress) show(run *v1alpha1.BenchmarkRun, now time.Time) {
	if width := p.width(); width > 0 {
		p.last = output.Fit(bar(run, now), width-1)
		p.print(clearLine + p.last)
		return
	}
	line, state := lineOf(run, now), stateOf(run)
	if line == p.last || state == p.state && now.Sub(p.at) < quiet {
		return
	}
	p.last, p.state, p.at = line, state, now
	p.print(now.Format(time.TimeOnly) + " " + line + "\n")
}

// note something beside the progress, once.
func (p *progress) note(text string) {
	if text = contract.Line(text); text == p.last {
		return
	}
	p.last = text
	if p.width() > 0 {
		p.print(clearLine)
	}
	page := output.NewPage(p.out)
	page.Line(text)
	_ = page.Flush() // the terminal may be gone
}

// done removes the bar.
func (p *progress) done() {
	if p.width() > 0 {
		p.print(clearLine)
	}
}

// print to a terminal that may be gone.
func (p *progress) print(text string) { _, _ = io.WriteString(p.out, text) }

// stateOf a run: a line of it that changes is shown at once.
func stateOf(run *v1alpha1.BenchmarkRun) string {
	if run.Status.Phase == v1alpha1.PhaseMeasuring {
		return string(v1alpha1.PhaseMeasuring)
	}
	return string(run.Status.Phase) + readout.OutcomeOf(run).Message
}

// bar of the trials, with what the run does.
func bar(run *v1alpha1.BenchmarkRun, now time.Time) string {
	p := run.Status.Progress
	if run.Status.Phase != v1alpha1.PhaseMeasuring || p.Planned == 0 {
		return lineOf(run, now)
	}
	full := min(barCells, int(int64(barCells)*int64(p.Done)/int64(p.Planned)))
	return fmt.Sprintf("[%s%s] %s", strings.Repeat("=", full), strings.Repeat(" ", barCells-full), measuring(run, now))
}

// lineOf a run: its phase, and what it does.
func lineOf(run *v1alpha1.BenchmarkRun, now time.Time) string {
	if run.Status.Phase == v1alpha1.PhaseMeasuring {
		return "Measuring " + measuring(run, now)
	}
	phase := string(cmp.Or(run.Status.Phase, v1alpha1.PhasePending))
	return contract.Line(phase + ": " + strings.TrimPrefix(readout.OutcomeOf(run).Message, phase+": ")) // Queued is a reason, too
}

// measuring is how many trials have ended, the time left, the running trial, and the numbers of the last ones.
func measuring(run *v1alpha1.BenchmarkRun, now time.Time) string {
	p := run.Status.Progress
	words := []string{fmt.Sprintf("%d/%d trials", p.Done, p.Planned)}
	if t := p.EstimatedCompletionTime; t != nil {
		words = append(words, "ends "+show.Left(t.Sub(now)))
	}
	if bad := readout.HeadOf(run).Trials.NotCounted(); bad > 0 {
		words = append(words, fmt.Sprintf("%d not counted", bad))
	}
	if p.Current != "" {
		words = append(words, p.Current)
	}
	if last := lastValues(run); last != "" {
		words = append(words, "last "+last)
	}
	return contract.Line(strings.Join(words, ", "))
}

// hasMain says whether the first value of a trial stands for it: it is that of all, or the only one of its name.
func hasMain(values []v1alpha1.Value) bool {
	return len(values) > 0 && (len(values[0].Labels) == 0 || !slices.ContainsFunc(values[1:], func(v v1alpha1.Value) bool { return v.Name == values[0].Name }))
}

// mostTargets have their last value shown.
const mostTargets = 4

// lastValues are the main numbers of the last trials, one of each target, in the cell of the last one: those of other cells were
// measured under another load. One that does not count says so. A trial
// with several numbers of its main name, such as one for each driver, has no main number.
func lastValues(run *v1alpha1.BenchmarkRun) string {
	var cell *int32
	shown := map[string]string{}
	unit := ""
	for _, t := range slices.Backward(run.Status.Trials) {
		if !hasMain(t.Values) || cell != nil && *cell != t.Cell || shown[t.Target] != "" || len(shown) == mostTargets {
			continue
		}
		if cell == nil {
			cell, unit = &t.Cell, t.Values[0].Unit
		}
		shown[t.Target] = t.Target + " " + figure.Text(t.Values[0].Value)
		switch {
		case t.Valid != nil && !*t.Valid:
			shown[t.Target] += " (invalid)"
		case t.Disturbed:
			shown[t.Target] += " (disturbed)"
		}
	}
	var words []string
	for _, target := range slices.Sorted(maps.Keys(shown)) {
		words = append(words, shown[target])
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, ", ") + " " + unit
}
