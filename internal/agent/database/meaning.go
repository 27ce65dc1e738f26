package database

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
)

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
	facts, err := s.facts(ctx, c)
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

// facts of the flavor. The server is asked once, because it stays the same.
func (s *Server) facts(ctx context.Context, c *sql.Conn) (engine.Facts, error) {
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
