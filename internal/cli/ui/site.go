package ui

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report"
)

// Reading of whole runs, as the commands `report` and `compare` read them.
type Reading struct {
	// Report writes a run as a page that needs nothing else.
	Report func(context.Context, stored.Source, io.Writer) error
	// Compare verifies runs and analyses them together. Notes get what the verification says.
	Compare func(ctx context.Context, runs []stored.Source, notes io.Writer) (readout.Comparisons, error)
}

// Bounds of a page.
const (
	// pagePatience is how long a page may take.
	pagePatience = time.Minute
	// maxPage is its size in bytes. A report has less than 5 MB.
	maxPage = 8 << 20
	// maxText of a field, in characters.
	maxText = 400
	// maxHeavy pages that read whole runs are made at a time: each takes up to stored.MaxMemory.
	maxHeavy = 2
)

// site is all pages.
type site struct {
	api client.Reader
	// namespace of the user.
	namespace string
	read      Reading
	now       func() time.Time
	heavy     chan struct{}
	seen      seen
}

func newSite(api client.Reader, namespace string, read Reading) *site {
	return &site{api: api, namespace: namespace, read: read, now: time.Now, heavy: make(chan struct{}, maxHeavy)}
}

// page is what the template shows.
type page struct {
	// Template names the content, Title the page, and At the entry of the navigation.
	Template, Title, At string
	// Namespace that the lists are of; empty for all.
	Namespace string
	// Body of the template.
	Body any
	// whole is a page that is complete already.
	whole []byte
	code  int
}

var (
	//go:embed page.html
	pageText string
	//go:embed ui.css
	styleText string
	//go:embed live.js
	scriptText string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// handler of all pages, without the guard.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page(s.runs))
	mux.HandleFunc("GET /run/{namespace}/{name}", s.page(s.run))
	mux.HandleFunc("GET /report/{namespace}/{name}", s.page(s.one(s.report)))
	mux.HandleFunc("GET /schedules", s.page(s.schedules))
	mux.HandleFunc("GET /schedule/{namespace}/{name}", s.page(s.one(s.schedule)))
	mux.HandleFunc("GET /compare", s.page(s.one(s.compare)))
	mux.HandleFunc("GET /style.css", text("text/css; charset=utf-8", report.Style()+styleText))
	mux.HandleFunc("GET /live.js", text("text/javascript; charset=utf-8", scriptText))
	mux.HandleFunc("GET /", s.page(func(context.Context, *http.Request) (page, error) {
		return page{}, refusal{http.StatusNotFound, "There is no such page."}
	}))
	return mux
}

func text(kind, content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, content) // a browser that is gone needs nothing
	}
}

// refusal is an error in words for a reader, with the status of the answer.
type refusal struct {
	code int
	text string
}

func (r refusal) Error() string { return r.text }

// page in its frame. It is written when it is complete, so that an error is never half of a page.
func (s *site) page(of func(context.Context, *http.Request) (page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), pagePatience)
		defer cancel()
		p, err := of(ctx, r)
		if err != nil {
			p = pageOf(err)
		}
		whole := p.whole
		if whole == nil {
			if p.Namespace == "" && p.At == "" {
				p.Namespace = s.namespace
			}
			out := bounded{most: maxPage}
			if err := pageTemplate.Execute(&out, p); err != nil {
				http.Error(w, "The page cannot be written: "+contract.Line(err.Error()), http.StatusInternalServerError)
				return
			}
			whole = out.Bytes()
		} else { // a report has its style in itself
			w.Header().Set("Content-Security-Policy", report.Policy()+"; frame-ancestors 'none'")
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if p.code != 0 {
			w.WriteHeader(p.code)
		}
		_, _ = w.Write(whole) // a browser that is gone needs no page
	}
}

// one of the pages that read whole runs, when it is its turn.
func (s *site) one(of func(context.Context, *http.Request) (page, error)) func(context.Context, *http.Request) (page, error) {
	return func(ctx context.Context, r *http.Request) (page, error) {
		select {
		case s.heavy <- struct{}{}:
			defer func() { <-s.heavy }()
			return of(ctx, r)
		case <-ctx.Done():
			return page{}, ctx.Err()
		}
	}
}

// bounded is a buffer that takes so many bytes.
type bounded struct {
	bytes.Buffer
	most int
}

var errTooLong = errors.New("it is too long for a page: kubectl assay has it in the terminal")

// Write fails for a byte too many.
func (b *bounded) Write(data []byte) (int, error) {
	if b.Len()+len(data) > b.most {
		return 0, errTooLong
	}
	return b.Buffer.Write(data)
}

// problem is what a page says of an error.
type problem struct {
	Text string
	// Server is what the API server said.
	Server string
}

// pageOf an error.
func pageOf(err error) page {
	p := page{Template: "problem", Title: "Nothing to show"}
	p.code, p.Body = problemOf(err)
	return p
}

// problemOf an error in words.
func problemOf(err error) (int, problem) {
	var refused refusal
	server := cut(err.Error())
	switch {
	case errors.As(err, &refused):
		return refused.code, problem{Text: refused.text}
	case apierrors.IsForbidden(err):
		return http.StatusForbidden, problem{"A right is missing: the API server does not let you read this. The message names the right, and who may give it is whoever manages the cluster. " +
			"The role “view” of a namespace has all that these pages read.", server}
	case apierrors.IsUnauthorized(err):
		return http.StatusForbidden, problem{"The API server does not know you: log in to the cluster again, and load the page again.", server}
	case apierrors.IsNotFound(err):
		return http.StatusNotFound, problem{"It is not there, or not any more.", server}
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout, problem{fmt.Sprintf("It took more than %s. Load the page again, or use the command in a terminal.", pagePatience), server}
	}
	return http.StatusBadGateway, problem{"It cannot be shown.", server}
}

// keyOf the object that a path names.
func keyOf(r *http.Request) (client.ObjectKey, error) {
	return keyFrom(r.PathValue("namespace"), r.PathValue("name"))
}

func keyFrom(namespace, name string) (client.ObjectKey, error) {
	if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return client.ObjectKey{}, refusal{http.StatusBadRequest, "No object has this name."}
	}
	return client.ObjectKey{Namespace: namespace, Name: name}, nil
}

// namespaceOf a request: that of the user without one, all for an empty one.
func (s *site) namespaceOf(r *http.Request) (string, error) {
	if !r.URL.Query().Has("namespace") {
		return s.namespace, nil
	}
	namespace := strings.TrimSpace(r.URL.Query().Get("namespace"))
	if namespace != "" && len(validation.IsDNS1123Label(namespace)) > 0 {
		return "", refusal{http.StatusBadRequest, "No namespace has this name."}
	}
	return namespace, nil
}

// cut is a text of anybody on one line.
func cut(text string) string {
	runes := []rune(contract.Line(text))
	if len(runes) <= maxText {
		return string(runes)
	}
	return string(runes[:maxText-1]) + "…"
}
