package ui

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report"
)

const (
	// mostCompared runs are compared with each other on a page.
	mostCompared = 2
	// mostNotes are shown of what the verification says, in bytes.
	mostNotes = 16 << 10
)

// comparePage is the choice of two runs, and what is said of them.
type comparePage struct {
	Namespace string
	// First and Second run that are chosen, as namespace/name. Known are the runs to choose from.
	First, Second string
	Known         []string
	// Problem in place of a result.
	Problem *problem
	// Answer is what both show together, Ratios the evidence for it.
	Answer, Ratios template.HTML
	Sections       []linesOf
	// Notes are what the verification says.
	Notes string
}

type linesOf struct {
	Title string
	Lines []string
}

// compare two runs: the first one is what the second one is compared with.
func (s *site) compare(ctx context.Context, r *http.Request) (page, error) {
	namespace, err := s.namespaceOf(r)
	if err != nil {
		return page{}, err
	}
	body := comparePage{Namespace: namespace}
	heads, _, err := s.heads(ctx, namespace)
	if err != nil { // runs that may be read may be compared, whether they may be listed or not
		_, words := problemOf(err)
		body.Problem = &words
	}
	for _, h := range heads {
		if h.Ended != nil && len(body.Known) < mostRows {
			body.Known = append(body.Known, h.Namespace+"/"+h.Name)
		}
	}
	var runs []stored.Source
	for i, text := range r.URL.Query()["run"] {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		in, name, has := strings.Cut(text, "/")
		if !has {
			in, name = namespace, text
		}
		id, err := keyFrom(in, name)
		if err != nil || i >= mostCompared {
			return page{}, refusal{http.StatusBadRequest, "Two runs are compared, each as NAMESPACE/NAME."}
		}
		runs = append(runs, stored.InCluster(s.api, id))
		if body.First == "" && i == 0 {
			body.First = id.String()
		} else {
			body.Second = id.String()
		}
	}
	p := page{Template: "compare", Title: "Compare two runs", At: "compare", Namespace: namespace}
	if len(runs) == mostCompared {
		if err := s.tell(ctx, &body, runs); err != nil {
			return page{}, err
		}
	}
	p.Body = body
	return p, nil
}

// tell what the command `compare` says of runs.
func (s *site) tell(ctx context.Context, body *comparePage, runs []stored.Source) error {
	var notes bytes.Buffer
	doc, err := s.read.Compare(ctx, runs, &notes)
	body.Notes = contract.Clean(contract.Cut(notes.String(), mostNotes))
	body.Problem = nil
	if err != nil {
		_, words := problemOf(err)
		if errors.Is(err, exit.ErrDiffers) {
			words = problem{Text: "Nothing is compared: a run is not what it has stored. What the verification says names it."}
		}
		body.Problem = &words
		return nil
	}
	var all []readout.Verdict
	var ratios, variations []string
	for _, c := range doc.Comparisons {
		all = append(all, c.Verdict)
		if len(c.Ratios) > 0 {
			ratios = append(ratios, c.Subject+": "+strings.Join(c.Ratios, ", "))
		}
		if c.Variation != nil {
			variations = append(variations, c.Subject+": "+c.Variation.Text)
		}
	}
	for _, part := range []linesOf{{"Caveats", doc.Caveats}, {"Compared", doc.Compared}, {"Between the runs", doc.Between},
		{"Ratios of the runs by themselves", ratios}, {"What varies, and what to repeat", variations}} {
		if len(part.Lines) == 0 {
			continue
		}
		for i := range part.Lines {
			part.Lines[i] = cut(part.Lines[i])
		}
		part.Lines = part.Lines[:min(len(part.Lines), mostRows)]
		body.Sections = append(body.Sections, part)
	}
	if body.Answer, err = report.Answer(doc.Answer); err != nil {
		return err
	}
	body.Ratios, err = report.Ratios(all, report.Basis{Method: doc.Method})
	return err
}
