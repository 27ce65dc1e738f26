package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"
	"github.com/assay-bench/assay/internal/agent/dialogue"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// fakeServer counts its status up with every look at it.
type fakeServer struct {
	mu     sync.Mutex
	status int
	err    error
	// asked are the questions in their order.
	asked []string
	// statusAt is when the counters were asked for.
	statusAt []time.Time
	// statusErr is the error of the counters alone.
	statusErr error
	// tables are what Tables gives, and defaultsErr the error of NonDefault.
	tables      []contract.Table
	defaultsErr error
	// unchecked says which of the tables have no checksum.
	unchecked string
	// unanalyzed says which of the tables have no statistics.
	unanalyzed string
	// cipher of its sessions.
	cipher string
	// probed is the answer of RoundTrip, and probesErr the error of both probes.
	probed    *contract.Probe
	probesErr error
	// ahead is by how much its clock is ahead of this machine's.
	ahead time.Duration
	// bench opens the connection for a dialogue.
	bench func() (dialogue.Workbench, error)
	// pool is what it says of its buffer pool, one answer after the other; the last one stays.
	pool []string
	// resize is what it says of a change of its buffer pool, one answer after the other; the last one stays.
	resize []string
	// redo is what it says of a change of its redo log, one answer after the other; the last one stays.
	redo []string
	// variables beside the usual ones, and those that differ from the second look on.
	variables, later map[string]string
	// account is the limit of connections of the account; 0 for a server that has none.
	account int64
	looks   int
}

func newFakeServer() *fakeServer { return &fakeServer{tables: loadedTables()} }

func loadedTables() []contract.Table {
	return []contract.Table{{Name: "sbtest1", Rows: 1000, Checksum: new(int64(4294967295))}, {Name: "sbtest2", Rows: 999}}
}

func (s *fakeServer) note(question string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, question)
}

// set a variable.
func (s *fakeServer) set(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.variables[name] = value
}

// looked is how often somebody looked at its status.
func (s *fakeServer) looked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

func (s *fakeServer) Version(context.Context) (string, string, error) {
	s.note("version")
	return "11.8.6-MariaDB", "Debian", s.err
}

func (s *fakeServer) Variables(context.Context) (map[string]string, error) {
	s.note("variables")
	variables := map[string]string{"version": "11.8.6-MariaDB", "max_connections": "151", "gtid_binlog_pos": fmt.Sprint(s.status), "port": fmt.Sprint(3306 + s.status)}
	maps.Copy(variables, s.variables)
	if s.looks++; s.looks > 1 {
		maps.Copy(variables, s.later)
	}
	return variables, s.err
}

func (s *fakeServer) NonDefault(context.Context, string) (map[string]string, error) {
	s.note("defaults")
	if s.defaultsErr != nil {
		return nil, s.defaultsErr
	}
	return map[string]string{"port": "3306"}, s.err
}

func (s *fakeServer) Status(context.Context) (map[string]string, error) {
	s.note("status")
	s.statusAt = append(s.statusAt, time.Now())
	s.status++
	status := map[string]string{"Questions": fmt.Sprint(10 * s.status), "Ssl_cipher": ""}
	if len(s.pool) > 0 {
		status[poolStatus], s.pool = s.pool[0], s.pool[min(1, len(s.pool)-1):]
	}
	if len(s.resize) > 0 {
		status["Innodb_buffer_pool_resize_status"], s.resize = s.resize[0], s.resize[min(1, len(s.resize)-1):]
	}
	if len(s.redo) > 0 {
		status["Innodb_redo_log_resize_status"], s.redo = s.redo[0], s.redo[min(1, len(s.redo)-1):]
	}
	if s.cipher != "" {
		status[contract.StatusTLSAccepts] = fmt.Sprint(s.status)
	}
	return status, errors.Join(s.err, s.statusErr)
}

func (s *fakeServer) Session(context.Context) (string, string, error) {
	s.note("session")
	if s.cipher == "" {
		return "", "", s.err
	}
	return "TLSv1.3", s.cipher, s.err
}

// tablesNamed are those of some tables with these names, in any case.
func tablesNamed(tables []contract.Table, names []string) (out []contract.Table) {
	for _, t := range tables {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, t.Name) }) {
			out = append(out, t)
		}
	}
	return out
}

func (s *fakeServer) Look(_ context.Context, names []string) ([]contract.Table, error) {
	s.note("look")
	return tablesNamed(s.tables, names), s.err
}

func (s *fakeServer) Workbench(context.Context) (dialogue.Workbench, error) { return s.bench() }

func (s *fakeServer) RoundTrip(context.Context) (*contract.Probe, error) {
	s.note("round trip")
	return s.probed, s.probesErr
}

func (s *fakeServer) Durability(_ context.Context, table, storageEngine string) (*contract.Durability, error) {
	s.note("durability of " + storageEngine + " in " + table)
	if s.probesErr != nil {
		return nil, s.probesErr
	}
	return aDurability(), nil
}

// Clock is the clock of this machine, plus ahead.
func (s *fakeServer) Clock(ctx context.Context, exchanges int) ([]clock.Exchange, error) {
	if s.err != nil {
		return nil, s.err
	}
	return clock.Collect(ctx, exchanges, func(context.Context) (clock.Exchange, error) {
		sent := time.Now()
		told := sent.Add(s.ahead).Round(time.Microsecond)
		return clock.Exchange{Sent: sent, Received: told, Answered: told, Returned: time.Now()}, nil
	})
}

func (s *fakeServer) AccountConnections(context.Context) (int64, error) {
	s.note("limit of the account")
	return s.account, s.err
}

func aDurability() *contract.Durability {
	return &contract.Durability{StorageEngine: "InnoDB", Commits: 50, Seconds: 0.25, Counters: map[string]int64{"innodb_data_fsyncs": 51}}
}

func (s *fakeServer) Tables(context.Context) ([]contract.Table, string, error) {
	s.note("tables")
	return s.tables, s.unchecked, s.err
}

func (s *fakeServer) Count(context.Context) ([]contract.Table, error) {
	s.note("count")
	return s.tables, s.err
}

func (s *fakeServer) Analyze(_ context.Context, tables []contract.Table) string {
	s.note(fmt.Sprintf("analyze %d", len(tables)))
	return s.unanalyzed
}
