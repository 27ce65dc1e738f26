package settings

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// differ is a Difference; no effective value is written as <none>.
func differ(name, requested, effective string) Difference {
	if effective == "<none>" {
		return Difference{Name: name, Requested: requested}
	}
	return Difference{Name: name, Requested: requested, Effective: &effective}
}

// recorded reads a my.cnf file that a real server was started with, and the
// variables that it then showed.
func recorded(t *testing.T, name string) ([]contract.Setting, map[string]string) {
	t.Helper()
	read := func(suffix string) string {
		text, err := os.ReadFile("testdata/" + name + suffix)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	settings, err := Parse(map[string]string{"a.cnf": read(".cnf")})
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{}
	for line := range strings.Lines(read(".tsv")) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		variables[name] = value
	}
	return settings, variables
}

func TestDifferencesOfRealServers(t *testing.T) {
	tests := map[string][]Difference{
		"mariadb-10.11-first": {
			differ("table_open_cache", "100000000", "9980"),
			differ("max_connections", "5", "10"),
			differ("open_files_limit", "100", "20000"),
			differ("tmp_table_size", "1k", "0"),
			differ("max_allowed_packet", "16777217", "16777216"),
			differ("sort_buffer_size", "100", "1024"),
			differ("loose_nosuch", "3", "<none>"),
			differ("query_cache_size", "1000", "0"),
			differ("wait_timeout", "99999999999", "31536000"),
			differ("innodb_fill_factor", "5", "10"),
			differ("timed_mutexes", "on", "<none>"),
			differ("innodb_open_files", "1", "9980"),
		},
		"mariadb-10.11-second": {
			differ("slow_query_log", "2", "OFF"),
			differ("log_bin", "OFF", "ON"),
			differ("innodb_buffer_pool_size", "33333333", "32505856"),
			differ("innodb_log_buffer_size", "2000000", "2097152"),
			differ("table_definition_cache", "10", "400"),
			differ("thread_stack", "300000", "299008"),
			differ("binlog_cache_size", "5000", "4096"),
			differ("log_slow_filter", "", "admin,filesort,filesort_on_disk,filesort_priority_queue,full_join,full_scan,not_using_index,query_cache,query_cache_miss,tmp_table,tmp_table_on_disk"),
			differ("interactive_timeout", "0", "1"),
			differ("max_heap_table_size", "20000", "19456"),
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			requested, variables := recorded(t, name)
			if diff := cmp.Diff(want, Differences(requested, variables, nil)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDifferences(t *testing.T) {
	tests := map[string]struct {
		setting   contract.Setting
		variables map[string]string
		want      []Difference
	}{
		"a size with a suffix":                          {contract.Setting{Name: "innodb-buffer-pool-size", Value: "8G"}, map[string]string{"innodb_buffer_pool_size": "8589934592"}, nil},
		"a size in exabytes":                            {contract.Setting{Name: "x", Value: "15E"}, map[string]string{"x": "17293822569102704640"}, nil},
		"a size that was rounded up to whole chunks":    {contract.Setting{Name: "innodb_buffer_pool_size", Value: "1000M"}, map[string]string{"innodb_buffer_pool_size": "1073741824"}, []Difference{differ("innodb_buffer_pool_size", "1000M", "1073741824")}},
		"an empty value where there is a number":        {contract.Setting{Name: "x", Value: "''"}, map[string]string{"x": "0"}, []Difference{differ("x", "", "0")}},
		"a switch as a number":                          {contract.Setting{Name: "innodb_file_per_table", Value: "1"}, map[string]string{"innodb_file_per_table": "ON"}, nil},
		"a switch that is off":                          {contract.Setting{Name: "innodb_file_per_table", Value: "TRUE"}, map[string]string{"innodb_file_per_table": "OFF"}, []Difference{differ("innodb_file_per_table", "TRUE", "OFF")}},
		"a switch without a value":                      {contract.Setting{Name: "innodb_file_per_table", Value: ""}, map[string]string{"innodb_file_per_table": "ON"}, nil},
		"a switch without a value that is off":          {contract.Setting{Name: "innodb_file_per_table", Value: ""}, map[string]string{"innodb_file_per_table": "OFF"}, []Difference{differ("innodb_file_per_table", "ON", "OFF")}},
		"no value for what is no switch":                {contract.Setting{Name: "log_warnings", Value: ""}, map[string]string{"log_warnings": "2"}, nil},
		"a number behind an option that counts seconds": {contract.Setting{Name: "innodb_lock_wait_timeout", Value: "050"}, map[string]string{"innodb_lock_wait_timeout": "50"}, nil},
		"a fraction that the server cut off":            {contract.Setting{Name: "x", Value: "1.5"}, map[string]string{"x": "1"}, []Difference{differ("x", "1.5", "1")}},
		"a small fraction that the server cut off":      {contract.Setting{Name: "x", Value: "1.2"}, map[string]string{"x": "1"}, []Difference{differ("x", "1.2", "1")}},
		"a fraction that differs in a shown digit":      {contract.Setting{Name: "long_query_time", Value: "0.5"}, map[string]string{"long_query_time": "0.500001"}, []Difference{differ("long_query_time", "0.5", "0.500001")}},
		"a binary log that was switched off":            {contract.Setting{Name: "skip-log-bin", Value: ""}, map[string]string{"log_bin": "OFF"}, nil},
		"a binary log that stayed on":                   {contract.Setting{Name: "skip-log-bin", Value: ""}, map[string]string{"log_bin": "ON"}, []Difference{differ("log_bin", "OFF", "ON")}},
		"a binary log with a name":                      {contract.Setting{Name: "log_bin", Value: "mysql-bin"}, map[string]string{"log_bin": "ON"}, nil},
		"a binary log with a name that is off":          {contract.Setting{Name: "log_bin", Value: "mysql-bin"}, map[string]string{"log_bin": "OFF"}, []Difference{differ("log_bin", "mysql-bin", "OFF")}},
		"OFF behind skip is ignored by servers":         {contract.Setting{Name: "skip_innodb_doublewrite", Value: "OFF"}, map[string]string{"innodb_doublewrite": "OFF"}, nil},
		"0 behind skip is a double negation":            {contract.Setting{Name: "loose_skip_innodb_doublewrite", Value: "0"}, map[string]string{"innodb_doublewrite": "OFF"}, []Difference{differ("innodb_doublewrite", "ON", "OFF")}},
		"a variable that begins with skip":              {contract.Setting{Name: "skip_name_resolve", Value: "OFF"}, map[string]string{"skip_name_resolve": "OFF"}, nil},
		"locking the other way round":                   {contract.Setting{Name: "skip_external_locking", Value: ""}, map[string]string{"skip_external_locking": "OFF"}, []Difference{differ("skip_external_locking", "ON", "OFF")}},
		"locking under its positive name":               {contract.Setting{Name: "external_locking", Value: ""}, map[string]string{"skip_external_locking": "ON"}, []Difference{differ("skip_external_locking", "OFF", "ON")}},
		"locking under its positive name and skipped":   {contract.Setting{Name: "loose_skip_external_locking", Value: ""}, map[string]string{"skip_external_locking": "ON"}, nil},
		"a bound for sessions is not the value":         {contract.Setting{Name: "maximum_max_allowed_packet", Value: "64M"}, map[string]string{"max_allowed_packet": "1024"}, nil},
		"a loose option that the server does not know":  {contract.Setting{Name: "loose-rocksdb_max_open_files", Value: "9"}, nil, []Difference{differ("loose_rocksdb_max_open_files", "9", "<none>")}},
		"a loose option that the server knows":          {contract.Setting{Name: "loose-rocksdb_max_open_files", Value: "9"}, map[string]string{"rocksdb_max_open_files": "8"}, []Difference{differ("rocksdb_max_open_files", "9", "8")}},
		"an option that has no variable":                {contract.Setting{Name: "performance-schema-instrument", Value: "wait/%=ON"}, nil, nil},
		"a consumer of the performance schema":          {contract.Setting{Name: "loose_performance_schema_consumer_events_waits_current", Value: "ON"}, nil, nil},
		"a named key cache":                             {contract.Setting{Name: "hot.key_buffer_size", Value: "8M"}, nil, nil},
		"an option that has no variable, skipped":       {contract.Setting{Name: "skip_stack_trace", Value: ""}, nil, nil},
		"a plugin":                                  {contract.Setting{Name: "plugin_load_add", Value: "ha_rocksdb"}, nil, nil},
		"a name in another case":                    {contract.Setting{Name: "wsrep_OSU_method", Value: "toi"}, map[string]string{"wsrep_osu_method": "TOI"}, nil},
		"isolation under its older name":            {contract.Setting{Name: "transaction-isolation", Value: "READ-COMMITTED"}, map[string]string{"tx_isolation": "READ-COMMITTED"}, nil},
		"isolation as a number":                     {contract.Setting{Name: "transaction_isolation", Value: "1"}, map[string]string{"transaction_isolation": "REPEATABLE-READ"}, []Difference{differ("transaction_isolation", "1", "REPEATABLE-READ")}},
		"1 is not ON where the words say otherwise": {contract.Setting{Name: "gtid_mode", Value: "1"}, map[string]string{"gtid_mode": "ON"}, []Difference{differ("gtid_mode", "1", "ON")}},
		"a number before the first word":            {contract.Setting{Name: "gtid_mode", Value: "-1"}, map[string]string{"gtid_mode": "OFF"}, []Difference{differ("gtid_mode", "-1", "OFF")}},
		"a number behind the last word":             {contract.Setting{Name: "binlog_format", Value: "9"}, map[string]string{"binlog_format": "ROW"}, []Difference{differ("binlog_format", "9", "ROW")}},
		"a number of words that are not known":      {contract.Setting{Name: "x", Value: "4"}, map[string]string{"x": "word"}, []Difference{differ("x", "4", "word")}},
		"the modes of TRADITIONAL":                  {contract.Setting{Name: "sql_mode", Value: "traditional"}, map[string]string{"sql_mode": "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,TRADITIONAL,NO_ENGINE_SUBSTITUTION"}, nil},
		"a mode that nobody asked for":              {contract.Setting{Name: "sql_mode", Value: "ANSI"}, map[string]string{"sql_mode": "ANSI,ANSI_QUOTES,NO_ZERO_DATE"}, []Difference{differ("sql_mode", "ANSI", "ANSI,ANSI_QUOTES,NO_ZERO_DATE")}},
		"a mode that is missing":                    {contract.Setting{Name: "sql_mode", Value: "ANSI_QUOTES,NO_ZERO_DATE"}, map[string]string{"sql_mode": "ANSI_QUOTES"}, []Difference{differ("sql_mode", "ANSI_QUOTES,NO_ZERO_DATE", "ANSI_QUOTES")}},
		"a flag that differs":                       {contract.Setting{Name: "optimizer_switch", Value: "mrr=on"}, map[string]string{"optimizer_switch": "index_merge=on,mrr=off"}, []Difference{differ("optimizer_switch", "mrr=on", "index_merge=on,mrr=off")}},
		"a flag that the server does not have":      {contract.Setting{Name: "optimizer_switch", Value: "x=on"}, map[string]string{"optimizer_switch": "mrr=off"}, []Difference{differ("optimizer_switch", "x=on", "mrr=off")}},
		"the storage engine in another case":        {contract.Setting{Name: "default_storage_engine", Value: "RocksDB"}, map[string]string{"default_storage_engine": "ROCKSDB"}, nil},
		"a directory with a slash at the end":       {contract.Setting{Name: "plugin_dir", Value: "/p"}, map[string]string{"plugin_dir": "/p/"}, nil},
		"a file in the data directory":              {contract.Setting{Name: "log_bin_index", Value: "b.index"}, map[string]string{"log_bin_index": "/data/b.index", "datadir": "/data/"}, nil},
		"a file in another case":                    {contract.Setting{Name: "general_log_file", Value: "/G"}, map[string]string{"general_log_file": "/g"}, []Difference{differ("general_log_file", "/G", "/g")}},
		"symbolic links that are off":               {contract.Setting{Name: "symbolic-links", Value: "0"}, map[string]string{"have_symlink": "DISABLED"}, nil},
		"encryption that is not there":              {contract.Setting{Name: "ssl", Value: ""}, map[string]string{"have_ssl": "DISABLED"}, []Difference{differ("ssl", "ON", "DISABLED")}},
		"utf8 by the name of today":                 {contract.Setting{Name: "collation_server", Value: "utf8_bin"}, map[string]string{"collation_server": "utf8mb3_bin"}, nil},
		"utf8mb3 is not utf8mb4":                    {contract.Setting{Name: "collation_server", Value: "utf8mb3_bin"}, map[string]string{"collation_server": "utf8mb4_bin"}, []Difference{differ("collation_server", "utf8mb3_bin", "utf8mb4_bin")}},
		"an event scheduler that is disabled":       {contract.Setting{Name: "event_scheduler", Value: "OFF"}, map[string]string{"event_scheduler": "DISABLED"}, []Difference{differ("event_scheduler", "OFF", "DISABLED")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := Differences([]contract.Setting{tc.setting}, tc.variables, nil)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheLastSettingForAVariableCounts(t *testing.T) {
	got := Differences([]contract.Setting{
		{"log_bin", "a"}, {"sync_binlog", "0"}, {"skip_log_bin", ""}, {"maximum_sync_binlog", "9"},
	}, map[string]string{"log_bin": "ON", "sync_binlog": "1"}, nil)
	want := []Difference{differ("sync_binlog", "0", "1"), differ("log_bin", "OFF", "ON")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

func TestRequestedAddsTheStorageEngine(t *testing.T) {
	user := []contract.Setting{{Name: "sync_binlog", Value: "0"}}
	want := []contract.Setting{{Name: "sync_binlog", Value: "0"}, {"default_storage_engine", "RocksDB"}}
	if diff := cmp.Diff(want, Requested(user, "RocksDB")); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// TestEnumerations compares the words with those that MariaDB 10.11 gives in
// INFORMATION_SCHEMA.SYSTEM_VARIABLES.
func TestEnumerations(t *testing.T) {
	text, err := os.ReadFile("testdata/mariadb-10.11-enumerations.tsv")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(text)) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), "\t")
		words := strings.Split(list, ",")
		for i, word := range enumerations[name] {
			if i >= len(words) || !strings.EqualFold(words[i], word) {
				t.Errorf("%s: %d is %q here, and the server has %v", name, i, word, words)
			}
			checked++
		}
	}
	if checked < 40 {
		t.Errorf("compared %d words only", checked)
	}
}

// FuzzDifferences: what the server shows as it was asked for is no difference, and
// nothing panics.
func FuzzDifferences(f *testing.F) {
	f.Add("innodb_buffer_pool_size", "1G", "1073741824")
	f.Add("loose-skip_x", "0", "ON")
	f.Add("optimizer_switch", "default,mrr=on", "mrr=off")
	f.Add("sql_mode", "ANSI", "ansi,ansi_quotes")
	f.Add("x", "1e999", ".5")
	f.Add("external_locking", "0", "ON")
	f.Add("have_x", "''", "DISABLED")
	f.Add("enable_gtid_mode", "-1", "99999999999999999999999999999999999999E")
	f.Add("collation_server", "utf8", "utf8mb4")
	f.Fuzz(func(t *testing.T, name, value, effective string) {
		Differences([]contract.Setting{{name, value}}, map[string]string{name: effective}, nil)
		variable := strings.TrimPrefix(CanonicalName(name), "skip_")
		Differences([]contract.Setting{{name, value}}, map[string]string{variable: effective}, nil)
		if effective == emptyString {
			return // A setting cannot say that: it stands for the empty string.
		}
		for _, asked := range []string{name, loose + name} {
			if got := Differences([]contract.Setting{{asked, effective}}, map[string]string{CanonicalName(name): effective}, nil); len(got) > 0 {
				t.Errorf("%s = %q is a difference to itself: %v", asked, effective, got)
			}
		}
	})
}

// TestDifferencesOfOtherServers: what Assay writes otherwise for a server, or what a
// server cannot show.
func TestDifferencesOfOtherServers(t *testing.T) {
	mysql57 := map[string]string{"innodb_log_file_size": "67108864", "innodb_log_files_in_group": "2", "default_storage_engine": "InnoDB"}
	tidb := map[string]string{"tidb_server_memory_limit": "858992640", "tidb_mem_quota_query": "1073741824", "sql_mode": ""}
	tests := map[string]struct {
		server    map[string]string
		requested []contract.Setting
		want      []Difference
	}{
		"the redo log of MySQL before 8.0.30 has two files": {mysql57,
			Requested([]contract.Setting{{Name: "innodb_redo_log_capacity", Value: "128M"}}, "InnoDB"), nil},
		"another size": {mysql57, []contract.Setting{{Name: "innodb_redo_log_capacity", Value: "1G"}},
			[]Difference{differ("innodb_redo_log_capacity", "1G", "134217728")}},
		"MariaDB has one file and no capacity": {map[string]string{"innodb_log_file_size": "67108864"},
			[]contract.Setting{{Name: "innodb_redo_log_capacity", Value: "64M"}},
			[]Difference{differ("innodb_redo_log_capacity", "64M", "<none>")}},
		"what a flavor does not show is left out": {tidb, Requested([]contract.Setting{{Name: "token_limit", Value: "3032"}, {Name: "tidb_mem_quota_query", Value: "1G"}}, "InnoDB"), nil},
		"TiDB ignores what is MySQL's": {tidb, []contract.Setting{{Name: "innodb_buffer_pool_size", Value: "1G"}, {Name: "tidb_mem_quota_query", Value: "2G"}},
			[]Difference{differ("innodb_buffer_pool_size", "1G", "<none>"), differ("tidb_mem_quota_query", "2G", "1073741824")}},
		"an item of TiDB is unknown to MySQL": {mysql57, []contract.Setting{{Name: "token_limit", Value: "1"}},
			[]Difference{differ("token_limit", "1", "<none>")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Differences(tc.requested, tc.server, func(name string) bool {
				_, ofTiDB := tc.server["tidb_mem_quota_query"]
				return ofTiDB && (name == "token_limit" || name == "default_storage_engine")
			})); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariables(t *testing.T) {
	got := Variables([]contract.Setting{
		{Name: "innodb-log-file-size", Value: "100M"}, {Name: "log_bin", Value: "binlog"}, {Name: "skip_log_bin"}, {Name: "loose_unknown", Value: "x"}, {Name: "skip_name_resolve"},
	}, map[string]string{"innodb_log_file_size": "5", "log_bin": "ON", "skip_name_resolve": "OFF"})
	want := map[string]string{"innodb_log_file_size": "104857600", "log_bin": "OFF", "unknown": "x", "skip_name_resolve": "ON"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
