package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
)

// actionEntry is an entry of github-action-benchmark's custom formats.
type actionEntry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// writeAction writes the medians of one direction: a file of github-action-benchmark has one. Medians without a direction are in
// neither.
func writeAction(direction contract.Direction) func(io.Writer, *stored.Run) error {
	return func(out io.Writer, run *stored.Run) error {
		entries := []actionEntry{}
		for _, e := range run.Summary.Entries {
			median, ok := figure.Decimal(e.Median)
			if !ok || e.Direction != string(direction) {
				continue
			}
			one := actionEntry{Name: benchmarkOf(run, e) + " " + labelled(e.Name, e.Labels), Unit: e.Unit, Value: median, Extra: fmt.Sprintf("median of %d of %d trials", e.TrialCount, e.PlannedTrialCount)}
			if e.IntervalLow != "" && e.IntervalHigh != "" {
				_, low, high := figure.Measured(e.Median, e.IntervalLow, e.IntervalHigh)
				one.Range = fmt.Sprintf("%s interval of the median: %s to %s", figure.Level(e.IntervalCoverage), low, high)
			}
			for _, text := range append(readout.Caveats(run.Object), readout.DoubtsOf(readout.MeasurementOf(e))...) {
				one.Extra += "; " + contract.Line(text)
			}
			entries = append(entries, one)
		}
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(entries)
	}
}

// benchmarkOf an entry: tool, target and cell, the same for each run of an experiment.
func benchmarkOf(run *stored.Run, e v1alpha1.SummaryEntry) string {
	return strings.TrimSpace(toolOf(run) + " " + e.Target + " " + pairs(readout.ParametersOf(e.Parameters), " "))
}
