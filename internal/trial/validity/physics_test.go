package validity

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// onServer makes a server of InnoDB that promises to flush every commit, and changes it.
func onServer(change func(*contract.Server)) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Server = &contract.Server{Version: "9.7.4", VersionComment: "(Debian)", Variables: map[string]string{"default_storage_engine": "InnoDB", "innodb_flush_log_at_trx_commit": "1"}}
		change(r.Server)
	}
}

// flushed is how often the server flushed while 10636 transactions wrote, 4 at a time.
func flushed(counter string, times float64) func(*contract.Server) {
	return func(s *contract.Server) { s.StatusDelta = map[string]float64{counter: times} }
}

func with(name, value string, change func(*contract.Server)) func(*contract.Server) {
	return func(s *contract.Server) {
		change(s)
		s.Variables[name] = value
	}
}

// onStorage lets one flush of the target's storage take so many seconds at least, and
// every transaction write.
func onStorage(seconds float64) func(*contract.Result, *runner.Expectations) {
	return all(onServer(func(*contract.Server) {}), func(r *contract.Result, _ *runner.Expectations) {
		r.Target = &contract.Environment{Storage: &contract.Storage{Filesystem: "ext4", Fsync: &contract.Probe{N: 100, MinSeconds: seconds}}}
	})
}

func away(seconds float64) func(*contract.Result, *runner.Expectations) {
	return onServer(func(s *contract.Server) { s.RoundTrip = &contract.Probe{N: 29, MinSeconds: seconds} })
}

func delayed(by time.Duration) func(*contract.Result, *runner.Expectations) {
	return func(_ *contract.Result, e *runner.Expectations) { e.Delay = by }
}

func answered(statements float64) func(*contract.Result, *runner.Expectations) {
	return onServer(func(s *contract.Server) { s.StatusDelta = map[string]float64{"Questions": statements} })
}

func isolated(value string) func(*contract.Result, *runner.Expectations) {
	return onServer(func(s *contract.Server) { s.Variables[isolation] = value })
}

func withProblem(source, text string) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Problems = []contract.Problem{{Source: source, Text: text}}
	}
}

