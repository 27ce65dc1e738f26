package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines"
)

// fakeDriver answers the queries that hold one of its keys.
type fakeDriver map[string][][2]string

// refused is the one row of a query that the server refuses to this account.
var refused = [2]string{"refused", "1227"}

func (f fakeDriver) Connect(context.Context) (driver.Conn, error) { return fakeConn{f}, nil }
func (f fakeDriver) Driver() driver.Driver                        { return nil }

type fakeConn struct{ fakeDriver }

func (fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not prepared") }
func (fakeConn) Close() error                        { return nil }
func (fakeConn) Begin() (driver.Tx, error)           { return nil, errors.New("no transactions") }

func (c fakeConn) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	for part, rows := range c.fakeDriver {
		if strings.Contains(query, part) {
			if len(rows) == 1 && rows[0] == refused {
				return nil, &mysql.MySQLError{Number: 1227, Message: "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation"}
			}
			return &fakeRows{rows}, nil
		}
	}
	return nil, errors.New("no such table")
}

type fakeRows struct{ left [][2]string }

func (*fakeRows) Columns() []string { return []string{"name", "value"} }
func (*fakeRows) Close() error      { return nil }

func (r *fakeRows) Next(row []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	row[0], row[1] = r.left[0][0], r.left[0][1]
	r.left = r.left[1:]
	return nil
}

// failing refuses each login, or else each question.
type failing struct{ login, question error }

func (f failing) Connect(context.Context) (driver.Conn, error) {
	return failingConn{question: f.question}, f.login
}
func (f failing) Driver() driver.Driver { return nil }

type failingConn struct {
	fakeConn
	question error
}

func (c failingConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return nil, c.question
}

// A server without the variable has no limit that is known; a login that is refused and a connection that ended are errors. What a real
// one says of an account is test/conformance.TestAnAccountWithALimitAndAServerThatIsReadOnly.
func TestAccountConnectionsOfAServerThatDoesNotSay(t *testing.T) {
	refusal := func(number uint16) error { return &mysql.MySQLError{Number: number} }
	tests := map[string]struct {
		server failing
		fails  bool
	}{
		"it has no such variable":            {failing{question: refusal(1193)}, false},
		"the variable is of no session":      {failing{question: refusal(1238)}, false},
		"it does not tell this account":      {failing{question: refusal(1227)}, false},
		"it shuts down":                      {failing{question: refusal(1053)}, true},
		"the connection broke":               {failing{question: errors.New("broken pipe")}, true},
		"it has no connection left":          {failing{login: refusal(1040)}, true},
		"the account has none left":          {failing{login: refusal(1226)}, true},
		"a refusal of the login that is new": {failing{login: refusal(4999)}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			n, err := newServer(sql.OpenDB(tc.server), "").AccountConnections(t.Context())
			if n != 0 || (err != nil) != tc.fails {
				t.Errorf("%d, %v", n, err)
			}
		})
	}
}

func TestNonDefault(t *testing.T) {
	mariadb := fakeDriver{"SELECT VERSION()": {{"11.8.6-MariaDB", "Debian"}}, "information_schema.SYSTEM_VARIABLES": {{"port", "3307"}, {"report_password", "hunter2"}}}
	oracle := fakeDriver{"SELECT VERSION()": {{"9.7.1", "MySQL Community Server - GPL"}}, "performance_schema.variables_info": {{"port", "3308"}}}
	tests := map[string]struct {
		server fakeDriver
		flavor string
		want   map[string]string
		err    string
	}{
		"MariaDB, without its secrets":     {mariadb, "MariaDB", map[string]string{"port": "3307"}, ""},
		"MySQL":                            {oracle, "MySQL", map[string]string{"port": "3308"}, ""},
		"a server that knows neither":      {fakeDriver{}, "MySQL", nil, "no such table"},
		"MariaDB is not asked as if MySQL": {oracle, "MariaDB", nil, "no such table"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e, _ := engines.Find(tc.flavor)
			got, err := newServer(sql.OpenDB(tc.server), "").NonDefault(t.Context(), e.Facts.NonDefault)
			if (err == nil) != (tc.err == "") || (err != nil && !strings.Contains(err.Error(), tc.err)) {
				t.Fatalf("error %v, want %q", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("variables (-want +got):\n%s", diff)
			}
		})
	}
}
