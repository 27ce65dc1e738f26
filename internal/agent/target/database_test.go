package target

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// fakeDatabase answers the statements of replication.
type fakeDatabase struct {
	mu sync.Mutex
	// status are the columns and the values of the one line that tells of replication; none
	// for a server that follows nobody.
	columns []string
	status  []driver.Value
	// reached is the answer to the question for a position.
	reached driver.Value
	// broken is the error of every statement that begins with its key.
	broken map[string]error
	// variables are the global ones, and pull changes others when one is set.
	variables map[string]string
	pull      func(name string)
	// said are the statements in their order, with their arguments.
	said []statement
}

type statement struct {
	text string
	args []driver.Value
}

// Words of the fake engine.
const (
	askStatus   = "SHOW STATUS OF REPLICATION"
	askPosition = "WAIT FOR ? ?"
)

func openFake(t *testing.T, f *fakeDatabase) *sql.DB {
	t.Helper()
	db := sql.OpenDB(f)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (f *fakeDatabase) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// lag makes it a replica that follows, that many seconds behind.
func (f *fakeDatabase) lag(seconds driver.Value) {
	f.set(func() {
		f.columns = []string{"Slave_IO_Running", "Slave_SQL_Running", "Seconds_Behind_Master", "Last_IO_Error"}
		f.status = []driver.Value{"Yes", "Yes", seconds, ""}
	})
}

// stop makes it a replica whose primary refuses it.
func (f *fakeDatabase) stop(why string) {
	f.lag(nil)
	f.set(func() { f.status[0], f.status[3] = "No", why })
}

func (f *fakeDatabase) Connect(context.Context) (driver.Conn, error) { return fakeConn{f}, nil }
func (f *fakeDatabase) Driver() driver.Driver                        { return nil }

type fakeConn struct{ *fakeDatabase }

func (fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not prepared here") }

// CheckNamedValue takes any number, as the driver of MySQL does.
func (fakeConn) CheckNamedValue(*driver.NamedValue) error { return nil }
func (fakeConn) Close() error                             { return nil }
func (fakeConn) Begin() (driver.Tx, error)                { return nil, errors.New("no transactions here") }

func (c fakeConn) note(query string, args []driver.NamedValue) error {
	one := statement{text: query}
	for _, a := range args {
		one.args = append(one.args, a.Value)
	}
	c.said = append(c.said, one)
	return c.broken[query]
}

func (c fakeConn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.note(query, args)
	if name, is := strings.CutPrefix(query, "SET GLOBAL `"); is && err == nil && c.variables != nil {
		name, _, _ = strings.Cut(name, "`")
		c.variables[name] = fmt.Sprint(args[0].Value)
		if c.pull != nil {
			c.pull(name)
		}
	}
	return driver.ResultNoRows, err
}

func (c fakeConn) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if query == "SHOW GLOBAL VARIABLES" {
		rows := &fakeRows{columns: []string{"Variable_name", "Value"}}
		for name, value := range c.variables {
			rows.lines = append(rows.lines, []driver.Value{name, value})
		}
		return rows, c.broken[query]
	}
	if err := c.note(query, args); err != nil {
		return nil, err
	}
	if query == askPosition {
		return &fakeRows{columns: []string{"reached"}, lines: [][]driver.Value{{c.reached}}}, nil
	}
	rows := &fakeRows{columns: c.columns}
	if c.status != nil {
		rows.lines = [][]driver.Value{c.status}
	}
	return rows, nil
}

// fakeRows are lines.
type fakeRows struct {
	columns []string
	lines   [][]driver.Value
}

func (r *fakeRows) Columns() []string { return r.columns }
func (r *fakeRows) Close() error      { return nil }

func (r *fakeRows) Next(into []driver.Value) error {
	if len(r.lines) == 0 {
		return io.EOF
	}
	copy(into, r.lines[0])
	r.lines = r.lines[1:]
	return nil
}
