package tidb

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// A setting is one of these, by its name:
//
//	performance.max_procs      an item of a section of TiDB's configuration file; TiDB writes it
//	                           with dashes (performance.max-procs), except in [instance]
//	token_limit                one of the items above the first section (isItem)
//	tidb_mem_quota_query       anything else: a system variable, set with SET GLOBAL at the first
//	                           start; TiDB keeps it in its data
//
// A value is a number or a boolean of TOML if it looks like one, and a string otherwise.

// underscored are items and sections that TiDB itself writes with underscores.
var underscored = map[string]bool{"new_collations_enabled_on_first_bootstrap": true, "instance": true}

// owned are the settings that Assay sets, and those that Assay depends on.
func owned() map[string]string {
	return engine.OwnedWith(engine.Owned{
		engine.OneServer: {"host", "advertise_address"},
		engine.OnlyVolume: {
			"path", "temp_dir", "tmp_storage_path", "instance.tidb_stmt_summary_filename", "instance.tidb_stmt_summary_enable_persistent",
		},
		engine.LogStream: {"log.slow_query_file", "log.general_log_file", "log.format"},
		engine.Encrypted: {
			"security.require_secure_transport", "security.auto_tls", "security.ssl_ca", "security.ssl_cert", "security.ssl_key",
		},
		engine.Writable: {"repair_mode", "tidb_restricted_read_only", "tidb_super_read_only"},

		"Assay provides TiDB with its embedded store": {"store", "keyspace_name", "run_ddl", "instance.tidb_enable_ddl"},
		"the benchmark's account is made at the first start": {
			"initialize_sql_file", "security.skip_grant_table", "security.secure_bootstrap",
		},
		"the status port is off: it answers without a password": {
			"status.report_status", "status.status_host", "status.status_port", "status.metrics_addr",
		},
		"settings without effect are told apart by it": {"tidb_enable_noop_variables"},
	})
}

// plainItems are the items of TiDB's configuration file outside of sections that users may set
// (pkg/config/config.go of TiDB 8.5), without deprecated items.
var plainItems = []string{
	"alter_primary_key", "ballast_object_size", "compatible_kill_query", "delay_clean_table_lock",
	"deprecate_integer_display_length", "enable_32bits_connection_id", "enable_enum_length_limit",
	"enable_forwarding", "enable_global_kill", "enable_table_lock", "enable_tcp4_only",
	"graceful_wait_before_shutdown", "in_mem_slow_query_recent_num", "in_mem_slow_query_topn_num", "index_limit",
	"lease", "max_ballast_object_size", "max_index_length", "new_collations_enabled_on_first_bootstrap",
	"server_version", "split_region_max_num", "split_table", "stores_refresh_interval", "table_column_count_limit",
	"tidb_enable_exit_check", "tidb_max_reuse_chunk", "tidb_max_reuse_column", "tmp_storage_quota",
	"token_limit", "treat_old_version_utf8_as_utf8mb4", "version_comment",
}

// isItem reports whether a setting of this name is an item of TiDB's configuration file,
// such as performance.max_procs or token_limit. No variable shows an item; TiDB does not start
// with an unknown item.
func isItem(name string) bool {
	return strings.Contains(name, ".") || slices.Contains(plainItems, name)
}

// own are the items that Assay writes.
func own(t contract.Target, p engine.Paths) []contract.Setting {
	items := []contract.Setting{
		{Name: "host", Value: "0.0.0.0"}, // for a Go program it includes all IPv6 addresses
		{Name: "port", Value: strconv.Itoa(int(t.Port))},
		{Name: "socket", Value: p.Run + "/server.sock"},
		{Name: "store", Value: "unistore"},
		{Name: "path", Value: p.Data},
		{Name: "temp_dir", Value: p.Tmp + "/tidb"},
		{Name: "tmp_storage_path", Value: p.Tmp + "/tidb-spill"},
		// Without a separate file the slow log is part of the log.
		{Name: "log.slow_query_file", Value: ""},
		{Name: "status.report_status", Value: "false"},
	}
	if t.HasTLS() {
		items = append(items,
			contract.Setting{Name: "security.ssl_ca", Value: p.TLS + "/" + contract.KeyCA},
			contract.Setting{Name: "security.ssl_cert", Value: p.TLS + "/" + contract.KeyCert},
			contract.Setting{Name: "security.ssl_key", Value: p.TLS + "/" + contract.KeyKey},
		)
	}
	return items
}

// config is the TOML file. Each name is written once, because TOML refuses duplicates; users
// cannot set Assay's names.
func config(t contract.Target, p engine.Paths) []byte {
	sections := map[string][]string{}
	for _, s := range append(items(t.Settings), own(t, p)...) {
		section, name, found := strings.Cut(s.Name, ".")
		if !found {
			section, name = "", section
		}
		if section != "instance" && !underscored[name] {
			name = strings.ReplaceAll(name, "_", "-")
		}
		section = strings.ReplaceAll(section, "_", "-")
		sections[section] = append(sections[section], name+" = "+tomlValue(s.Value))
	}
	var out bytes.Buffer
	out.WriteString("# Written by Assay at every start: the user's settings, then Assay's.\n")
	for _, section := range slices.Sorted(maps.Keys(sections)) { // the empty name comes first
		if section != "" {
			fmt.Fprintf(&out, "\n[%s]\n", section)
		}
		out.WriteString(strings.Join(sections[section], "\n") + "\n")
	}
	return out.Bytes()
}

// items are the settings for the file, the last of each name, by TiDB's names with
// underscores.
func items(all []contract.Setting) []contract.Setting {
	var out []contract.Setting
	for _, s := range all {
		s.Name = bare(s.Name)
		if isItem(s.Name) {
			out = slices.DeleteFunc(out, func(earlier contract.Setting) bool { return earlier.Name == s.Name })
			out = append(out, contract.Setting{Name: s.Name, Value: given(s.Value)})
		}
	}
	return out
}

// variables are the statements that set the other settings. TiDB continues after a refused
// statement, and logs it. Variables that exist only for compatibility with MySQL are hidden,
// so that a setting of one is a difference.
func variables(all []contract.Setting) []string {
	out := []string{"SET GLOBAL tidb_enable_noop_variables = 'OFF';"}
	for _, s := range all {
		if name := bare(s.Name); !isItem(name) {
			out = append(out, "SET GLOBAL "+engine.QuoteIdentifier(name)+" = "+engine.QuoteString(given(s.Value))+";")
		}
	}
	return out
}

func bare(name string) string { return strings.TrimPrefix(settings.CanonicalName(name), "loose_") }

// given is the effective value of a setting.
func given(value string) string {
	switch value {
	case "":
		return "ON"
	case "''":
		return ""
	}
	return value
}

// tomlPlain matches numbers of TOML.
var tomlPlain = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

func tomlValue(value string) string {
	switch strings.ToLower(value) {
	case "true", "on":
		return "true"
	case "false", "off":
		return "false"
	}
	if tomlPlain.MatchString(value) {
		return value
	}
	var out strings.Builder
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	return `"` + out.String() + `"`
}
