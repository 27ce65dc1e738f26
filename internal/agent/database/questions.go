package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// checksumTime is the timeout for the checksums of all tables together: they read every row,
// and are only an addition to the counts.
const checksumTime = time.Minute

// secret is the variable that may hold a password.
const secret = "report_password"

// Version is VERSION() and version_comment of the server.
func (s *Server) Version(ctx context.Context) (version, comment string, err error) {
	err = s.with(ctx, func(c *sql.Conn) error {
		version, comment, err = versionOn(ctx, c)
		return err
	})
	return version, comment, err
}

func versionOn(ctx context.Context, c *sql.Conn) (version, comment string, err error) {
	err = c.QueryRowContext(ctx, "SELECT VERSION(), @@version_comment").Scan(&version, &comment)
	return version, comment, err
}

// Variables are all global variables that mean something, without secrets.
func (s *Server) Variables(ctx context.Context) (map[string]string, error) {
	return s.NonDefault(ctx, "SHOW GLOBAL VARIABLES")
}

// NonDefault are the global variables that a statement lists, as name and value, without secrets:
// those that differ from the server's own defaults (engine.Facts.NonDefault). It fails on a server
// that does not report them.
func (s *Server) NonDefault(ctx context.Context, statement string) (map[string]string, error) {
	all, err := s.meant(ctx, statement, ofVariable)
	delete(all, secret)
	return all, err
}

// Status is every global status variable that the server counts, and the gauges of its flavor that are no status variables, where
// the account may read them.
func (s *Server) Status(ctx context.Context) (all map[string]string, err error) {
	err = s.with(ctx, func(c *sql.Conn) error {
		gauges, err := gaugesOn(ctx, s, c)
		if err == nil {
			all, err = s.meantOn(ctx, c, "SHOW GLOBAL STATUS", ofCounter)
		}
		if err == nil {
			maps.Copy(all, gauges)
		}
		return err
	})
	return all, err
}

// gaugesOn a connection; none where the server refuses them. It is not asked again where that lasts.
func gaugesOn(ctx context.Context, s *Server, c *sql.Conn) (map[string]string, error) {
	facts, err := factsOn(ctx, s, c)
	if err != nil || facts.Gauges == "" || s.untold.Load() {
		return nil, err
	}
	all, err := s.meantOn(ctx, c, facts.Gauges, ofCounter)
	if refusal := new(mysql.MySQLError); errors.As(err, &refusal) {
		// Another error, such as that of a server that stops, may not come again.
		s.untold.Store(slices.Contains([]uint16{1227, 1142, 1109, 1146}, refusal.Number)) // no right, no table
		return nil, nil
	}
	return all, err
}

// Session has the TLS version and the cipher of one connection of the benchmark's account;
// both are empty without TLS, and where the server does not tell.
func (s *Server) Session(ctx context.Context) (tlsVersion, cipher string, err error) {
	all, err := s.meant(ctx, "SHOW SESSION STATUS LIKE 'Ssl\\_%'", ofCounter)
	return all["Ssl_version"], all["Ssl_cipher"], err
}

// AccountConnections is how many connections the server allows to the account at a time, by the limit of the account or else of all
// accounts; 0 for no limit, and for a server that has no such variable or does not say. No global variable shows the limit of one account.
// A login that is refused is an error.
func (s *Server) AccountConnections(ctx context.Context) (n int64, err error) {
	err = s.with(ctx, func(c *sql.Conn) error {
		err := c.QueryRowContext(ctx, "SELECT @@SESSION.max_user_connections").Scan(&n)
		kind, refusal := KindOf(err), new(mysql.MySQLError)
		// Without the variable servers answer 1193, 1238 (it has no value for sessions) or a number of their own.
		if errors.As(err, &refusal) && (kind == servererror.Unknown || kind == servererror.NoPrivilege) {
			return nil
		}
		return err
	})
	return n, err
}

// querier is a connection, or several.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Rows of a query's result, with the names of the columns; a value is nil for NULL.
func Rows(ctx context.Context, c querier, query string, args ...any) (columns []string, rows [][]*string, err error) {
	result, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = result.Close() }()
	if columns, err = result.Columns(); err != nil {
		return nil, nil, err
	}
	for result.Next() {
		row, into := make([]*string, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := result.Scan(into...); err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
	}
	return columns, rows, result.Err()
}

// Tables counts the rows of every table of the benchmark's schema, by name. unchecked names
// the tables without a checksum and the reason; it is empty when all have one.
func (s *Server) Tables(ctx context.Context) (tables []contract.Table, unchecked string, err error) {
	if tables, err = s.Count(ctx); err != nil {
		return nil, "", err
	}
	return tables, addChecksums(ctx, s, tables, checksumTime), nil
}

