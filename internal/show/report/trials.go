package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/report/chart"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// trial is one value of one trial.
type trial struct {
	index, block int32
	// at is when its window began, in minutes since the first one; the number of the trial where that is not known.
	at, value float64
	// leftOut is why it does not count; empty where it does.
	leftOut v1alpha1.LeftOutReason
}

// trials are the values of the measurements that are shown, by the entries of the summary that they are behind.
type trials struct {
	values map[string][]trial
	// last records of the trials that count, in the order of the plan; of a search, those at the highest rate that held.
	counted []contract.Record
	// clock names the unit of the times of the trials.
	clock string
}

// keyOf the values behind an entry.
func keyOf(cell int32, target, name, unit string, labels map[string]string) string {
	return fmt.Sprintf("%d %q %q %q %s", cell, target, name, unit, labelKey(labels))
}

func (t trials) of(e *v1alpha1.SummaryEntry) []trial {
	return t.values[keyOf(e.Cell, e.Target, e.Name, e.Unit, e.Labels)]
}

// shownNames are the measurements that have pictures: the main one, those that were compared, and latencies.
func shownNames(in Input) []string {
	out := []string{mainName(in.Entries)}
	add := func(name string) {
		if !slices.Contains(out, name) && len(out) < 6 {
			out = append(out, name)
		}
	}
	for _, v := range in.doc.Family(v1alpha1.FamilyPrimary) {
		add(v.Name)
	}
	for _, e := range in.Entries {
		if e.Name == contract.NameLatencyPercentile || e.Name == contract.NameLatencyAvg {
			add(e.Name)
		}
	}
	return out
}

// trialsOf the run: the last attempt at each trial decides, as in the summary.
func trialsOf(in Input) trials {
	out := trials{values: map[string][]trial{}, clock: "trial"}
	if in.Plan == nil {
		return out
	}
	at := func(rec *contract.Record) float64 { return float64(rec.Index) }
	if begun := begunAt(in.Records); begun != nil {
		out.clock = "minutes since the first trial"
		at = func(rec *contract.Record) float64 { return rec.WindowStartTime.Sub(*begun).Minutes() }
	}
	names, last := shownNames(in), map[int32]*contract.Record{}
	for i := range in.Records {
		last[in.Records[i].Index] = &in.Records[i]
	}
	plan, held := in.Plan, heldRates(in)
	if held != nil { // the trials of a search are no pairs
		plan = search.Judged(in.Plan, in.Records)
	}
	rule := summary.LeftOutShown
	if held != nil { // a search uses no disturbed trial
		rule = summary.LeftOut
	}
	leftOut := rule(plan, in.Records)
	for i, t := range plan.Trials {
		rec := last[t.Index]
		if rec == nil {
			continue
		}
		if leftOut[i] == "" && (held == nil || held[place{rec.Cell, rec.Block, rec.Target}] == rec.Rate) {
			out.counted = append(out.counted, *rec)
		}
		for _, v := range rec.Values {
			if slices.Contains(names, v.Name) {
				key := keyOf(rec.Cell, rec.Target, v.Name, v.Unit, v.Labels)
				out.values[key] = append(out.values[key], trial{rec.Index, rec.Block, at(rec), v.Value, leftOut[i]})
			}
		}
	}
	return out
}

// begunAt is when the first window began; nil where the time of a trial with values is not known.
func begunAt(all []contract.Record) (begun *time.Time) {
	for i := range all {
		at := all[i].WindowStartTime
		switch {
		case at == nil && len(all[i].Values) > 0:
			return nil
		case at != nil && (begun == nil || at.Before(*begun)):
			begun = at
		}
	}
	return begun
}

// place of a search.
type place struct {
	cell, block int32
	target      string
}

// heldRates are the highest rates that held, by the place of their searches, as each client offered them; nil for a run
// that searches nothing. Trials at other rates are no trials of one thing.
func heldRates(in Input) map[place]int64 {
	if in.Run.Spec.Search == nil {
		return nil
	}
	out := map[place]int64{}
	for _, s := range in.Searches {
		if s.Held > 0 {
			out[place{s.Cell, s.Block, s.Target}] = int64(s.Held)
		}
	}
	return out
}

// title of a point.
func (t trial) title(unit string) string {
	text := fmt.Sprintf("trial %d, block %d: %s %s", t.index, t.block, figure.Number(t.value), unit)
	if t.leftOut != "" {
		text += ", left out: " + words(string(t.leftOut))
	}
	return text
}

// dots of some trials, at most so many: then they are evenly spaced in the order of their values, with the smallest
// and the largest, and with those that are left out.
func dots(all []trial, unit string, most int) []chart.Dot {
	if len(all) > most {
		sorted := slices.Clone(all)
		slices.SortStableFunc(sorted, func(a, b trial) int { return cmp.Compare(a.value, b.value) })
		all = nil
		for _, i := range spread(len(sorted), most) {
			all = append(all, sorted[i])
		}
	}
	out := make([]chart.Dot, 0, len(all))
	for _, t := range all {
		out = append(out, chart.Dot{X: t.at, Y: t.value, Title: t.title(unit), Open: t.leftOut != ""})
	}
	return out
}

// captionOf a picture or a table of a panel.
func captionOf(m *measurement, panel, what string) string {
	if panel == "" || panel == "all" {
		return line(m.title() + ": " + what)
	}
	return line(panel + ", " + m.title() + ": " + what)
}

// rowOf an entry: its median with its interval, or its range.
func rowOf(p placed, m *measurement, l layout, series int) chart.Row {
	e := p.entry
	across := p.across
	if l.numeric {
		across = l.across[0] + " " + p.across
	}
	row := chart.Row{Label: cmp.Or(p.series, across, e.Target), Series: max(series, 0)}
	label := row.Label
	if p.across != "" && p.series != "" {
		row.Group, label = across, across+", "+p.series
	}
	mid, ok := figure.Decimal(e.Median)
	if !ok {
		row.Note = "no trial counts"
		return row
	}
	row.Mid, row.Title = &mid, titleOf(label, e, m)
	row.Note, _, _ = figuresOf(e)
	row.Low, row.High = spreadOf(e)
	return row
}

// titleOf a mark: its name, its median and its interval.
func titleOf(name string, e *v1alpha1.SummaryEntry, m *measurement) string {
	median, interval, level := figuresOf(e)
	text := name + ": median " + median + " " + m.unit
	switch {
	case level != "":
		text += ", " + level + " interval " + interval
	case interval != "":
		text += ", " + interval
	}
	return line(text)
}

// spreadOf an entry: the interval of its median, or its range; nil where it has neither.
func spreadOf(e *v1alpha1.SummaryEntry) (low, high *float64) {
	for _, ends := range [][2]string{{e.IntervalLow, e.IntervalHigh}, {e.Min, e.Max}} {
		l, has := figure.Decimal(ends[0])
		if h, also := figure.Decimal(ends[1]); has && also {
			return &l, &h
		}
	}
	return nil, nil
}

// mainName of the measurements: that of the first entry.
func mainName(entries []v1alpha1.SummaryEntry) string {
	if len(entries) == 0 {
		return ""
	}
	return entries[0].Name
}
