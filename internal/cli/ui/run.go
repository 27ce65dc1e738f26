package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report"
)

// maxFindings of a run are shown; the report has all.
const maxFindings = 20

// runPage is one run.
type runPage struct {
	// Answer is what the run shows, Rest what its report says of that.
	Answer, Rest              template.HTML
	Report, Compare, Schedule string
	// Live: the run goes on, and the page is asked again.
	Live bool
	// Done of Planned trials have ended.
	Done, Planned int32
	Facts         []fact
	// Against is the heading of the findings.
	Against  string
	Findings []string
	More     string
	Figures  []*picture
	// Unseen says why there are no pictures of a run that goes on.
	Unseen string
	// NotLive says what of a run that goes on is not here.
	NotLive string
}

// notLive is said of every run that goes on, so that nobody takes the last trial for the running one.
const notLive = "The pictures have the trials that have ended. The numbers of the trial that is running are not here: only Prometheus has them, as live figures, where the operator is installed with metrics.podMonitor."

type fact struct {
	Icon        template.HTML
	Name, Value string
}

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
	doc, st := readout.FromStatus(run), run.Status
	parts, err := report.PartsOf(report.Input{Run: run, Entries: st.Summary, Comparisons: st.Comparisons, Sweeps: st.Sweeps, Searches: st.Searches})
	if err != nil {
		return page{}, err
	}
	body := runPage{
		Answer: parts.Answer, Rest: parts.Rest, Live: !run.Finished(),
		Report: linkTo("report", id.Namespace, id.Name), Compare: "/compare?namespace=" + id.Namespace + "&run=" + id.Namespace + "/" + id.Name,
		Done: doc.Trials.Done, Planned: doc.Trials.Planned, Facts: s.factsOf(doc.RunHead, run),
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
	}
	heading, lines := doc.Against()
	body.Against = strings.ToUpper(heading[:1]) + heading[1:]
	for _, text := range lines[:min(len(lines), maxFindings)] {
		body.Findings = append(body.Findings, cut(text))
	}
	if doc.MoreMeasurements+doc.MoreComparisons+doc.MoreSweeps > 0 || len(lines) > maxFindings {
		body.More = "Not all is here: the report has all measurements, comparisons and findings."
	}
	return page{Template: "run", Title: cut(run.Name), At: "run", Namespace: id.Namespace, Body: body}, nil
}

// factsOf a run below its verdict.
func (s *site) factsOf(h readout.RunHead, run *v1alpha1.BenchmarkRun) (out []fact) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, fact{Name: name, Value: cut(value)})
		}
	}
	add("Namespace", h.Namespace)
	add("Outcome", h.Outcome)
	out[len(out)-1].Icon = report.Icon(h.Tone())
	add("Trials", fmt.Sprintf("%d of %d%s", h.Trials.Done, h.Trials.Planned, show.NotCounted(h.Trials)))
	now := s.now()
	switch {
	case h.Ended != nil:
		add("Ended", figure.Duration(now.Sub(*h.Ended))+" ago")
		if h.Started != nil {
			add("Took", figure.Duration(h.Ended.Sub(*h.Started)))
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

// backTemplate is what a report has above its own head in these pages: a report by itself leads nowhere.
var backTemplate = template.Must(template.New("back").Parse(`<nav aria-label="Pages"><ul>
<li><a href="/?namespace={{.Namespace}}">Runs</a></li>
<li><a href="/run/{{.Namespace}}/{{.Name}}">This run</a></li>
<li><a href="/compare?namespace={{.Namespace}}&amp;run={{.Namespace}}/{{.Name}}">Compare</a></li>
</ul></nav>
`))

// begin of the content of a report. Everything before it is of the report's template: texts of others are escaped.
var begin = []byte("<main>\n")

// withWayBack is a report with links to the pages around it. It fails for a page that is not one of package report.
func withWayBack(report []byte, run client.ObjectKey) ([]byte, error) {
	head, content, ok := bytes.Cut(report, begin)
	if !ok {
		return nil, errors.New("the report has no place for the links to the other pages")
	}
	var links bytes.Buffer
	if err := backTemplate.Execute(&links, run); err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{head, begin, links.Bytes(), content}, nil), nil
}
