package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/report/chart"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// mostChoices of measurements are offered.
const mostChoices = 200

// drawing is the history of a schedule, and which measurement of it is asked for.
type drawing struct {
	of     *v1alpha1.BenchmarkSchedule
	past   contract.History
	chosen string
}

// recentRuns have the measurements that are offered.
const recentRuns = 10

// keyIn the address of a page: the same for the same measurement of all targets.
func keyIn(k v1alpha1.MeasurementKey) string {
	k.Target = ""
	return contract.Digest([]byte(baseline.Key(k)))
}

// drawHistory of one measurement of all targets, with what the gate expects and since when something is slower.
func (s *site) drawHistory(ctx context.Context, body *schedulePage, d drawing) error {
	for _, run := range slices.Backward(d.past.Runs[max(len(d.past.Runs)-recentRuns, 0):]) {
		for _, series := range run.Series {
			k := history.KeyOf(series)
			key := keyIn(k)
			if k.Target = ""; len(body.Choices) < mostChoices && !slices.ContainsFunc(body.Choices, func(c choice) bool { return c.Key == key }) {
				body.Choices = append(body.Choices, choice{Key: key, Text: cut(strings.TrimSpace(baseline.Words(k)) + ", " + k.Unit), name: k.Name})
			}
		}
	}
	if len(body.Choices) == 0 {
		return nil
	}
	at := max(slices.IndexFunc(body.Choices, func(c choice) bool { return c.Key == d.chosen }), 0)
	body.Choices[at].Chosen = true
	c := curves{key: body.Choices[at].Key, name: body.Choices[at].name, runs: d.past.Runs[max(len(d.past.Runs)-mostPoints, 0):]}
	c.draw()
	if why, err := s.expected(ctx, d.of, &c); err != nil {
		_, words := problemOf(err)
		body.Unseen = append(body.Unseen, "The baseline is not drawn. "+words.Text+" "+words.Server)
	} else if why != "" {
		body.Unseen = append(body.Unseen, why)
	}
	c.mark(d.of.Status.Regressions)
	f := picture{ID: "history", Caption: body.Choices[at].Text, Behind: c.behind,
		Note: "Each point is the median of a run, its line the least and the largest trial. " + c.note}
	drawn, err := f.draw(chart.Lines{Label: f.Caption + " over the runs. The table behind it has the numbers.", XUnit: "runs, by the day they ended (UTC)", Lines: c.lines, Marks: c.marks, At: c.days, Height: 300}, c.names)
	body.Figure = drawn
	return err
}

// curves of a measurement, one for each target.
type curves struct {
	key, name string
	runs      []contract.PastRun
	names     []string
	lines     []chart.Line
	marks     []chart.Mark
	// days are the ticks: one for each run.
	days   []chart.Tick
	behind *table
	note   string
}

// draw the medians of the runs.
func (c *curves) draw() {
	c.behind = &table{Caption: "Medians of the runs", Head: []column{{Name: "Run"}, {Name: "Target"}, {"Median", true}, {"From", true}, {"To", true}}}
	for i, run := range c.runs {
		c.days = append(c.days, chart.Tick{At: float64(i + 1), Text: run.CompletionTime.UTC().Format("2 Jan")})
		for _, series := range run.Series {
			if series.Name != c.name || keyIn(history.KeyOf(series)) != c.key {
				continue
			}
			low, mid, high, ok := history.Spread(series.Values)
			at := slices.Index(c.names, series.Target)
			if !ok || at < 0 && len(c.names) >= mostSeries {
				continue
			}
			if at < 0 {
				at = len(c.names)
				c.names, c.lines = append(c.names, series.Target), append(c.lines, chart.Line{Series: at})
			}
			title := fmt.Sprintf("%s, %s, %s: %s %s", run.Name, series.Target, run.CompletionTime.UTC().Format(time.DateOnly), figure.Number(mid), series.Unit)
			if run.Reason != "" {
				title += ", " + run.Outcome
			}
			c.lines[at].Points = append(c.lines[at].Points, chart.Point{X: float64(i + 1), Y: mid, Low: &low, High: &high, Title: cut(title)})
			if len(c.behind.Rows) < mostRows {
				c.behind.Rows = append(c.behind.Rows, []cell{{Text: cut(run.Name), Heading: true}, {Text: cut(series.Target)},
					{Text: figure.Number(mid), Number: true}, {Text: figure.Number(low), Number: true}, {Text: figure.Number(high), Number: true}})
			}
		}
	}
}

// expected is a line for each target of the gate's baseline; why there is none, in words.
func (s *site) expected(ctx context.Context, of *v1alpha1.BenchmarkSchedule, c *curves) (why string, err error) {
	gate := of.Spec.RunTemplate.Spec.Gate
	if gate == nil || gate.Baseline == "" {
		return "", nil
	}
	b := &v1alpha1.BenchmarkBaseline{}
	if err := s.api.Get(ctx, client.ObjectKey{Namespace: of.Namespace, Name: gate.Baseline}, b); err != nil {
		return "", fmt.Errorf("reading BenchmarkBaseline %s: %w", gate.Baseline, err)
	}
	targets, found := len(c.names), false
	for _, m := range b.Spec.Measurements {
		if keyIn(m.MeasurementKey) != c.key || !slices.Contains(c.names[:targets], m.Target) {
			continue
		}
		var values []*float64
		for _, text := range m.Blocks {
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				values = append(values, &v)
			}
		}
		_, mid, _, ok := history.Spread(values)
		if !ok {
			continue
		}
		found = true
		title := cut(fmt.Sprintf("baseline %s, %s: %s %s", b.Name, m.Target, figure.Number(mid), m.Unit))
		c.lines = append(c.lines, chart.Line{Series: len(c.names), Plain: true, Points: []chart.Point{{X: 1, Y: mid, Title: title}, {X: float64(max(len(c.runs), 2)), Y: mid, Title: title}}})
		c.names = append(c.names, m.Target+", baseline "+b.Name)
		c.note += fmt.Sprintf("Baseline %s expects %s %s of %s. ", b.Name, figure.Number(mid), m.Unit, m.Target)
	}
	if !found {
		return cut("Baseline " + b.Name + " does not have this measurement."), nil
	}
	c.note = cut(c.note)
	return "", nil
}

// mark the runs since which something is slower, as the alarm of the schedule has found it.
func (c *curves) mark(all []v1alpha1.ScheduleRegression) {
	for _, r := range all {
		at := slices.IndexFunc(c.runs, func(run contract.PastRun) bool { return run.Name == r.Since })
		if keyIn(r.Measurement) != c.key || at < 0 {
			continue
		}
		what := map[v1alpha1.RegressionSource]string{v1alpha1.RegressionOfGate: "slower by the gate", v1alpha1.RegressionOfChangePoint: "change point"}[r.Source]
		if !r.Confirmed {
			what += "?"
		}
		c.marks = append(c.marks, chart.Mark{At: float64(at + 1), Series: -1, Title: cut(r.Text), Text: cut(r.Measurement.Target + ": " + what)})
	}
	if len(c.marks) > 0 {
		c.note += "Dashed lines mark the first run that is slower; a question mark is one that is not confirmed."
	}
}
