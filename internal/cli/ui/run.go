package ui

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/report/chart"
	"github.com/assay-bench/assay/internal/stored"
)

// maxFindings of a run are shown; the report has all.
const maxFindings = 20

// runPage is one run.
type runPage struct {
	Name, State, Says string
	Headline          string
	// Gate says why the gate of a run that has ended did not pass.
	Gate                      string
	Report, Compare, Schedule string
	// Live: the run goes on, and the page is asked again.
	Live bool
	// Done of Planned trials have ended.
	Done, Planned int32
	Facts         []fact
	Numbers       *table
	// Doubts say what the words below medians mean.
	Doubts      []string
	Comparisons []string
	Findings    []string
	More        string
	Figures     []*figure
	// Unseen says why there are no pictures of a run that goes on.
	Unseen string
	// NotLive says what of a run that goes on is not here.
	NotLive string
}

// notLive is said of every run that goes on, so that nobody takes the last trial for the running one.
const notLive = "The pictures have the trials that have ended. The numbers of the trial that is running are not here: only Prometheus has them, as live figures, where the operator is installed with metrics.podMonitor."

type fact struct{ Name, Value string }

// run is the page of a run: how far it is, or what became of it.
func (s *site) run(ctx context.Context, r *http.Request) (page, error) {
	id, err := keyOf(r)
	if err != nil {
		return page{}, err
	}
	run := &v1alpha1.BenchmarkRun{}
	if err := s.api.Get(ctx, id, run); err != nil {
		return page{}, fmt.Errorf("reading BenchmarkRun %s: %w", id, err)
	}
	doc := show.RunOf(run, show.View{})
	body := runPage{
		Name: cut(run.Name), State: stateOf(doc.RunHead), Says: headline(doc.RunHead), Live: !run.Finished(),
		Report: linkTo("report", id.Namespace, id.Name), Compare: "/compare?namespace=" + id.Namespace + "&run=" + id.Namespace + "/" + id.Name,
		Done: doc.Trials.Done, Planned: doc.Trials.Planned, Facts: s.factsOf(doc.RunHead, run),
	}
	if doc.Headline != body.Says {
		body.Headline = cut(doc.Headline)
	}
	if passed := doc.Passed; doc.Ended != nil && passed != "" && passed != string(metav1.ConditionTrue) && doc.Message != body.Says {
		body.Gate = cut(doc.Message)
	}
	if owner := run.Labels[v1alpha1.LabelSchedule]; owner != "" {
		if at, err := keyFrom(id.Namespace, owner); err == nil {
			body.Schedule = linkTo("schedule", at.Namespace, at.Name)
		}
	}
	if body.Live {
		body.NotLive = notLive
		if body.Figures, err = s.pictures(ctx, run); err != nil {
			_, words := problemOf(err)
			body.Unseen = strings.TrimSpace(words.Text + " " + words.Server)
		}
	} else {
		body.Numbers, body.Doubts = numbersOf(doc)
	}
	for _, c := range doc.Comparisons {
		body.Comparisons = append(body.Comparisons, cut(fmt.Sprintf("%s, %d of %d blocks: %s", c.Verdict, c.Blocks, c.PlannedBlocks, c.Text)))
	}
	for _, f := range doc.Findings[:min(len(doc.Findings), maxFindings)] {
		text := f.Severity + " " + f.Check
		if f.Trial != nil {
			text += fmt.Sprintf(" (trial %d)", *f.Trial)
		}
		body.Findings = append(body.Findings, cut(text+": "+f.Message))
	}
	if more := len(doc.Findings) - maxFindings; more > 0 {
		body.More = fmt.Sprintf("%d more findings are in the report.", more)
	}
	return page{Template: "run", Title: cut(run.Name), At: "run", Namespace: id.Namespace, Body: body}, nil
}

// factsOf a run below its verdict.
func (s *site) factsOf(h output.RunHead, run *v1alpha1.BenchmarkRun) (out []fact) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, fact{name, cut(value)})
		}
	}
	add("Namespace", h.Namespace)
	add("State", stateOf(h))
	trials := fmt.Sprintf("%d of %d", h.Trials.Done, h.Trials.Planned)
	for _, n := range []struct {
		count int32
		word  string
	}{{h.Trials.Failed, "failed"}, {h.Trials.Invalid, "invalid"}, {h.Trials.Disturbed, "disturbed"}} {
		if n.count > 0 {
			trials += fmt.Sprintf(", %d %s", n.count, n.word)
		}
	}
	add("Trials", trials)
	add("Gate", gateOf(h))
	now := s.now()
	switch {
	case h.Ended != nil:
		add("Ended", duration.HumanDuration(now.Sub(*h.Ended))+" ago")
		if h.Started != nil {
			add("Took", duration.HumanDuration(h.Ended.Sub(*h.Started)))
		}
	case h.Ends != nil:
		add("Ends", show.Left(h.Ends.Sub(now)))
	}
	if h.Ended == nil {
		add("Running trial", run.Status.Progress.Current)
		add("As of", now.UTC().Format(time.TimeOnly)+" UTC")
	}
	return out
}

// numbersOf a run that has ended, each with what is against it, and what these words mean; nil without any.
func numbersOf(doc output.Run) (t *table, legend []string) {
	if len(doc.Measurements) == 0 {
		return nil, nil
	}
	shown := doc.Measurements[:min(len(doc.Measurements), mostRows)]
	doubts, lines := show.NotesOf(shown)
	for _, text := range lines {
		legend = append(legend, cut(text))
	}
	t = &table{Caption: "Medians of the trials that count, with intervals by order statistics and their coverage", Head: []column{{Name: "Measurement"}, {Name: "Target"}, {"Median", true}, {"Interval", true}, {"Trials", true}}}
	for i, m := range shown {
		where := show.PlaceOf(m.Where)
		if where == "-" {
			where = ""
		}
		row := []cell{
			{Text: cut(m.Name), Below: cut(where), Heading: true}, {Text: cut(m.Target)},
			{Text: cut(figureOf(m.Median) + " " + m.Unit), Below: cut(doubts[i]), Number: true}, {Text: "–", Number: true}, {Text: fmt.Sprintf("%d of %d", m.Trials, m.PlannedTrials), Number: true},
		}
		switch {
		case m.Quoted != "":
			row[2].Below, row[4].Text = cut("quoted: "+m.Quoted), "–"
		case m.IntervalLow != "":
			row[3].Text, row[3].Below = figureOf(m.IntervalLow)+" to "+figureOf(m.IntervalHigh), analysis.Level(m.IntervalCoverage)
		case m.Min != "":
			row[3].Text, row[3].Below = figureOf(m.Min)+" to "+figureOf(m.Max), "least and largest"
		}
		t.Rows = append(t.Rows, row)
	}
	return t, legend
}

// figureOf a decimal number, as a report writes it.
func figureOf(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "–"
	}
	return chart.Figure(v)
}

// report of a run, as the command writes it.
func (s *site) report(ctx context.Context, r *http.Request) (page, error) {
	id, err := keyOf(r)
	if err != nil {
		return page{}, err
	}
	out := bounded{most: maxPage}
	if err := s.read.Report(ctx, stored.InCluster(s.api, id), &out); err != nil {
		return page{}, err
	}
	whole, err := withWayBack(out.Bytes(), id)
	return page{whole: whole}, err
}
