package target

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/agent/database"
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
	in *inputs
	// db has connections of the replication account.
	db *sql.DB

	mu   sync.Mutex
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

// newFollower does not connect.
func newFollower(in *inputs) (*follower, error) {
	db, err := database.Pool(in.endpoint(""), in.credentials(in.target.Replication.Username))
	return &follower{in: in, db: db}, err
}

// follow sets the primary of the server. The primary may start later: the server retries every
// second.
func (f *follower) follow(ctx context.Context) error {
	conn, err := f.db.Conn(ctx)
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
	columns, rows, err := database.Rows(ctx, f.db, f.in.engine.ReplicaStatus(f.in.target))
	if err != nil {
		return replicationStatus{}, err
	}
	if len(rows) == 0 {
		return replicationStatus{}, errors.New("it has no source to replicate from")
	}
	row := map[string]string{}
	for i, value := range rows[0] {
		if value != nil {
			row[strings.ToLower(columns[i])] = *value
		}
	}
	return parseLook(row), nil
}

// parseLook reads one line of SHOW REPLICA STATUS or SHOW SLAVE STATUS, without NULL; the names are in
// lower case here.
func parseLook(row map[string]string) replicationStatus {
	receives := cmp.Or(row["replica_io_running"], row["slave_io_running"])
	applies := cmp.Or(row["replica_sql_running"], row["slave_sql_running"])
	l := replicationStatus{running: receives == "Yes" && applies == "Yes"}
	// The lag is an integer of seconds; otherwise it is unknown.
	if seconds, err := strconv.ParseUint(cmp.Or(row["seconds_behind_source"], row["seconds_behind_master"]), 10, 32); err == nil {
		l.lag = new(float64(seconds))
	}
	problems := []string{row["last_io_error"], row["last_sql_error"]}
	l.problem = strings.Join(slices.DeleteFunc(problems, func(text string) bool { return text == "" }), "; ")
	if l.problem == "" && !l.running {
		l.problem = fmt.Sprintf("receiving: %s, applying: %s", receives, applies)
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
	var answer sql.NullInt64
	err := f.db.QueryRowContext(ctx, f.in.engine.AwaitPosition, position, seconds).Scan(&answer)
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

// replica answers contract.PathReplica.
func (a *agent) replica(r *http.Request) (any, error) {
	if a.follower == nil {
		return nil, fail(contract.ReasonRequestInvalid, "this server follows no other one")
	}
	query, wait := r.URL.Query(), 0.0
	if query.Get("wait") != "" {
		var err error
		if wait, err = secondsOf(query, "wait", contract.MaxReplicaWait); err != nil {
			return nil, err
		}
	}
	if !a.serving.Load() {
		return contract.ReplicaState{Error: errDown.Error()}, nil
	}
	var applied *bool
	if position := query.Get("position"); position != "" {
		done, err := a.follower.applied(r.Context(), position, wait)
		if err != nil {
			return contract.ReplicaState{Error: "waiting for the position: " + err.Error()}, nil
		}
		applied = &done
	}
	state := a.follower.state(r.Context())
	state.ServerVersion, state.Applied = a.login.lastVersion(), applied
	return state, nil
}
