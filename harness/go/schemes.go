package main

import (
	"errors"
	"fmt"
	"slices"
)

// work is what the operations of one run do.
type work struct {
	template template
	data     [][]any // nil for a statement without parameters
	take     int     // rows per operation
	chunk    int
	inline   bool
	sink     *rows // nil for the kind Execute

	body     func(session) error // what a scheme does in one operation, on one session
	prepares bool                // the scheme prepares a statement that may be kept
	prepared statement           // kept on the dedicated connection

	at      int // the next row
	wrapped [][]any
	args    []any
}

// plan checks a request before anything is opened, so that what cannot be done is said without a failure.
func (h *harness) plan(r *request, c *connection) (*work, error) {
	if err := known(r); err != nil {
		return nil, err
	}
	if (r.Operations > 0) == (r.Seconds > 0) || r.Operations < 0 || r.Seconds < 0 {
		return nil, errors.New("either operations or seconds has to be greater than 0")
	}
	if r.Kind == "Connect" {
		return &work{}, nil
	}
	w := &work{template: newTemplate(r.Statement), take: r.RowsPerOperation, chunk: r.Chunk, inline: r.Inline}
	if err := w.hold(h.data, r.Data); err != nil {
		return nil, err
	}
	if r.Kind == "Encode" {
		if _, ok := c.client.(encoder); !ok {
			return nil, cannot("%s has no public function that encodes a statement without a server", c.driver.name)
		}
		if len(w.data) == 0 {
			return nil, errors.New("Encode needs a row of parameters")
		}
		return w, nil
	}
	if r.Kind == "Query" {
		w.sink = &rows{}
	}
	if c.driver.schemes[r.Scheme] == "" {
		return nil, cannot("%s cannot do the scheme %q", c.driver.name, r.Scheme)
	}
	return w, w.choose(r.Scheme)
}

func known(r *request) error {
	for _, field := range []struct{ name, got, first, second, third string }{
		{"session", r.Session, "Dedicated", "Pool", "New"},
		{"transaction", r.Transaction, "Autocommit", "One", ""},
	} {
		if !slices.Contains([]string{"", field.first, field.second, field.third}, field.got) {
			return cannot("the %s %q is not known here", field.name, field.got)
		}
	}
	if !slices.Contains([]string{"Execute", "Query", "Connect", "Encode"}, r.Kind) {
		return cannot("the kind %q is not known here", r.Kind)
	}
	return nil
}

// hold finds the rows of parameters, if the statement has any.
func (w *work) hold(all map[string][][]any, name string) error {
	if name == "" {
		if w.template.parameters() > 0 {
			return fmt.Errorf("the statement has parameters, but the request names no data: %s", w.template.text)
		}
		return nil
	}
	w.data = all[name]
	if len(w.data) == 0 {
		return fmt.Errorf("there are no rows with the name %q", name)
	}
	if w.take < 1 {
		return errors.New("rowsPerOperation has to be at least 1 where there are rows of parameters")
	}
	for i, row := range w.data {
		if len(row) != w.template.parameters() {
			return fmt.Errorf("row %d of %q has %d values, the statement %d parameters", i, name, len(row), w.template.parameters())
		}
		if !w.inline {
			continue
		}
		if _, ok := row[0].(int64); !ok {
			return fmt.Errorf("inline needs an integer as first parameter; in row %d of %q it is %T", i, name, row[0])
		}
	}
	return nil
}

// choose finds what an operation of the scheme does.
func (w *work) choose(scheme string) error {
	single := scheme == "SingleRow" || scheme == "Prepared"
	if w.data == nil && !single {
		return cannot("%s needs rows of parameters", scheme)
	}
	if w.inline && (!single || w.data == nil) {
		return cannot("inline goes with SingleRow and Prepared and with rows of parameters, not with %s", scheme)
	}
	if w.chunk < 1 && (scheme == "MultiRow" || scheme == "MultiStatement" || scheme == "InList") {
		return fmt.Errorf("%s needs a chunk of at least 1", scheme)
	}
	switch scheme {
	case "SingleRow":
		w.body = w.singleRow
	case "Prepared":
		w.prepares = !w.inline
		w.body = w.eachPrepared
	case "MultiRow", "InList":
		repeat := w.template.multiRow
		if scheme == "InList" {
			repeat = w.template.inList
		}
		repeated, err := repeat()
		w.body = w.chunks(func(s session, rows [][]any) error {
			return s.call(repeated.text(len(rows)), w.flattened(rows), w.sink)
		})
		return err
	case "MultiStatement":
		w.body = w.chunks(func(s session, rows [][]any) error { return s.calls(w.template, rows, w.sink) })
	default:
		w.body = func(s session) error { return s.(whole).all(w.template.text, w.next(), w.sink) }
	}
	return nil
}

func (w *work) begin() {
	if w.sink != nil {
		w.sink.begin()
	}
}

// next is the rows of one operation: those behind the operation before, and at the end the first ones again.
func (w *work) next() [][]any {
	if end := w.at + w.take; end <= len(w.data) {
		rows := w.data[w.at:end]
		w.at = end % len(w.data)
		return rows
	}
	w.wrapped = w.wrapped[:0]
	for range w.take {
		w.wrapped = append(w.wrapped, w.data[w.at])
		w.at = (w.at + 1) % len(w.data)
	}
	return w.wrapped
}

func (w *work) singleRow(s session) error {
	if w.data == nil {
		return s.call(w.template.text, nil, w.sink)
	}
	for _, row := range w.next() {
		text, args := w.template.text, row
		if w.inline {
			text, args = w.template.inlined(row[0].(int64)), row[1:]
		}
		if err := s.call(text, args, w.sink); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) chunks(do func(session, [][]any) error) func(session) error {
	return func(s session) error {
		rows := w.next()
		for len(rows) > 0 {
			n := min(w.chunk, len(rows))
			if err := do(s, rows[:n]); err != nil {
				return err
			}
			rows = rows[n:]
		}
		return nil
	}
}

// flattened is the parameters of all rows in one list, which the next call overwrites.
func (w *work) flattened(rows [][]any) []any {
	w.args = flatten(w.args[:0], rows)
	return w.args
}

func flatten(to []any, rows [][]any) []any {
	for _, row := range rows {
		to = append(to, row...)
	}
	return to
}
