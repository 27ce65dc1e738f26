package target

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// lookEvery is the interval of queries of a replica.
	lookEvery = time.Second
	// lookTimeout is the timeout of one query, and of each statement that sets up replication.
	lookTimeout = 10 * time.Second
	// lookValid is the maximum age of a status for readiness.
	lookValid = 5 * time.Second
)

// follower manages replication on a replica: it sets the primary at every start, and queries
// the status once a second.
type follower struct {
	in inputs

	mu   sync.Mutex
	db   *sql.DB
	at   time.Time
	last replicationStatus
	// max is the maximum lag since the last answer.
	max *float64
}

// replicationStatus is one status of replication from the server.
type replicationStatus struct {
	running bool
	lag     *float64
	problem string
}

// open prepares connections of the replication account; it does not connect.
func (f *follower) open() (*sql.DB, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.db != nil {
		return f.db, nil
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd = f.in.target.Replication.Username, f.in.password
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(f.in.target.Port)))
	cfg.Timeout, cfg.TLS, cfg.InterpolateParams = loginTimeout, f.in.tls, true
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the login of replication: %w", err)
	}
	f.db = sql.OpenDB(connector)
	return f.db, nil
}

// follow sets the primary of the server. The primary may start later: the server retries every
// second.
func (f *follower) follow(ctx context.Context) error {
	db, err := f.open()
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("logging in as %s: %w", f.in.target.Replication.Username, err)
	}
	defer func() { _ = conn.Close() }()
	for _, statement := range f.in.engine.Follow(f.in.target, f.in.password) {
		limited, cancel := context.WithTimeout(ctx, lookTimeout)
		_, err := conn.ExecContext(limited, statement)
		cancel()
		if err != nil {
			// The statement contains the password; its first words do not.
			words := strings.Fields(statement)
			return fmt.Errorf("%s: %w", strings.Join(words[:min(len(words), 3)], " "), err)
		}
	}
	return nil
}

// watch queries the status once a second while the server runs.
func (f *follower) watch(ctx context.Context, serving func() bool) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if serving() {
				f.see(ctx)
			}
		}
	}
}

// see queries the status once and stores it.
func (f *follower) see(ctx context.Context) replicationStatus {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	seen, err := f.ask(ctx)
	if err != nil {
		seen = replicationStatus{problem: "the replica does not answer about replication: " + err.Error()}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at, f.last = time.Now(), seen
	if seen.lag != nil && (f.max == nil || *seen.lag > *f.max) {
		f.max = seen.lag
	}
	return seen
}

func (f *follower) ask(ctx context.Context) (replicationStatus, error) {
	db, err := f.open()
	if err != nil {
		return replicationStatus{}, err
	}
	rows, err := db.QueryContext(ctx, f.in.engine.ReplicaStatus(f.in.target))
	if err != nil {
		return replicationStatus{}, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return replicationStatus{}, err
	}
	if !rows.Next() {
		return replicationStatus{}, errors.Join(errors.New("it has no source to replicate from"), rows.Err())
	}
	values := make([]sql.NullString, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return replicationStatus{}, err
	}
	row := map[string]sql.NullString{}
	for i, name := range columns {
		row[strings.ToLower(name)] = values[i]
	}
	return parseLook(row), nil
}

// parseLook reads one line of SHOW REPLICA STATUS or SHOW SLAVE STATUS, whose names are in
// lower case here.
func parseLook(row map[string]sql.NullString) replicationStatus {
	of := func(names ...string) sql.NullString {
		for _, name := range names {
			if v, has := row[name]; has {
				return v
			}
		}
		return sql.NullString{}
	}
	receives, applies := of("replica_io_running", "slave_io_running"), of("replica_sql_running", "slave_sql_running")
	l := replicationStatus{running: receives.String == "Yes" && applies.String == "Yes"}
	if behind := of("seconds_behind_source", "seconds_behind_master"); behind.Valid {
		// The lag is an integer of seconds; otherwise it is unknown.
		if seconds, err := strconv.ParseUint(behind.String, 10, 32); err == nil {
			l.lag = new(float64(seconds))
		}
	}
	var problems []string
	for _, name := range []string{"last_io_error", "last_sql_error"} {
		if text := of(name).String; text != "" {
			problems = append(problems, text)
		}
	}
	l.problem = strings.Join(problems, "; ")
	if l.problem == "" && !l.running {
		l.problem = fmt.Sprintf("receiving: %s, applying: %s", receives.String, applies.String)
	}
	return l
}

// ready fails unless replication runs.
func (f *follower) ready(ctx context.Context) error {
	f.mu.Lock()
	seen, fresh := f.last, time.Since(f.at) < lookValid
	f.mu.Unlock()
	if !fresh || !seen.running {
		seen = f.see(ctx)
	}
	if seen.running {
		return nil
	}
	return errors.New("replication does not run: " + seen.problem)
}

// applied waits until the replica has applied the primary's position, or the time is over.
func (f *follower) applied(ctx context.Context, position string, seconds float64) (bool, error) {
	db, err := f.open()
	if err != nil {
		return false, err
	}
	var answer sql.NullInt64
	err = db.QueryRowContext(ctx, f.in.engine.AwaitPosition, position, seconds).Scan(&answer)
	return answer.Valid && answer.Int64 == 0, err
}

// state is the present status. It resets the maximum lag.
func (f *follower) state(ctx context.Context) contract.ReplicaState {
	seen := f.see(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	s := contract.ReplicaState{Running: seen.running, Error: seen.problem, LagSeconds: seen.lag, MaxLagSeconds: f.max}
	f.max = nil
	return s
}
