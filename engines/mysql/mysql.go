// Package mysql describes MySQL 8.0 and later as Assay provides it.
package mysql

import (
	"slices"
	"strconv"

	"github.com/assay-bench/assay/engines/engine"
)

// onlyClassic is why the X protocol is off.
const onlyClassic = "benchmarks use the classic protocol only"

// logStream is why the sinks of the log are Assay's.
const logStream = "the log goes to the pod's log"

// Engine returns the facts about MySQL.
func Engine() engine.Engine {
	return engine.Engine{
		Flavor:         "MySQL",
		StorageEngines: []string{"InnoDB"},
		Owned: engine.OwnedWith(map[string]string{
			"mysqlx":              onlyClassic,
			"mysqlx_port":         onlyClassic,
			"mysqlx_socket":       onlyClassic,
			"mysqlx_bind_address": onlyClassic,
			"log_error_services":  logStream,
			"replica_load_tmpdir": "the data directory's volume is the only place that a server may write to",
			"super_read_only":     "the workload has to write its tables",
			"offline_mode":        "clients have to reach the server",
			"daemonize":           "the agent starts and stops the server",
			"initialize":          "the agent initialises the data directory",
			"initialize_insecure": "the agent initialises the data directory",
			"validate_config":     "the agent starts and stops the server",
		}),
		Config:       config,
		Initialise:   initialise,
		Serve:        serve,
		BootstrapSQL: bootstrap,
	}
}

// programs under which the server goes.
func programs() []string { return []string{"mysqld"} }

// config writes Assay's settings last: the last line of a name counts.
func config(t engine.Target, p engine.Paths) []byte {
	own := []engine.Setting{
		{Name: "datadir", Value: p.Data},
		{Name: "tmpdir", Value: p.Tmp},
		{Name: "socket", Value: p.Run + "/server.sock"},
		{Name: "pid_file", Value: p.Run + "/server.pid"},
		{Name: "port", Value: strconv.Itoa(int(t.Port))},
		// * is every address of the pod, IPv4 and IPv6.
		{Name: "bind_address", Value: address(t)},
		{Name: "skip_networking", Value: "OFF"},
		{Name: "skip_name_resolve", Value: "ON"},
		// Without log_error the log goes to stderr; with log_error = stderr MySQL 9.7
		// writes a file stderr.err.
		{Name: "mysqlx", Value: "OFF"},
		// Nobody has the privilege FILE. The built-in default is a directory that
		// the image may lack, which would be fatal.
		{Name: "secure_file_priv", Value: "NULL"},
		{Name: "default_storage_engine", Value: t.StorageEngine},
	}
	return engine.Render("Written by Assay at every start: the user's settings, then Assay's.", slices.Concat(t.Settings, own))
}

func address(t engine.Target) string {
	if t.BindAddress == "" {
		return "*"
	}
	return t.BindAddress
}

// initialise makes root@localhost without a password. That account is reachable
// through the socket only: without name resolution no TCP connection comes from
// localhost.
func initialise(configFile string, p engine.Paths) engine.Command {
	return engine.Command{Programs: programs(), Args: []string{
		"--defaults-file=" + configFile, "--initialize-insecure", "--datadir=" + p.Data,
	}}
}

func serve(configFile, initFile string, p engine.Paths) engine.Command {
	return engine.Command{Programs: programs(), Args: []string{
		"--defaults-file=" + configFile, "--datadir=" + p.Data, "--init-file=" + initFile,
	}}
}

// bootstrap names the authentication plugin, because the server's default is a
// setting, and every driver of today knows caching_sha2_password.
func bootstrap(t engine.Target, password string) []string {
	identified := " IDENTIFIED WITH caching_sha2_password BY " + engine.QuoteString(password) + ";"
	return append(engine.NeutralSession(),
		engine.CreateSchema(t),
		"DROP USER IF EXISTS ''@'localhost', 'root'@'%', 'root'@'127.0.0.1', 'root'@'::1';",
		"CREATE USER IF NOT EXISTS "+engine.Account(t)+identified,
		"ALTER USER "+engine.Account(t)+identified,
		engine.Grant(t),
	)
}
