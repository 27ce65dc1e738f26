package readout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// doubt is one kind of what limits a number. Whoever reads only the table has to see it.
type doubt struct {
	// word stands in the row, with the number of trials.
	word string
	// trials of a measurement that it is about.
	trials func(Measurement) int32
	// meaning for the number.
	meaning string
	// leftOut: it is about planned trials that do not count; otherwise about counted ones.
	leftOut bool
}

// doubts in the order of the table: what is left out, what else than the server decided a number, and how constant it was.
var doubts = []doubt{
	leftOut(v1alpha1.LeftOutFailed, "failed", "these trials have no result, and are left out"),
	leftOut(v1alpha1.LeftOutInvalid, "invalid", "their results contradict themselves, and are left out"),
	leftOut(v1alpha1.LeftOutDisturbed, "disturbed", "something else happened during these trials, and they are left out"),
	leftOut(v1alpha1.LeftOutBlockDisturbed, "block disturbed",
		"another trial of the same block was disturbed: they are left out, too, so that pairs stay pairs"),
	leftOut(v1alpha1.LeftOutNoValue, "no value", "these trials have no such number"),
	leftOut(v1alpha1.LeftOutNotRun, "not run", "the run ended before these trials"),
	limit(v1alpha1.LimitClient, "client limit", "the client was at its own CPU limit: the number says how fast the client is"),
	limit(v1alpha1.LimitCPU, "CPU limit", "the server used up the CPU of its shape: with more CPU the order may be another"),
	limit(v1alpha1.LimitMemory, "memory limit", "the server waited for memory within the limit of its shape"),
	{"saturated", func(m Measurement) int32 { return m.SaturatedTrials },
		"the offered rate was not achieved, so that latencies grow with the length of the window", false},
	{"not steady", func(m Measurement) int32 { return m.NotSteadyTrials }, "the throughput changed within the window by more than 5 %", false},
	{"steadiness unknown", func(m Measurement) int32 { return m.UnknownSteadyTrials }, "the window is too short to know whether the throughput changed within it", false},
}

func leftOut(reason v1alpha1.LeftOutReason, word, meaning string) doubt {
	return doubt{word, func(m Measurement) int32 { return m.LeftOut[string(reason)] }, meaning, true}
}

func limit(by v1alpha1.LimitKind, word, meaning string) doubt {
	return doubt{word, func(m Measurement) int32 { return m.LimitedBy[string(by)] }, meaning, false}
}

// of how many trials of a measurement it is.
func (d doubt) of(m Measurement) int32 {
	if d.leftOut {
		return m.PlannedTrials
	}
	return m.Trials
}

// Notes beside the rows of a table, and what their words mean.
type Notes struct {
	// Of each measurement; empty for one without a doubt.
	Of []string
	// Legend has a line for each kind of doubt that there is, and for each caveat.
	Legend []string
}

// NotesOf measurements.
func NotesOf(ms []Measurement) Notes {
	used, out := map[int]bool{}, Notes{Of: make([]string, len(ms))}
	var caveats []string
	for i, m := range ms {
		var words []string
		for k, d := range doubts {
			if n := d.trials(m); n > 0 {
				used[k] = true
				words = append(words, fmt.Sprintf("%s %d/%d", d.word, n, d.of(m)))
			}
		}
		if m.Caveat != "" {
			at := slices.Index(caveats, m.Caveat)
			if at < 0 {
				at, caveats = len(caveats), append(caveats, m.Caveat)
			}
			words = append(words, fmt.Sprintf("[%d]", at+1))
		}
		out.Of[i] = strings.Join(words, ", ")
	}
	for k, d := range doubts {
		if used[k] {
			out.Legend = append(out.Legend, d.word+": "+d.meaning)
		}
	}
	for i, text := range caveats {
		out.Legend = append(out.Legend, fmt.Sprintf("[%d] %s", i+1, text))
	}
	return out
}

// DoubtsOf a measurement that stands by itself: what limits it, each with its meaning.
func DoubtsOf(m Measurement) (out []string) {
	for _, d := range doubts {
		if n := d.trials(m); n > 0 {
			out = append(out, fmt.Sprintf("%s %d/%d: %s", d.word, n, d.of(m), d.meaning))
		}
	}
	if m.Caveat != "" {
		out = append(out, m.Caveat)
	}
	return out
}
