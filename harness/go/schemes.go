package main

// work is what the operations of one run do.
type work struct {
	template template
	data     [][]any // nil for a statement without parameters
	take     int     // rows per operation; those of one stand together
	chunk    int
	inline   bool
	sink     *rows // nil where answers have no rows

	body     func(session) error // what a scheme does in one operation, on one session
	prepares bool                // the scheme prepares a statement that may be kept
	prepared statement           // kept on the dedicated connection

	at   int // the next row
	args []any
}

func newWork(r *request, data [][]any) *work {
	w := &work{template: newTemplate(r), data: data, take: r.RowsPerOperation, chunk: r.Chunk, inline: r.Inline}
	if r.Kind == "Query" {
		w.sink = &rows{}
	}
	switch r.Scheme {
	case "SingleRow":
		w.body = w.singleRow
	case "Prepared":
		w.prepares = true
		w.body = w.eachPrepared
	case "MultiRow", "InList":
		w.body = w.chunks(func(s session, rows [][]any) error {
			return s.call(w.template.repeated(len(rows)), w.flattened(rows), nil)
		})
	case "MultiStatement":
		w.body = w.chunks(func(s session, rows [][]any) error { return s.calls(w.template, rows) })
	default:
		w.body = func(s session) error { return s.(whole).all(w.template.text, w.next()) }
	}
	return w
}

// seek goes to the rows of the operation with a number.
func (w *work) seek(number int64) {
	if len(w.data) > 0 {
		w.at = int(number%int64(len(w.data)/w.take)) * w.take
	}
}

func (w *work) begin() {
	if w.sink != nil {
		w.sink.begin()
	}
}

// next is the rows of one operation: those behind the operation before, and at the end the first ones again.
func (w *work) next() [][]any {
	if w.data == nil {
		return nil // a statement without parameters, once per operation
	}
	rows := w.data[w.at : w.at+w.take]
	w.at = (w.at + w.take) % len(w.data)
	return rows
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
