// Package mysqld has the common parts of the servers of the mysqld family: MySQL, Percona
// Server and MariaDB.
package mysqld

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// Storage engines by the names of the API.
const (
	InnoDB  = "InnoDB"
	RocksDB = "RocksDB"
)

// serving is the suffix of the group of settings that apply to the running server, but not to
// the initialisation.
const serving = "-serve"

// Version is the command that prints the version of the server, without the image's own option
// files, which may not fit.
func Version(programs ...string) engine.Command {
	return engine.Command{Programs: programs, Args: []string{"--no-defaults", "--version"}}
}

// Serve is the command that starts a server, which reads both groups of the file.
func Serve(programs []string, p engine.Paths) engine.Command {
	return engine.Command{Programs: programs, Args: []string{
		"--defaults-file=" + p.Config, "--defaults-group-suffix=" + serving, "--datadir=" + p.Data, "--init-file=" + p.Init,
	}}
}

// Settings that Assay sets for every server of the family.
func Settings(t contract.Target, p engine.Paths) []contract.Setting {
	return slices.Concat([]contract.Setting{
		{Name: "datadir", Value: p.Data},
		{Name: "tmpdir", Value: p.Tmp},
		{Name: "socket", Value: p.Run + "/server.sock"},
		{Name: "pid_file", Value: p.Run + "/server.pid"},
		{Name: "port", Value: strconv.Itoa(int(t.Port))},
		{Name: "bind_address", Value: "*"}, // every address of the pod, IPv4 and IPv6
		{Name: "skip_networking", Value: "OFF"},
		{Name: "skip_name_resolve", Value: "ON"},
		// Without log_error the log goes to stderr; with log_error = stderr MySQL 9.7
		// writes a file stderr.err.
	}, engine.TLSSettings(t, p), identity(t))
}

// Render writes the user's settings and then Assay's: the last line of a name counts.
// RocksDB's plugin, its settings and the default storage engine are in a second group, which
// the initialisation does not read: system tables are not in RocksDB, and without the plugin
// its settings are unknown. The settings of replication (served) are there too.
func Render(t contract.Target, own, served []contract.Setting) []byte {
	const comment = "Written by Assay at every start: the user's settings, then Assay's."
	last := []contract.Setting{{Name: "default_storage_engine", Value: t.StorageEngine}}
	if t.StorageEngine != RocksDB {
		text := settings.Render(comment, slices.Concat(t.Settings, own, last))
		if len(served) > 0 {
			text = slices.Concat(text, []byte("\n"), settings.RenderGroup("mysqld"+serving, served))
		}
		return text
	}
	var always []contract.Setting
	for _, s := range t.Settings {
		switch {
		case loadsRocksDB(s):
		case strings.HasPrefix(engine.Bare(s.Name), "rocksdb"):
			served = append(served, s)
		default:
			always = append(always, s)
		}
	}
	last = append(last, contract.Setting{Name: "plugin_load_add", Value: rocksDBPlugin})
	return slices.Concat(
		settings.Render(comment, append(always, own...)), []byte("\n"),
		settings.RenderGroup("mysqld"+serving, append(served, last...)),
	)
}

// rocksDBPlugin has the storage engine and its views. MySQL needs the suffix, MariaDB accepts
// it.
const rocksDBPlugin = "ha_rocksdb.so"

// loadsRocksDB reports whether a setting of the user loads the plugin, because a server must
// not load it twice.
func loadsRocksDB(s contract.Setting) bool {
	return engine.Bare(s.Name) == "plugin_load_add" && strings.TrimSuffix(s.Value, ".so")+".so" == rocksDBPlugin
}

// RocksDBOwned are the settings of RocksDB that Assay owns.
var RocksDBOwned = engine.Owned{
	engine.OnlyVolume: {"rocksdb_datadir", "rocksdb_wal_dir", "rocksdb_tmpdir", "rocksdb_persistent_cache_path"},
	engine.Writable:   {"rocksdb_read_free_rpl_tables"},
}