// Count the rows of the tables of the schema, in the order of their names.
func (s *Server) Count(ctx context.Context) (tables []contract.Table, err error) {
	err = s.with(ctx, func(c *sql.Conn) error {
		_, names, err := Rows(ctx, c,
			"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME", s.database)
		if err != nil {
			return fmt.Errorf("listing the tables of %s: %w", s.database, err)
		}
		for _, row := range names {
			t := contract.Table{Name: *row[0]}
			if err := c.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+quoted(s.database, t.Name)).Scan(&t.Rows); err != nil {
				return fmt.Errorf("counting the rows of %s: %w", t.Name, err)
			}
			tables = append(tables, t)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return tables, nil
}

// mostCounted rows of a table are counted: that takes a fraction of a second.
const mostCounted = 2_000_000

// Look at those of some tables that exist in the schema, in any case of their names: their rows are counted where there are few, and as
// the server estimates them otherwise. It writes nothing.
func (s *Server) Look(ctx context.Context, names []string) (tables []contract.Table, err error) {
	err = s.with(ctx, func(c *sql.Conn) error {
		// MySQL 8 answers from a cache that is a day old; other servers have no such variable.
		if _, err := c.ExecContext(ctx, "SET SESSION information_schema_stats_expiry = 0"); err != nil {
			if refusal := new(mysql.MySQLError); !errors.As(err, &refusal) {
				return fmt.Errorf("asking for estimates of now: %w", err)
			}
		}
		_, found, err := Rows(ctx, c,
			"SELECT TABLE_NAME, COALESCE(TABLE_ROWS, 0) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME", s.database)
		if err != nil {
			return fmt.Errorf("listing the tables of %s: %w", s.database, err)
		}
		for _, row := range found {
			t := contract.Table{Name: *row[0], Estimated: true}
			if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, t.Name) }) {
				continue
			}
			if t.Rows, err = strconv.ParseInt(*row[1], 10, 64); err != nil {
				return fmt.Errorf("the estimated rows of %s: %w", t.Name, err)
			}
			if t.Rows <= mostCounted {
				t.Estimated = false
				if err := c.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+quoted(s.database, t.Name)).Scan(&t.Rows); err != nil {
					return fmt.Errorf("counting the rows of %s: %w", t.Name, err)
				}
			}
			tables = append(tables, t)
		}
		return nil
	})
	return tables, err
}

// addChecksums sets the checksums within the timeout; an error leaves the rest absent. It
// returns the tables without a checksum and the reason.
func addChecksums(ctx context.Context, s *Server, tables []contract.Table, most time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := s.with(ctx, func(c *sql.Conn) error {
		for i, t := range tables {
			var name string
			var sum sql.NullInt64
			if err := c.QueryRowContext(ctx, "CHECKSUM TABLE "+quoted(s.database, t.Name)).Scan(&name, &sum); err != nil {
				return err
			}
			if sum.Valid {
				tables[i].Checksum = &sum.Int64
			}
		}
		return nil
	})
	without := slices.DeleteFunc(slices.Clone(tables), func(t contract.Table) bool { return t.Checksum != nil })
	switch {
	case len(without) == 0:
		return ""
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Sprintf("%s no checksum: those of all tables may take %s together: make the tables smaller, or rely on the number of rows alone", have(without, len(tables)), most)
	case err != nil:
		return fmt.Sprintf("%s no checksum: CHECKSUM TABLE: %v", have(without, len(tables)), err)
	}
	return have(without, len(tables)) + " no checksum: the server gave NULL"
}

// have names the first tables of a list, as the start of a sentence.
func have(tables []contract.Table, of int) string {
	const most = 3
	var names []string
	for _, t := range tables[:min(len(tables), most)] {
		names = append(names, t.Name)
	}
	if len(tables) > most {
		names = append(names, "...")
	}
	return fmt.Sprintf("%d of %d tables (%s) have", len(tables), of, strings.Join(names, ", "))
}

func quoted(database, table string) string {
	quote := func(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
	return quote(database) + "." + quote(table)
}

// meaning is the fact which of a kind of names mean what they say; nil for all.
type meaning func(engine.Facts) func(name string) bool

func ofVariable(f engine.Facts) func(string) bool { return f.Variable }
func ofCounter(f engine.Facts) func(string) bool  { return f.Counter }

// meant are the names and values in the result of a query, without those that the server shows
// for compatibility alone: what it does not count is absent, and not 0.
func (s *Server) meant(ctx context.Context, query string, which meaning) (map[string]string, error) {
	var all map[string]string
	err := s.with(ctx, func(c *sql.Conn) error {
		var err error
		all, err = s.meantOn(ctx, c, query, which)
		return err
	})
	return all, err
}

func (s *Server) meantOn(ctx context.Context, c *sql.Conn, query string, which meaning) (map[string]string, error) {
	facts, err := factsOn(ctx, s, c)
	if err != nil {
		return nil, err
	}
	_, rows, err := Rows(ctx, c, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	all, means := map[string]string{}, which(facts)
	for _, row := range rows {
		if name, value := row[0], row[1]; value != nil && (means == nil || means(strings.ToLower(*name))) {
			all[*name] = *value
		}
	}
	return all, nil
}

// factsOn a connection, of the flavor. The server is asked once, because it stays the same.
func factsOn(ctx context.Context, s *Server, c *sql.Conn) (engine.Facts, error) {
	if known := s.known.Load(); known != nil {
		return *known, nil
	}
	version, comment, err := versionOn(ctx, c)
	if err != nil {
		return engine.Facts{}, err
	}
	facts := engines.Identify(version, comment, nil).Facts
	s.known.Store(&facts)
	return facts, nil
}
