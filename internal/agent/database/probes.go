package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/agent/clock"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// roundTrips is the number of pings; the first one is not counted.
	roundTrips = 30
	// roundTripTime is their timeout on a slow network.
	roundTripTime = time.Second
	// commits of the durability probe.
	commits = 50
	// commitTime is their timeout on slow storage.
	commitTime = 10 * time.Second
	// dropTime is the timeout to drop the table after the probe.
	dropTime = 10 * time.Second
)

// RoundTrip times COM_PING on one connection. The server answers it without parsing, locks or
// storage, so the time is that of the network.
func (s *Server) RoundTrip(ctx context.Context) (*contract.Probe, error) {
	var tries []time.Duration
	err := s.with(ctx, func(c *sql.Conn) error {
		end := time.Now().Add(roundTripTime)
		for i := range roundTrips {
			began := time.Now()
			if err := c.PingContext(ctx); err != nil {
				return err
			}
			if i > 0 {
				tries = append(tries, time.Since(began))
			}
			if time.Now().After(end) {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("measuring the round trip: %w", err)
	}
	return contract.NewProbe(tries), nil
}

// Clock reads the server's time on one connection. SYSDATE is the time of its evaluation, not
// of the start of the statement. The session is in UTC, which has no repeated hour.
func (s *Server) Clock(ctx context.Context, exchanges int) ([]clock.Exchange, error) {
	var out []clock.Exchange
	err := s.with(ctx, func(c *sql.Conn) error {
		if _, err := c.ExecContext(ctx, "SET SESSION time_zone = '+00:00'"); err != nil {
			return err
		}
		var err error
		out, err = clock.Collect(ctx, exchanges, func(ctx context.Context) (clock.Exchange, error) {
			var text string
			sent := time.Now()
			err := c.QueryRowContext(ctx, "SELECT UNIX_TIMESTAMP(SYSDATE(6))").Scan(&text)
			returned := time.Now()
			if err != nil {
				return clock.Exchange{}, err
			}
			told, err := unixTime(text)
			return clock.Exchange{Sent: sent, Received: told, Answered: told, Returned: returned}, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("asking for the server's time: %w", err)
	}
	return out, nil
}

// unixTime reads seconds since 1970 with up to six decimals, exactly.
func unixTime(text string) (time.Time, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err == nil && len(fraction) <= 6 {
		var micros int64
		if micros, err = strconv.ParseInt((fraction + "000000")[:6], 10, 64); err == nil {
			return time.UnixMicro(seconds*1e6 + micros), nil
		}
	}
	return time.Time{}, fmt.Errorf("the server gave its time as %q, not as seconds with up to six decimals", text)
}

// engineName matches names after ENGINE=.
var engineName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// Durability creates a table in the benchmark's schema, inserts some rows in separate
// transactions, and returns the differences of the server's counters. It drops the table, also
// one of an interrupted probe. The storage engine may be empty for the server's default. The
// counters include other work on the server at the same time.
func (s *Server) Durability(ctx context.Context, table, storageEngine string) (*contract.Durability, error) {
	name, engine := quoted(s.database, table), ""
	if engineName.MatchString(storageEngine) {
		engine = " ENGINE=" + storageEngine
	}
	d := &contract.Durability{Counters: map[string]int64{}}
	err := s.with(ctx, func(c *sql.Conn) error {
		for _, statement := range []string{
			"SET SESSION autocommit = 1", "DROP TABLE IF EXISTS " + name, "CREATE TABLE " + name + " (id INT NOT NULL PRIMARY KEY)" + engine,
		} {
			if _, err := c.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		err := s.commit(ctx, c, table, d)
		return errors.Join(err, drop(ctx, c, name))
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// commit inserts the rows and sets the results.
func (s *Server) commit(ctx context.Context, c *sql.Conn, table string, d *contract.Durability) error {
	err := c.QueryRowContext(ctx, "SELECT COALESCE(ENGINE, '') FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
		s.database, table).Scan(&d.StorageEngine)
	if err != nil {
		return fmt.Errorf("asking for the storage engine of %s: %w", table, err)
	}
	before, err := s.counters(ctx, c)
	if err != nil {
		return err
	}
	began := time.Now()
	for d.Commits < commits && time.Since(began) < commitTime {
		if _, err := c.ExecContext(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%d)", quoted(s.database, table), d.Commits)); err != nil {
			return fmt.Errorf("inserting a row into %s: %w", table, err)
		}
		d.Commits++
	}
	d.Seconds = time.Since(began).Seconds()
	after, err := s.counters(ctx, c)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if earlier, there := before[name]; there {
			d.Counters[name] = after[name] - earlier
		}
	}
	return nil
}

// counters are the server's values of the variables about its logs, by name in lower case.
func (s *Server) counters(ctx context.Context, c *sql.Conn) (map[string]int64, error) {
	all, err := s.meantOn(ctx, c, "SHOW GLOBAL STATUS", ofCounter)
	if err != nil {
		return nil, err
	}
	out, ofLogs := map[string]int64{}, engines.LogCounters()
	for name, text := range all {
		name = strings.ToLower(name)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && ofLogs[name] {
			out[name] = n
		}
	}
	return out, nil
}

// drop has its own timeout: the table must not remain.
func drop(ctx context.Context, c *sql.Conn, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	if _, err := c.ExecContext(ctx, "DROP TABLE "+name); err != nil {
		return fmt.Errorf("dropping the table of the durability probe, drop it by hand: %w", err)
	}
	return nil
}
