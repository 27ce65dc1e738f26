package ui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/stored"
)

// schedules is the list of schedules of a namespace, or of all.
func (s *site) schedules(ctx context.Context, r *http.Request) (page, error) {
	namespace, err := s.namespaceOf(r)
	if err != nil {
		return page{}, err
	}
	p := page{Template: "list", Title: "Schedules", At: "schedules", Namespace: namespace}
	var list v1alpha1.BenchmarkScheduleList
	if err := s.api.List(ctx, &list, client.InNamespace(namespace), client.Limit(mostRows)); err != nil {
		p.Template = "unlisted"
		p.code, p.Body = problemOf(fmt.Errorf("listing BenchmarkSchedules: %w", err))
		return p, nil
	}
	body := listing{Empty: "There are no schedules here. A BenchmarkSchedule starts runs by a cron line, on a change, or on request."}
	if len(list.Items) > 0 {
		body.Table = tableOfSchedules(s.now(), list.Items, namespace == "")
	}
	if list.Continue != "" {
		body.Note = fmt.Sprintf("The first %d by name are shown.", mostRows)
	}
	p.Body = body
	return p, nil
}

func tableOfSchedules(now time.Time, all []v1alpha1.BenchmarkSchedule, everywhere bool) *table {
	t := &table{Caption: "Schedules by name"}
	if everywhere {
		t.Head = append(t.Head, column{Name: "Namespace"})
	}
	t.Head = append(t.Head, column{Name: "Schedule"}, column{Name: "When"}, column{Name: "Last run"}, column{Name: "Next"}, column{"Runs", true})
	for i := range all {
		of := &all[i]
		var row []cell
		if everywhere {
			row = append(row, cell{Text: cut(of.Namespace)})
		}
		last, runs := cell{Text: "–"}, int32(0)
		if l := of.Status.LastRun; l != nil {
			last = cell{Text: cut(l.Outcome), Below: ago(now, l.CompletionTime.Time)}
		}
		if h := of.Status.History; h != nil {
			runs = h.RunCount
		}
		t.Rows = append(t.Rows, append(row, cell{Text: cut(of.Name), Link: linkTo("schedule", of.Namespace, of.Name), Below: regressed(of), Heading: true},
			cell{Text: when(of)}, last, cell{Text: next(now, of)}, cell{Text: strconv.Itoa(int(runs)), Number: true}))
	}
	return t
}

// when a schedule starts runs.
func when(of *v1alpha1.BenchmarkSchedule) string {
	if of.Spec.Schedule == "" {
		return "No times"
	}
	return cut(of.Spec.Schedule + " " + of.Spec.TimeZone)
}

// next time of a schedule.
func next(now time.Time, of *v1alpha1.BenchmarkSchedule) string {
	switch {
	case of.Spec.Suspend:
		return "Suspended"
	case of.Status.NextScheduleTime == nil:
		return "–"
	}
	if left := of.Status.NextScheduleTime.Sub(now); left > 0 {
		return "in " + figure.Duration(left)
	}
	return "now"
}

// regressed says what became slower; empty for nothing.
func regressed(of *v1alpha1.BenchmarkSchedule) string {
	if c := apimeta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionRegressed); c != nil && c.Status == metav1.ConditionTrue {
		return cut(c.Message)
	}
	return ""
}

func ago(now, at time.Time) string { return figure.Duration(now.Sub(at)) + " ago" }

// schedulePage is one schedule.
type schedulePage struct {
	Says  string
	Facts []fact
	// Choices are the measurements of the history, of which one is drawn.
	Choices []choice
	Figure  *picture
	// Unseen says why there is no history or no baseline.
	Unseen      []string
	Regressions []string
	Runs        *table
	Note        string
}

// choice of a measurement.
type choice struct {
	Key, Text string
	Chosen    bool

	name string
}

