package validity

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// otherTool is a result of a tool that counts operations and nothing else: 80000 in 10 s.
func otherTool() contract.Result {
	return contract.Result{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: "Run"},
		Measurements: []contract.Measurement{{Name: contract.NameThroughput, Unit: "ops/s", Value: new(8000.0), N: new(int64(80000))}},
		Server: &contract.Server{
			Version: "9.7.4", VersionComment: "(Debian)",
			Variables: map[string]string{"default_storage_engine": "InnoDB", "innodb_flush_log_at_trx_commit": "1", "max_connections": "151", "log_bin": "OFF", "sync_binlog": "0"},
			StatusDelta: map[string]float64{
				"Questions": 80040, "Com_update": 80000, "Com_insert": 0, "Com_commit": 0, "Com_begin": 0, "Innodb_data_fsyncs": 12,
			},
			RoundTrip: &contract.Probe{N: 29, MinSeconds: 0.0001},
		},
		Target: &contract.Environment{Storage: &contract.Storage{Filesystem: "ext4", WriteCache: contract.WriteBack, Fsync: &contract.Probe{N: 100, MinSeconds: 0.0002}}},
	}
}

func status(name string, n float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) { r.Server.StatusDelta[name] = n }
}

func variable(name, value string) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) { r.Server.Variables[name] = value }
}

func away2(trip, fsync float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Server.RoundTrip.MinSeconds, r.Target.Storage.Fsync.MinSeconds = trip, fsync
	}
}

func clients(n int) func(*contract.Result, *runner.Expectations) {
	return func(_ *contract.Result, e *runner.Expectations) { e.Clients = int32(n) }
}

// byKind: a tool that has a throughput for each kind of operation, and none for all.
func byKind(r *contract.Result, _ *runner.Expectations) {
	r.Measurements[0].Labels = map[string]string{"operation": "read"}
}

