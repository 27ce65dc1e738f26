package tpch

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// answer is a server that has one answer for each query: rows, and how they end.
type answer struct {
	rows [][]driver.Value
	end  error
}

func (a answer) Connect(context.Context) (driver.Conn, error) { return conn{a}, nil }
func (a answer) Driver() driver.Driver                        { return nil }

type conn struct{ answer }

func (conn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("nothing is prepared here") }
func (conn) Begin() (driver.Tx, error)           { return nil, errors.New("nothing is written here") }
func (conn) Close() error                        { return nil }

func (c conn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &result{answer: c.answer}, nil
}

// result announces its columns before the first row, as a server does.
type result struct {
	answer
	next int
}

func (*result) Columns() []string { return []string{"code", "revenue"} }
func (*result) Close() error      { return nil }

func (r *result) Next(row []driver.Value) error {
	if r.next == len(r.rows) {
		return r.end
	}
	copy(row, r.rows[r.next])
	r.next++
	return nil
}

// said is what a function prints on the standard output.
func said(t *testing.T, f func()) string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdout
	os.Stdout = write
	f()
	os.Stdout = before
	_ = write.Close()
	text, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A query whose rows came to their end has a line with their number and their checksum, whatever their order. One that broke off in the
// middle of them has none, and fails.
func TestAResultIsPrintedWhenItWasReadToItsEnd(t *testing.T) {
	lost := errors.New("Error 1969 (70100): Query execution was interrupted")
	one, two, none := []driver.Value{"1", "12.50"}, []driver.Value{"2", "é"}, []driver.Value{"3", nil}
	for name, tt := range map[string]struct {
		answer answer
		check  bool // go-tpc has answers for scale factor 1 alone
		// line is the end of what is printed: the checksums are those of zlib. Empty for nothing.
		line, fails string
	}{
		"two rows":                               {answer: answer{[][]driver.Value{one, two}, io.EOF}, line: "Rows: 2, CRC-32: 26fec232"},
		"the same in another order":              {answer: answer{[][]driver.Value{two, one}, io.EOF}, line: "Rows: 2, CRC-32: 26fec232"},
		"a value that is NULL":                   {answer: answer{[][]driver.Value{none}, io.EOF}, line: "Rows: 1, CRC-32: f4f4f456"},
		"no row":                                 {answer: answer{nil, io.EOF}, line: "Rows: 0, CRC-32: 00000000"},
		"interrupted before the first row":       {answer: answer{nil, lost}, fails: "check q6 failed Error 1969"},
		"interrupted behind a row":               {answer: answer{[][]driver.Value{one}, lost}, fails: "check q6 failed Error 1969"},
		"interrupted, where answers are checked": {answer: answer{nil, lost}, check: true, fails: "check q6 failed Error 1969"},
		"another result than the answers":        {answer: answer{nil, io.EOF}, check: true, line: "Rows: 0, CRC-32: 00000000", fails: "check q6 failed expect 1 rows, got 0 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			scale := 10
			if tt.check {
				scale = 1
			}
			db := sql.OpenDB(tt.answer)
			defer func() { _ = db.Close() }()
			w := NewWorkloader(db, &Config{Driver: "mysql", QueryNames: []string{"q6"}, ScaleFactor: scale, EnableOutputCheck: tt.check})
			ctx := w.InitThread(context.Background(), 0)
			defer w.CleanupThread(ctx, 0)
			var err error
			text := said(t, func() { err = w.Run(ctx, 0) })
			if (err == nil) != (tt.fails == "") || err != nil && !strings.HasPrefix(err.Error(), tt.fails) {
				t.Errorf("got error %v, want %q", err, tt.fails)
			}
			line := regexp.MustCompile(`^\[Result\] Q6 - Began\(s\): [0-9]+\.[0-9]{6}, Takes\(s\): [0-9]+\.[0-9]{6}, ` + regexp.QuoteMeta(tt.line) + "\n$")
			if tt.line == "" && text != "" || tt.line != "" && !line.MatchString(text) {
				t.Errorf("printed %q, want a line with %q", text, tt.line)
			}
		})
	}
}
