package tpch

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// busy is a server whose connections have ids, and that is told which of their queries to end.
type busy struct {
	mu     sync.Mutex
	opened int64
	killed []string
	// answers to KILL, in their order; the last one to all others.
	answers []error
	// elsewhere: connections after the second one lead to another server.
	elsewhere bool
}

func (b *busy) Connect(context.Context) (driver.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened++
	return busyConn{conn{}, b, b.opened}, nil
}

func (*busy) Driver() driver.Driver { return nil }

type busyConn struct {
	conn
	server *busy
	id     int64
}

func (c busyConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	where := "a:3306:1"
	if c.server.elsewhere && c.id > 2 {
		where = "b:3306:1"
	}
	return &one{row: []driver.Value{c.id, where}}, nil
}

func (c busyConn) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	answer := c.server.answers[min(len(c.server.killed), len(c.server.answers)-1)]
	c.server.killed = append(c.server.killed, query)
	return driver.ResultNoRows, answer
}

// one row.
type one struct{ row []driver.Value }

func (*one) Columns() []string { return []string{"id", "server"} }
func (*one) Close() error      { return nil }

func (r *one) Next(row []driver.Value) error {
	if r.row == nil {
		return io.EOF
	}
	copy(row, r.row)
	r.row = nil
	return nil
}

// Queries of all connections are ended again and again, until there is none. The first refusal is said, and a server that cannot be reached is
// asked again. On another server the ids would be those of others.
func TestQueriesAreEnded(t *testing.T) {
	owner := &mysql.MySQLError{Number: 1095, Message: "You are not owner of thread 1"}
	for name, tt := range map[string]struct {
		server *busy
		// kills that are waited for.
		kills int
		said  string
	}{
		"until there is none":            {&busy{answers: []error{nil}}, 6, ""},
		"a connection that is lost":      {&busy{answers: []error{errors.New("invalid connection"), nil}}, 5, ""},
		"a server that refuses":          {&busy{answers: []error{nil, owner}}, 2, "[Result] KILL QUERY - Refused: Error 1095: You are not owner of thread 1\n"},
		"another server behind the name": {&busy{answers: []error{nil}, elsewhere: true}, 0, "[Result] KILL QUERY - Refused: the connection for it leads to another server than that of the queries\n"},
	} {
		t.Run(name, func(t *testing.T) {
			server := tt.server
			db := sql.OpenDB(server)
			defer func() { _ = db.Close() }()
			var all Interrupts
			for i := 0; i < 2; i++ {
				c, err := db.Conn(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if err := all.Join(context.Background(), c); err != nil {
					t.Fatal(err)
				}
			}
			interrupted := &mysql.MySQLError{Number: 1317, Message: "Query execution was interrupted"}
			if text := said(t, func() { _ = all.Ended("q1", time.Now(), interrupted) }); text != "" {
				t.Errorf("a query that failed before the end: %q", text)
			}
			done, ended := make(chan struct{}), make(chan string)
			go func() { ended <- said(t, func() { all.All(db, done) }) }()
			for killed := -1; killed < tt.kills; time.Sleep(time.Millisecond) {
				server.mu.Lock()
				killed = len(server.killed)
				server.mu.Unlock()
			}
			time.Sleep(2 * again) // what is said twice would be said by then
			close(done)
			if text := <-ended; text != tt.said {
				t.Errorf("said %q, want %q", text, tt.said)
			}
			slices.Sort(server.killed)
			if got := strings.Join(slices.Compact(server.killed), ", "); tt.kills > 0 && got != "KILL QUERY 1, KILL QUERY 2" {
				t.Errorf("got %s", got)
			}
			if text := said(t, func() { _ = all.Ended("q1", time.Now(), interrupted) }); !regexp.MustCompile(`^\[Result\] Q1 - Began\(s\): [0-9]+\.[0-9]{6}, Interrupted\(s\): [0-9]+\.[0-9]{6}\n$`).MatchString(text) {
				t.Errorf("a query that was ended: %q", text)
			}
			for _, err := range []error{errors.New("invalid connection"), &mysql.MySQLError{Number: 1146, Message: "Table 'a.b' doesn't exist"}} {
				if all.Ended("q1", time.Now(), err) {
					t.Errorf("%v was ended by nobody", err)
				}
			}
		})
	}
}

// Rows that are not kept are counted, and a query that breaks off is none.
func TestAResultIsDrained(t *testing.T) {
	lost := errors.New("Error 1969 (70100): Query execution was interrupted")
	for name, tt := range map[string]struct {
		answer answer
		line   string
	}{
		"two rows":    {answer{[][]driver.Value{{"1", "2"}, {"3", nil}}, io.EOF}, ", Rows: 2\n"},
		"interrupted": {answer{[][]driver.Value{{"1", "2"}}, lost}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			db := sql.OpenDB(tt.answer)
			defer func() { _ = db.Close() }()
			rows, err := db.Query("select 1")
			if err != nil {
				t.Fatal(err)
			}
			text := said(t, func() { err = DrainResult("q6", time.Now(), rows) })
			if errors.Is(err, lost) != (tt.line == "") || !strings.HasSuffix(text, tt.line) || (text == "") != (tt.line == "") {
				t.Errorf("%v, printed %q, want %q", err, text, tt.line)
			}
		})
	}
}
