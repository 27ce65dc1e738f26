package ui

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report"
)

const (
	// mostObjects are read for a list, and mostRows of them are shown, the newest ones.
	mostObjects, mostRows = 1000, 200
)

// listing is a list with what was left out of it.
type listing struct {
	Table *table
	// Empty says what to do without any object, Note what is left out.
	Empty, Note string
}

// runs is the list of runs of a namespace, or of all.
func (s *site) runs(ctx context.Context, r *http.Request) (page, error) {
	namespace, err := s.namespaceOf(r)
	if err != nil {
		return page{}, err
	}
	p := page{Template: "list", Title: "Runs", At: "runs", Namespace: namespace}
	heads, more, err := s.heads(ctx, namespace)
	if err != nil {
		p.Template = "unlisted"
		p.code, p.Body = problemOf(err)
		return p, nil
	}
	body := listing{Empty: "There are no runs here. kubectl assay new writes one, and kubectl assay run -f FILE starts it."}
	if len(heads) > 0 {
		body.Table = s.tableOf(heads[:min(len(heads), mostRows)], namespace == "")
	}
	switch {
	case more:
		body.Note = fmt.Sprintf("There are more than %d runs. Of the first ones by name, the newest are shown. kubectl assay get lists all of a namespace.", mostObjects)
	case len(heads) > mostRows:
		body.Note = fmt.Sprintf("The newest %d of %d runs are shown. kubectl assay get lists all.", mostRows, len(heads))
	}
	p.Body = body
	return p, nil
}

// heads of the runs, the newest first. More says that there are more than are read.
func (s *site) heads(ctx context.Context, namespace string) (out []readout.RunHead, more bool, err error) {
	out, more, err = show.Heads(ctx, s.api, namespace, mostObjects)
	slices.SortStableFunc(out, func(a, b readout.RunHead) int { return b.Created.Compare(a.Created) })
	return out, more, err
}

func (s *site) tableOf(heads []readout.RunHead, all bool) *table {
	t := &table{Caption: "Runs, the newest first"}
	if all {
		t.Head = append(t.Head, column{Name: "Namespace"})
	}
	t.Head = append(t.Head, column{Name: "Run"}, column{Name: "Outcome"}, column{"Trials", true}, column{"Age", true})
	now := s.now()
	for _, h := range heads {
		var row []cell
		if all {
			row = append(row, cell{Text: cut(h.Namespace)})
		}
		t.Rows = append(t.Rows, append(row,
			cell{Text: cut(h.Name), Link: linkTo("run", h.Namespace, h.Name), Below: cut(h.Shows()), Heading: true},
			outcomeOf(h),
			cell{Text: fmt.Sprintf("%d of %d", h.Trials.Done, h.Trials.Planned), Number: true},
			cell{Text: duration.HumanDuration(now.Sub(h.Created)), Number: true}))
	}
	return t
}

func linkTo(kind, namespace, name string) string { return "/" + kind + "/" + namespace + "/" + name }

// outcomeOf a run in a word, with its icon.
func outcomeOf(h readout.RunHead) cell {
	return cell{Icon: report.Icon(h.Tone()), Text: cut(h.Outcome)}
}
