package main

// keepPrepared prepares the statement of a run before its operations, on the connection that all of them use.
func (w *work) keepPrepared(s session) (err error) {
	if w.prepares {
		w.prepared, err = s.prepare(w.template.text)
	}
	return err
}

func (w *work) closePrepared() error {
	if w.prepared == nil {
		return nil
	}
	return w.prepared.close()
}

// eachPrepared executes the prepared statement once per row. Where none was kept (each operation has a connection of its
// own) it is prepared here.
func (w *work) eachPrepared(s session) error {
	if w.prepared != nil {
		return w.executions(w.prepared)
	}
	p, err := s.prepare(w.template.text)
	if err != nil {
		return err
	}
	err = w.executions(p)
	if closed := p.close(); err == nil {
		err = closed
	}
	return err
}

func (w *work) executions(p statement) error {
	if w.data == nil {
		return p.call(nil, w.sink)
	}
	for _, row := range w.next() {
		if err := p.call(row, w.sink); err != nil {
			return err
		}
	}
	return nil
}