// ignored errors are spoken of by ignored-errors as well.
func TestSnapshotIsolation(t *testing.T) {
	tests := map[string]struct {
		value string
		count int64
		want  string
	}{
		"many errors": {"ON", 900, "900 errors were ignored in 10636 operations (8.5 %), and innodb_snapshot_isolation is ON: transactions that write a row that " +
			"another one changed meanwhile fail with error 1020. Servers without this variable do not fail: use the same value on all compared targets"},
		"few errors":              {"ON", 100, ""},
		"it is off":               {"OFF", 900, ""},
		"a server without it":     {"", 900, ""},
		"no errors, and it is on": {"ON", 0, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), expected
			all(isolated(tc.value), withErrors(contract.ErrorIgnored, tc.count))(&r, &f)
			if diff := cmp.Diff(tc.want, snapshotIsolation(r, f)); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckLoad(t *testing.T) {
	prepared := func(d *contract.Durability, filesystem string, variables map[string]string) contract.Result {
		r := contract.Result{
			State: contract.Succeeded, Trial: contract.TrialRef{Phase: "Prepare"},
			Server: &contract.Server{Version: "9.7.4", VersionComment: "(Debian)", Variables: variables, Durability: d},
		}
		if filesystem != "" {
			r.Target = &contract.Environment{Storage: &contract.Storage{Filesystem: filesystem}}
		}
		return r
	}
	commits := func(engine, counter string, n int64) *contract.Durability {
		return &contract.Durability{StorageEngine: engine, Commits: 50, Seconds: 0.003, Counters: map[string]int64{counter: n, "innodb_log_writes": 0}}
	}
	strict := map[string]string{"default_storage_engine": "InnoDB", "innodb_flush_log_at_trx_commit": "1", "rocksdb_flush_log_at_trx_commit": "1"}
	and := func(name, value string) map[string]string {
		out := map[string]string{name: value}
		for n, v := range strict {
			if _, there := out[n]; !there {
				out[n] = v
			}
		}
		return out
	}
	invalid := func(severity Severity, message string) []Finding { return []Finding{{"durability", severity, message}} }
	tail := ": its commits are not durable"
	mariadb := prepared(commits("InnoDB", "innodb_data_fsyncs", 1), "ext4", strict)
	mariadb.Server.Version, mariadb.Server.VersionComment = "10.11.6-MariaDB", "Source distribution"
	memoryMapped := "innodb_flush_log_at_trx_commit = 1 promises that the log is flushed for every commit, but for 50 commits the server requested 1 flushes " +
		"(innodb_data_fsyncs), and took 0.0030 s" + tail
	strange := `the server says that it is "9.7.4" (version_comment "(Debian)"), which is no flavor that Assay knows: what its counters and settings mean is not known, ` +
		"so that changed rows, the durability of commits and the costs of its storage are not checked"
	failed := prepared(commits("InnoDB", "innodb_data_fsyncs", 1), "", strict)
	failed.State = contract.Failed
	tests := map[string]struct {
		load contract.Result
		want []Finding
	}{
		"a server that does not flush": {prepared(commits("InnoDB", "innodb_data_fsyncs", 1), "ext4", strict), invalid(Invalid, memoryMapped)},
		"MariaDB, whose redo log may be memory-mapped": {mariadb, invalid(Invalid, memoryMapped+
			". Look for memory-mapped in the server's log: MariaDB does that when /dev/shm and the data directory are on one device")},
		"the same of a server elsewhere":         {prepared(commits("InnoDB", "innodb_data_fsyncs", 1), "", strict), invalid(Invalid, memoryMapped)},
		"the same in memory":                     {prepared(commits("InnoDB", "innodb_data_fsyncs", 1), "tmpfs", strict), invalid(Warning, memoryMapped)},
		"a server that does not name the engine": {prepared(commits("", "innodb_data_fsyncs", 1), "ext4", strict), invalid(Invalid, memoryMapped)},
		"a flush for every commit":               {prepared(commits("InnoDB", "innodb_data_fsyncs", 53), "ext4", strict), nil},
		"the other counter has them":             {prepared(commits("InnoDB", "innodb_os_log_fsyncs", 50), "ext4", strict), nil},
		"no such promise":                        {prepared(commits("InnoDB", "innodb_data_fsyncs", 1), "ext4", and("innodb_flush_log_at_trx_commit", "2")), nil},
		"files that are written through":         {prepared(commits("InnoDB", "innodb_data_fsyncs", 1), "ext4", and("innodb_flush_method", "O_DSYNC")), nil},
		"a storage of its own kind":              {prepared(commits("InnoDB", "innodb_data_fsyncs", 0), "", and("aurora_version", "3.04.0")), []Finding{{"server-unknown", Note, strange}}},
		"a log that is written through":          {prepared(commits("InnoDB", "innodb_data_fsyncs", 1), "ext4", and("innodb_log_file_write_through", "ON")), nil},
		"RocksDB without a sync": {prepared(commits("ROCKSDB", "rocksdb_wal_synced", 0), "ext4", strict), invalid(Invalid,
			"rocksdb_flush_log_at_trx_commit = 1 promises that the log is flushed for every commit, but for 50 commits the server requested 0 flushes (rocksdb_wal_synced), and took 0.0030 s"+tail)},
		"RocksDB":                           {prepared(commits("ROCKSDB", "rocksdb_wal_synced", 50), "ext4", strict), nil},
		"a server without counters (TiDB)":  {prepared(&contract.Durability{StorageEngine: "InnoDB", Commits: 50}, "ext4", strict), nil},
		"an engine that nobody knows":       {prepared(commits("Aria", "innodb_data_fsyncs", 0), "ext4", strict), nil},
		"no probe":                          {prepared(nil, "ext4", strict), nil},
		"a load that failed":                {failed, nil},
		"a result that is not of a loading": {contract.Result{State: contract.Succeeded, Trial: contract.TrialRef{Phase: "Run"}, Server: failed.Server}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckLoad(tc.load)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
