// Package mariadb describes MariaDB 10.6 and later as Assay provides it.
package mariadb

import (
	"slices"
	"strconv"

	"github.com/assay-bench/assay/engines/engine"
)

// onlyVolume is why places to write to are Assay's.
const onlyVolume = "the data directory's volume is the only place that a server may write to"

// Engine returns the facts about MariaDB.
func Engine() engine.Engine {
	return engine.Engine{
		Flavor:         "MariaDB",
		StorageEngines: []string{"InnoDB"},
		Owned: engine.OwnedWith(map[string]string{
			"aria_log_dir_path":      onlyVolume,
			"wsrep_data_home_dir":    onlyVolume,
			"enforce_storage_engine": "the field storageEngine decides it",
			"getopt_prefix_matching": "a setting is given by its whole name",
			"syslog":                 "the log goes to the pod's log",
			"bootstrap":              "the agent initialises the data directory",
		}),
		Config:       config,
		Initialise:   initialise,
		Serve:        serve,
		BootstrapSQL: bootstrap,
	}
}

// programs under which the server goes; the second is its name before 10.5 and
// in images that keep it.
func programs() []string { return []string{"mariadbd", "mysqld"} }

// config writes Assay's settings last: the last line of a name counts.
func config(t engine.Target, p engine.Paths) []byte {
	// Without this, datad is a name for datadir. It holds for the lines after it.
	first := []engine.Setting{{Name: "loose_getopt_prefix_matching", Value: "OFF"}}
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
		// Without log_error the log goes to stderr.
		{Name: "secure_file_priv", Value: p.Tmp},
		{Name: "default_storage_engine", Value: t.StorageEngine},
	}
	return engine.Render("Written by Assay at every start: the user's settings, then Assay's.", slices.Concat(first, t.Settings, own))
}

func address(t engine.Target) string {
	if t.BindAddress == "" {
		return "*"
	}
	return t.BindAddress
}

// initialise makes root@localhost for whoever is root of the operating system and
// comes through the socket; nobody else. --force, because a small image has no
// /etc/hosts to look the host name up in. --skip-name-resolve keeps that name out
// of the accounts.
func initialise(configFile string, p engine.Paths) engine.Command {
	return engine.Command{Programs: []string{"mariadb-install-db", "mysql_install_db"}, Args: []string{
		"--defaults-file=" + configFile, "--datadir=" + p.Data,
		"--auth-root-authentication-method=socket", "--auth-root-socket-user=root",
		"--skip-test-db", "--skip-name-resolve", "--force",
	}}
}

func serve(configFile, initFile string, p engine.Paths) engine.Command {
	return engine.Command{Programs: programs(), Args: []string{
		"--defaults-file=" + configFile, "--datadir=" + p.Data, "--init-file=" + initFile,
	}}
}

// bootstrap takes the server's default authentication plugin, which every client
// library knows. Anonymous accounts and a root of other hosts may come with the
// image's own scripts; their names are not known, so the table is edited.
func bootstrap(t engine.Target, password string) []string {
	identified := " IDENTIFIED BY " + engine.QuoteString(password) + ";"
	return append(engine.NeutralSession(),
		engine.CreateSchema(t),
		"DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');",
		"FLUSH PRIVILEGES;",
		"CREATE USER IF NOT EXISTS "+engine.Account(t)+identified,
		"ALTER USER "+engine.Account(t)+identified,
		engine.Grant(t),
	)
}
