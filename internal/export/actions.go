package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/stored"
)

// actionEntry is an entry of github-action-benchmark's custom formats.
type actionEntry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// A file of github-action-benchmark has one direction. Medians without a direction are in neither.
func writeActionBigger(out io.Writer, run *stored.Run) error {
	return writeAction(out, run, contract.HigherIsBetter)
}

func writeActionSmaller(out io.Writer, run *stored.Run) error {
	return writeAction(out, run, contract.LowerIsBetter)
}

func writeAction(out io.Writer, run *stored.Run, direction contract.Direction) error {
	entries := []actionEntry{}
	for _, e := range run.Summary.Entries {
		median, ok := number(e.Median)
		if !ok || e.Direction != string(direction) {
			continue
		}
		one := actionEntry{Name: benchmarkOf(run, e) + " " + labelled(e.Name, e.Labels), Unit: e.Unit, Value: median, Extra: fmt.Sprintf("median of %d of %d trials", e.TrialCount, e.PlannedTrialCount)}
		if e.IntervalLow != "" && e.IntervalHigh != "" {
			one.Range = fmt.Sprintf("%s interval of the median: %s to %s", analysis.Level(e.IntervalCoverage), e.IntervalLow, e.IntervalHigh)
		}
		for _, text := range append(Caveats(run), e.Caveat) {
			if text != "" {
				one.Extra += "; " + contract.Line(text)
			}
		}
		entries = append(entries, one)
	}
	return encodeIndented(out, entries)
}

// benchmarkOf an entry: tool, target and cell, the same for each run of an experiment.
func benchmarkOf(run *stored.Run, e v1alpha1.SummaryEntry) string {
	text := toolOf(run) + " " + e.Target
	if cell := parametersOf(e); cell != "" {
		text += " " + cell
	}
	return text
}

// bencherValue is a measure of the Bencher Metric Format.
type bencherValue struct {
	Value float64  `json:"value"`
	Lower *float64 `json:"lower_value,omitempty"`
	Upper *float64 `json:"upper_value,omitempty"`
}

// writeBencher writes the medians with their intervals. The format has neither unit nor direction: the
// name of a measure has the unit.
func writeBencher(out io.Writer, run *stored.Run) error {
	file := map[string]map[string]bencherValue{}
	for _, e := range run.Summary.Entries {
		median, ok := number(e.Median)
		if !ok {
			continue
		}
		name := benchmarkOf(run, e)
		if file[name] == nil {
			file[name] = map[string]bencherValue{}
		}
		v := bencherValue{Value: median}
		if low, ok := number(e.IntervalLow); ok {
			v.Lower = &low
		}
		if high, ok := number(e.IntervalHigh); ok {
			v.Upper = &high
		}
		measure := slug(labelled(e.Name, e.Labels) + "-" + e.Unit)
		if _, taken := file[name][measure]; taken {
			return fmt.Errorf("two measurements of %s are the measure %s", name, measure)
		}
		file[name][measure] = v
	}
	return encodeIndented(out, file)
}

// number of a status; ok is false for one that is absent.
func number(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

func encodeIndented(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