// Tools that say nothing of their statements are held against the server's counters.
func TestPhysicsOfToolsThatDoNotCountStatements(t *testing.T) {
	closed := func(_ *contract.Result, e *runner.Expectations) { e.Threads = 4 }
	open := func(_ *contract.Result, e *runner.Expectations) { e.Connections = 4 }
	neither := func(*contract.Result, *runner.Expectations) {}
	type change = func(*contract.Result, *runner.Expectations)
	tests := map[string]struct {
		tool    change
		changes []change
		// want are parts of the findings by their check.
		want map[string]string
	}{
		"a closed loop whose server flushes nothing": {closed, nil, map[string]string{
			"durability": "promises that the log is flushed for every commit, but for at least 40000 transactions that wrote, of 4 threads, the server requested only 12 flushes (innodb_data_fsyncs)"}},
		"an open loop whose server flushes nothing":       {open, nil, map[string]string{"durability": "of 4 threads"}},
		"a tool of which nothing is known":                {neither, nil, map[string]string{"durability": "of 151 threads"}},
		"two clients: their server has twice the threads": {closed, []change{clients(2)}, map[string]string{"durability": "of 8 threads"}},
		"flushes that serve all threads":                  {closed, []change{status("Innodb_data_fsyncs", 10000)}, nil},
		"a server that only reads":                        {closed, []change{status("Com_update", 0)}, nil},
		"statements that change nothing":                  {closed, []change{status("Innodb_rows_updated", 31)}, nil},
		"InnoDB's rows are not those of RocksDB": {closed, []change{status("Innodb_rows_updated", 31), status("rocksdb_rows_updated", 80000),
			variable("default_storage_engine", "ROCKSDB"), variable("rocksdb_flush_log_at_trx_commit", "1"), status("rocksdb_wal_synced", 5)},
			map[string]string{"durability": "rocksdb_flush_log_at_trx_commit = 1 promises"}},
		"statements that changed rows, of MariaDB":                {closed, []change{status("Handler_update", 80000)}, map[string]string{"durability": "at least 40000 transactions"}},
		"transactions of several statements: how many is unknown": {closed, []change{status("Com_begin", 20000), status("Com_commit", 20000)}, nil},
		"no promise":                            {closed, []change{variable("innodb_flush_log_at_trx_commit", "2")}, nil},
		"a tool that counts by kind":            {closed, []change{byKind, status("Innodb_data_fsyncs", 10000), away2(0.01, 0.01)}, nil},
		"operations faster than the network":    {closed, []change{status("Innodb_data_fsyncs", 40000), away2(0.0015, 0)}, map[string]string{"round-trip": "an operation of 1 statements (as the server counted them) takes 0.5 ms on average: less than half of the 1.500 ms"}},
		"the same of an open loop":              {open, []change{status("Innodb_data_fsyncs", 40000), away2(0.0015, 0)}, map[string]string{"round-trip": "takes 0.5 ms"}},
		"three statements each":                 {closed, []change{status("Questions", 240100), status("Innodb_data_fsyncs", 40000), away2(0.0004, 0)}, map[string]string{"round-trip": "an operation of 3 statements"}},
		"three, of two clients: one and a half": {closed, []change{status("Questions", 240100), clients(2), status("Innodb_data_fsyncs", 40000), away2(0.0004, 0)}, nil},
		"statements in batches":                 {closed, []change{status("Questions", 900), status("Innodb_data_fsyncs", 40000), away2(0.0015, 0)}, map[string]string{"server-statements": "the server answered 900"}},
		"operations faster than the storage": {closed, []change{status("Innodb_data_fsyncs", 40000), away2(0, 0.0011)}, map[string]string{
			"fsync": "takes 0.5 ms on average: less than half of the 1.100 ms that one flush takes on the storage of the target (the fastest of 100; ext4, a device with a write cache)"}},
		"the same with a synced binary log: two flushes": {closed, []change{
			status("Innodb_data_fsyncs", 40000), away2(0, 0.0006), variable("log_bin", "ON"), variable("sync_binlog", "1")}, map[string]string{
			"fsync": "less than half of the 1.200 ms that 2 flushes take (the log's and the binary log's)"}},
		"with one that is not synced: one flush": {closed, []change{
			status("Innodb_data_fsyncs", 40000), away2(0, 0.0006), variable("log_bin", "ON"), variable("sync_binlog", "0")}, nil},
		"counters that were read 3 % of the window late": {closed, []change{
			status("Com_update", 77600), status("Questions", 77630), status("Innodb_data_fsyncs", 38800), away2(0.0015, 0.0011), countedLate(300 * time.Millisecond)},
			map[string]string{"round-trip": "an operation of 1 statements", "fsync": "takes 0.5 ms on average"}},
		"half of the operations write, by late counters": {closed, []change{
			status("Com_update", 38800), status("Innodb_data_fsyncs", 40000), away2(0, 0.0011), countedLate(300 * time.Millisecond)}, nil},
		"half of the operations write":      {closed, []change{status("Com_update", 40000), status("Innodb_data_fsyncs", 40000), away2(0, 0.0011)}, nil},
		"how many are at work is not known": {neither, []change{status("Innodb_data_fsyncs", 40000), away2(0.01, 0.01)}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, f := otherTool(), runner.Expectations{}
			all(append([]change{tc.tool}, tc.changes...)...)(&r, &f)
			got := map[string]string{}
			for _, c := range checks {
				if !slices.Contains([]string{"durability", "fsync", "round-trip", "server-statements"}, c.name) {
					continue
				}
				if message := c.say(r, f); message != "" {
					got[c.name] = message
				}
			}
			for check, part := range tc.want {
				if !strings.Contains(got[check], part) {
					t.Errorf("%s says %q, want %q", check, got[check], part)
				}
				delete(got, check)
			}
			for check, message := range maps.All(got) {
				t.Errorf("%s says %q", check, message)
			}
		})
	}
}

func TestUnsynced(t *testing.T) {
	said := "log_bin is ON and sync_binlog = 0: a power failure can lose a completed commit, although innodb_flush_log_at_trx_commit = 1, because recovery " +
		"rolls back prepared transactions that are not in the binary log. Set sync_binlog to 1, or switch the binary log off, to measure durable commits"
	tests := map[string]struct {
		variables map[string]string
		want      string
	}{
		"MySQL as it comes":             {map[string]string{"log_bin": "ON", "sync_binlog": "1"}, ""},
		"MariaDB as it comes":           {map[string]string{"log_bin": "OFF", "sync_binlog": "0"}, ""},
		"a binary log that is not":      {map[string]string{"log_bin": "ON", "sync_binlog": "0"}, said},
		"every hundredth commit":        {map[string]string{"log_bin": "ON", "sync_binlog": "100"}, strings.Replace(said, "sync_binlog = 0", "sync_binlog = 100", 1)},
		"nothing was promised":          {map[string]string{"log_bin": "ON", "sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}, ""},
		"a binary log in InnoDB":        {map[string]string{"log_bin": "ON", "sync_binlog": "0", "binlog_storage_engine": "innodb"}, ""},
		"a server without the variable": {map[string]string{"log_bin": "ON"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			variables := map[string]string{"innodb_flush_log_at_trx_commit": "1", "default_storage_engine": "InnoDB"}
			maps.Copy(variables, tc.variables)
			var want []Finding
			if tc.want != "" {
				want = []Finding{{"binary-log", Note, tc.want}}
			}
			got := CheckLoad(contract.Result{State: contract.Succeeded, Trial: contract.TrialRef{Phase: "Prepare"}, Server: &contract.Server{Version: "9.7.4", VersionComment: "(Debian)", Variables: variables}})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