// schedule is the page of a schedule: its state, and the history of its runs.
func (s *site) schedule(ctx context.Context, r *http.Request) (page, error) {
	id, err := keyOf(r)
	if err != nil {
		return page{}, err
	}
	of := &v1alpha1.BenchmarkSchedule{}
	if err := s.api.Get(ctx, id, of); err != nil {
		return page{}, fmt.Errorf("reading BenchmarkSchedule %s: %w", id, err)
	}
	body := schedulePage{Says: regressed(of), Facts: factsOfSchedule(s.now(), of)}
	if body.Says == "" {
		body.Says = "Nothing of it is known to have become slower."
		if of.Spec.Alarm == nil {
			body.Says = "It has no alarm: spec.alarm looks for what becomes slower."
		}
	}
	for _, one := range of.Status.Regressions {
		body.Regressions = append(body.Regressions, cut(one.Text))
	}
	past, why, err := stored.History(ctx, s.api, of)
	if err != nil {
		_, words := problemOf(err)
		why = words.Text + " " + words.Server
	}
	if why != "" {
		body.Unseen = append(body.Unseen, cut(why))
	}
	if len(past.Runs) > 0 {
		if err := s.drawHistory(ctx, &body, drawing{of, past, r.URL.Query().Get("measurement")}); err != nil {
			return page{}, err
		}
		body.Runs, body.Note = tableOfPast(s.now(), of, past)
	}
	return page{Template: "schedule", Title: cut(of.Name), At: "schedule", Namespace: id.Namespace, Body: body}, nil
}

func factsOfSchedule(now time.Time, of *v1alpha1.BenchmarkSchedule) (out []fact) {
	out = append(out, fact{Name: "Namespace", Value: cut(of.Namespace)}, fact{Name: "When", Value: when(of)}, fact{Name: "Next", Value: next(now, of)})
	st := of.Status
	if l := st.LastRun; l != nil {
		out = append(out, fact{Name: "Last run", Value: cut(l.Outcome + ", " + ago(now, l.CompletionTime.Time))})
	}
	if len(st.Active) > 0 {
		out = append(out, fact{Name: "Not ended", Value: cut(st.Active[0].Name)})
	}
	if m := st.Missed; m != nil && m.Count > 0 {
		out = append(out, fact{Name: "Missed", Value: cut(fmt.Sprintf("%d: %s", m.Count, m.Message))})
	}
	return out
}

// tableOfPast runs, the newest first.
func tableOfPast(now time.Time, of *v1alpha1.BenchmarkSchedule, past contract.History) (t *table, note string) {
	t = &table{Caption: "Runs that have ended, the newest first", Head: []column{{Name: "Run"}, {Name: "Outcome"}, {Name: "Gate"}, {Name: "Started by"}, {"Ended", true}}}
	for i := len(past.Runs) - 1; i >= 0 && len(t.Rows) < mostRows; i-- {
		run := past.Runs[i]
		gate := "–"
		if run.Passed != nil {
			gate = map[bool]string{true: "Passed", false: "Failed"}[*run.Passed]
		}
		name := cell{Text: cut(run.Name), Below: cut(cmp.Or(run.Message, run.Verdict, run.Headline)), Heading: true}
		if at, err := keyFrom(of.Namespace, run.Name); err == nil { // anybody with rights on ConfigMaps wrote the name
			name.Link = linkTo("run", at.Namespace, at.Name)
		}
		t.Rows = append(t.Rows, []cell{name, {Text: cut(run.Outcome)}, {Text: gate}, {Text: cut(cmp.Or(run.Trigger, "–"))}, {Text: ago(now, run.CompletionTime), Number: true}})
	}
	note = "Of runs that are gone this is all there is."
	if more := len(past.Runs) - len(t.Rows); more > 0 {
		note += fmt.Sprintf(" %d more are in the history.", more)
	}
	if past.DroppedRuns > 0 {
		note += fmt.Sprintf(" The oldest %d were dropped from it: it was full.", past.DroppedRuns)
	}
	return t, note
}
