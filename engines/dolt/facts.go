package dolt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
)

func facts() engine.Facts {
	const counts = "Dolt shows MySQL's counters, but does not count for them"
	return engine.Facts{
		Identify: identify, Family: "Dolt", Variable: variable, Counter: counter, Log: log(),
		Unshown: func(name string) bool { return slices.Contains(unshown, name) },
		Lacks: map[engine.Ability]string{
			engine.Replicas:       "Assay provides Dolt as one server without remotes",
			engine.Encryption:     "Dolt shows no cipher, so whether a connection was encrypted could not be checked",
			engine.NumbersErrors:  "Dolt has one number, 1105, for most errors, such as that of a table that exists",
			engine.CountsRows:     counts,
			engine.CountsFlushes:  counts,
			engine.CountsBytes:    counts,
			engine.VariesSettings: "Dolt takes its settings at the start of a server, and Assay has not tried others later",
			engine.HugePages:      "Dolt shows large_pages for compatibility, and ignores it",
			engine.TellsDefaults:  "Dolt has no table with the defaults of its variables",
		},
	}
}

// printedVersion is the answer to SELECT dolt_version() as CSV.
var printedVersion = regexp.MustCompile(`(?m)^dolt_version\(\)\r?\n([0-9]+\.[0-9]+\.[0-9]+)`)

// identify: no variable of a running server has the version of Dolt, and VERSION() is that of the
// MySQL that it resembles.
func identify(e engine.Evidence) (version string, ok bool) {
	if m := printedVersion.FindStringSubmatch(e.Printed); m != nil {
		return m[1], true
	}
	return "", strings.EqualFold(e.Comment, "Dolt")
}

// effective are the variables of MySQL that Dolt 2.2 reads (go-mysql-server of its go.mod) and
// shows as they are, beside its own. It shows hundreds of others. Examples: innodb_buffer_pool_size
// is 134217728 whatever it does, and transaction_isolation takes any level, but there is one.
var effective = []string{
	"autocommit", "character_set_client", "character_set_connection", "character_set_results", "character_set_server",
	"collation_connection", "collation_server", "foreign_key_checks", "group_concat_max_len", "innodb_autoinc_lock_mode",
	"local_infile", "log_bin", "log_bin_branch", "long_query_time", "max_allowed_packet", "port", "read_only",
	"server_uuid", "sql_select_limit", "system_time_zone", "time_zone", "version", "version_comment",
	"version_compile_machine", "version_compile_os",
}

// unshown are settings that Dolt obeys, and shows wrongly: max_connections is 151 where the limit is
// the default of 1000, and sql_mode a number where it was set.
var unshown = []string{"default_storage_engine", memoryLimit, maxConnections, "sql_mode"}

// variable reports whether Dolt obeys a system variable, and shows it as it is.
func variable(name string) bool {
	return strings.HasPrefix(name, "dolt_") || slices.Contains(effective, name)
}

// counted are the status variables that Dolt 2.2 changes. All others are shown as 0 or empty.
var counted = []string{
	"aborted_connects", "com_delete", "com_insert", "com_select", "com_update", "connections", "max_used_connections", "questions",
	"slow_queries", "threads_connected", "threads_running",
}

func counter(name string) bool { return slices.Contains(counted, name) }

// log has lines of Dolt 2.2. Many begin without a level.
func log() engine.Log {
	return engine.Log{
		Harmless: regexp.MustCompile(`level=(info|warning|debug|trace)\b|msg="Error reading packet from client|^Starting server with Config|^\s*(goroutine [0-9]|created by |github\.com/|[a-z.]+/)`),
		Storage:  engine.StorageLine,
		Setting:  regexp.MustCompile(`(?i)unknown system variable|can't be set to the value|failed to parse yaml file|field \S+ not found in type|cannot unmarshal|malformed GOMEMLIMIT`),
		Doubts: []engine.Doubt{
			{Text: "skipping incomplete database directory", Meaning: "Dolt left out a schema whose files it could not read"},
		},
		Errors: "level=error",
	}
}
