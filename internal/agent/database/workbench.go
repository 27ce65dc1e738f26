package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/agent/dialogue"
	"github.com/assay-bench/assay/runners/runner"
)

// workbench is one connection that stays open while a tool runs.
type workbench struct {
	conn   *sql.Conn
	server *Server
}

// Workbench opens a connection that the caller closes. Creating a table fails if the requested
// storage engine is unavailable, even where the server would substitute another one.
func (s *Server) Workbench(ctx context.Context) (dialogue.Workbench, error) {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &workbench{conn: conn, server: s}
	err = w.Exec(ctx, "SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',NO_ENGINE_SUBSTITUTION'), autocommit = 1, lock_wait_timeout = 60")
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	return w, nil
}

// Close the connection.
func (w *workbench) Close() error { return w.conn.Close() }

// Exec executes a statement without an answer.
func (w *workbench) Exec(ctx context.Context, statement string) error {
	if _, err := w.conn.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", runner.Abridge(statement), err)
	}
	return nil
}

// Row is the single row of a query's result; a value is nil for NULL.
func (w *workbench) Row(ctx context.Context, query string) ([]*string, error) {
	_, rows, err := Rows(ctx, w.conn, query)
	if err == nil && len(rows) == 0 {
		err = errors.New("no row")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", runner.Abridge(query), err)
	}
	return rows[0], nil
}

// Counters are the server's status variables of these names without the part of this
// connection; the names in the result are in lower case. Two results are comparable, because
// each is read by the same two statements.
func (w *workbench) Counters(ctx context.Context, names []string) (map[string]int64, error) {
	list := "'" + strings.Join(names, "','") + "'"
	all := map[string]int64{}
	for _, part := range []struct {
		scope string
		sign  int64
	}{{"GLOBAL", 1}, {"SESSION", -1}} {
		pairs, err := w.server.meantOn(ctx, w.conn, "SHOW "+part.scope+" STATUS WHERE Variable_name IN ("+list+")", ofCounter)
		if err != nil {
			return nil, err
		}
		for name, text := range pairs {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("the status variable %s is %q, and no number", name, text)
			}
			// Servers count connections only globally: each session shows the same number.
			if name = strings.ToLower(name); part.sign < 0 && name == "connections" {
				continue
			}
			all[name] += part.sign * n
		}
	}
	return all, nil
}
