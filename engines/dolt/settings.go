package dolt

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// A setting is a system variable, under the name that SHOW GLOBAL VARIABLES has. Most are in the
// section system_variables of the file; those of items are in another place. Names that mean
// nothing to Dolt are refused (variable).

// items are variables that Dolt obeys only as an item of another section of its file.
var items = map[string][]string{
	"autocommit":              {"behavior", "autocommit"},
	"dolt_auto_gc_enabled":    {"behavior", "auto_gc_behavior", "enable"},
	"dolt_transaction_commit": {"behavior", "dolt_transaction_commit"},
	maxConnections:            {"listener", "max_connections"},
}

// twice is the item that its variable does not show: it is set as well.
const twice = "autocommit"

const (
	maxConnections = "max_connections"
	// memoryLimit is no variable, but that of the environment of Go's runtime: a number of bytes, or
	// one with the unit MiB or GiB.
	memoryLimit = "gomemlimit"
)

// owned are the settings that Assay sets, and those that Assay depends on.
func owned() map[string]string {
	return engine.OwnedWith(engine.Owned{
		"Assay provides Dolt as one server without remotes": {
			"dolt_async_replication", "dolt_cluster_ack_writes_timeout_secs", "dolt_read_replica_force_pull", "dolt_read_replica_remote",
			"dolt_replicate_all_heads", "dolt_replicate_heads", "dolt_replicate_to_remote", "dolt_replication_remote_url_template",
			"dolt_skip_replication_errors",
		},
		"the workload uses the schema as it is": {"dolt_override_schema"},
	})
}

// config is the YAML file, written as JSON, which YAML includes.
func config(t contract.Target, p engine.Paths) []byte {
	listener := map[string]any{
		"host": "0.0.0.0", // for a Go program it includes all IPv6 addresses
		"port": t.Port, "socket": p.Run + "/server.sock",
	}
	variables := map[string]any{}
	file := map[string]any{"data_dir": p.Data, "listener": listener, "system_variables": variables}
	for _, s := range t.Settings {
		name := engine.Bare(s.Name)
		if name == memoryLimit {
			continue
		}
		path, isItem := items[name]
		if !isItem || name == twice {
			variables[name] = value(s.Value)
		}
		if isItem {
			put(file, path, itemValue(path[0], s.Value))
		}
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		panic(err) // texts, numbers and booleans only
	}
	// Dolt replaces $NAME of its environment, and reads $$ as $.
	return []byte("# Written by Assay at every start: the user's settings, then Assay's.\n" + strings.ReplaceAll(string(text), "$", "$$") + "\n")
}

// put a value at a path of sections, the last of which is its name.
func put(section map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		inner, there := section[name].(map[string]any)
		if !there {
			inner = map[string]any{}
			section[name] = inner
		}
		section = inner
	}
	section[path[len(path)-1]] = value
}

// itemValue: all items of behavior are switches, for which Dolt takes no number.
func itemValue(section, text string) any {
	v := value(text)
	if n, isNumber := v.(int64); isNumber && section == "behavior" {
		return n != 0
	}
	return v
}

// value of a variable: Dolt takes no text for a number.
func value(text string) any {
	switch strings.ToLower(text) {
	case "", "on", "true":
		return true
	case "off", "false":
		return false
	case "''":
		return ""
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	return text
}

// defaults limit the memory of Dolt to four fifths of the shape's memory without the data, as for
// TiDB. Dolt does not look at the container's. Without a limit, sysbench's oltp_read_write with 4
// threads took 900 MiB within a minute, and with one of 500 MiB no more, at the same throughput.
//
//	gomemlimit = 80 % x (memory - data in memory), in whole MiB; none if nothing is left
func defaults(s engine.Shape, _ string) []contract.Setting {
	limit := s.MemoryLimit()
	if limit <= 0 {
		return nil
	}
	return []contract.Setting{engine.Number(memoryLimit, limit)}
}

// stockConnections is Dolt's default number of connections.
const stockConnections = 1000

// limits raise the number of connections. Prepared statements and open tables are not limited.
func limits(d contract.Demand) []contract.Setting {
	return engine.Raised(maxConnections, d.Connections, stockConnections, 0)
}
