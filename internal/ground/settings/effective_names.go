package settings

import (
	"slices"
	"strings"
)

// externalLocking is an option whose variable shows the opposite.
const externalLocking = "external_locking"

// shownAs are options whose variable has another name, in some servers.
var shownAs = map[string]string{
	externalLocking:                "skip_external_locking",
	"default_time_zone":            "time_zone",
	"symbolic_links":               "have_symlink",
	"ssl":                          "have_ssl",
	"storage_engine":               "default_storage_engine",
	"transaction_isolation":        "tx_isolation",
	"transaction_read_only":        "tx_read_only",
	"myisam_recover":               "myisam_recover_options",
	"table_cache":                  "table_open_cache",
	"log_slave_updates":            "log_replica_updates",
	"slave_parallel_workers":       "replica_parallel_workers",
	"slave_parallel_threads":       "replica_parallel_threads",
	"ignore_db_dir":                "ignore_db_dirs",
	"master_verify_checksum":       "source_verify_checksum",
	"rpl_semi_sync_master_enabled": "rpl_semi_sync_source_enabled",
	"memlock":                      "locked_in_memory",
}

// variableOf returns the variable that shows an option; the option's own name when there is none.
func variableOf(name string, server map[string]string) string {
	if _, shown := server[name]; shown {
		return name
	}
	if _, shown := server[shownAs[name]]; shown {
		return shownAs[name]
	}
	return name
}

// unshownOptions are options of MySQL or MariaDB without a variable: --verbose --help lists them and SHOW GLOBAL
// VARIABLES does not (MariaDB 10.11, MySQL 8.0). Options for the server's own tests are left out.
var unshownOptions = []string{
	"allow_suspicious_udfs", "archive", "binlog_do_db", "binlog_ignore_db", "binlog_row_event_max_size",
	"blackhole", "character_set_client_handshake", "console", "core_file", "csv", "default_time_zone",
	"des_key_file", "early_plugin_load", "exit_info", "external_locking", "federated", "feedback", "flashback",
	"gdb", "getopt_prefix_matching", "init_rpl_role", "innodb", "innodb_status_file", "log_basename",
	"log_ddl_recovery", "log_isam", "log_raw", "log_short_format", "log_tc", "master_info_file",
	"master_retry_count", "memlock", "old_style_user_limits", "partition", "performance_schema_instrument",
	"plugin_load", "plugin_load_add", "port_open_timeout", "relay_log_info_file", "replicate_do_db",
	"replicate_do_table", "replicate_ignore_db", "replicate_ignore_table", "replicate_rewrite_db",
	"replicate_same_server_id", "replicate_wild_do_table", "replicate_wild_ignore_table", "rocksdb",
	"safe_user_create", "sequence", "show_slave_auth_info", "show_replica_auth_info", "silent_startup",
	"skip_slave_start", "skip_replica_start", "ssl", "stack_trace", "symbolic_links",
	"sysdate_is_now", "tc_heuristic_recover", "temp_pool", "unix_socket", "upgrade", "user_variables",
	"validate_user_plugins", "wsrep_new_cluster",
}

// consumers are switches of the performance schema, which only its tables show.
const consumers = "performance_schema_consumer_"

// unshown reports whether no server shows the option of this name.
func unshown(name string) bool {
	if slices.Contains(unshownOptions, name) || strings.HasPrefix(name, consumers) {
		return true
	}
	// hot.key_buffer_size creates a key cache, which only SELECT @@hot.… shows.
	_, part, structured := strings.Cut(name, ".")
	return structured && (part == "key_buffer_size" || strings.HasPrefix(part, "key_cache_"))
}

// enumerations are the words of options that may also be numbers, for variables whose words
// have the same order in every supported server. ON and OFF need no entry.
var enumerations = map[string][]string{
	"binlog_checksum":           {"NONE", "CRC32"},
	"binlog_format":             {"MIXED", "STATEMENT", "ROW"},
	"binlog_row_image":          {"MINIMAL", "NOBLOB", "FULL"},
	"completion_type":           {"NO_CHAIN", "CHAIN", "RELEASE"},
	"concurrent_insert":         {"NEVER", "AUTO", "ALWAYS"},
	"delay_key_write":           {"OFF", "ON", "ALL"},
	"event_scheduler":           {"OFF", "ON", "DISABLED"},
	"gtid_mode":                 {"OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"},
	"innodb_change_buffering":   {"none", "inserts", "deletes", "changes", "purges", "all"},
	"innodb_default_row_format": {"redundant", "compact", "dynamic"},
	"innodb_flush_method":       {"fsync", "O_DSYNC", "littlesync", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC"},
	"innodb_stats_method":       {"nulls_equal", "nulls_unequal", "nulls_ignored"},
	"myisam_stats_method":       {"nulls_unequal", "nulls_equal", "nulls_ignored"},
	"query_cache_type":          {"OFF", "ON", "DEMAND"},
	"slave_exec_mode":           {"STRICT", "IDEMPOTENT"},
	"thread_handling":           {"one-thread-per-connection", "no-threads"},
	"transaction_isolation":     {"READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"},
	"tx_isolation":              {"READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"},
}

// combinations are the words of sql_mode that stand for several modes, with all modes that
// they imply in any supported server.
var combinations = map[string][]string{
	"ansi": {"real_as_float", "pipes_as_concat", "ansi_quotes", "ignore_space", "only_full_group_by"},
	"traditional": {
		"strict_trans_tables", "strict_all_tables", "no_zero_in_date", "no_zero_date",
		"error_for_division_by_zero", "no_auto_create_user", "no_engine_substitution",
	},
	"oracle": {
		"pipes_as_concat", "ansi_quotes", "ignore_space", "no_key_options", "no_table_options", "no_field_options",
		"no_auto_create_user", "simultaneous_assignment",
	},
	"mssql":      {"pipes_as_concat", "ansi_quotes", "ignore_space", "no_key_options", "no_table_options", "no_field_options"},
	"postgresql": {"pipes_as_concat", "ansi_quotes", "ignore_space", "no_key_options", "no_table_options", "no_field_options"},
	"db2":        {"pipes_as_concat", "ansi_quotes", "ignore_space", "no_key_options", "no_table_options", "no_field_options"},
	"maxdb": {
		"pipes_as_concat", "ansi_quotes", "ignore_space", "no_key_options", "no_table_options", "no_field_options",
		"no_auto_create_user",
	},
	"mysql323": {"high_not_precedence"},
	"mysql40":  {"high_not_precedence"},
}
