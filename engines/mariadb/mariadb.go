// Package mariadb describes MariaDB 10.6 and later as Assay provides it, with InnoDB
// or RocksDB (MyRocks).
package mariadb

import (
	"slices"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/engine/mysqld"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Engine returns the facts about MariaDB.
func Engine() engine.Engine {
	return engine.Engine{
		Flavor:         "MariaDB",
		About:          "MariaDB 10.6 and later, with InnoDB or MyRocks.",
		Facts:          facts(),
		StorageEngines: []string{mysqld.InnoDB, mysqld.RocksDB},
		Owned: engine.OwnedWith(mysqld.RocksDBOwned, engine.Owned{
			engine.OnlyVolume:                          {"aria_log_dir_path", "wsrep_data_home_dir"},
			engine.LogStream:                           {"syslog"},
			"the field storageEngine decides it":       {"enforce_storage_engine"},
			"a setting is given by its whole name":     {"getopt_prefix_matching"},
			"the agent initialises the data directory": {"bootstrap"},
		}),
		Version: func() engine.Command { return mysqld.Version(programs()...) },
		Oldest:  []int{10, 6},
		Defaults: func(s engine.Shape, storageEngine string) []contract.Setting {
			// The redo log is one file since 10.5.
			return mysqld.Defaults(s, storageEngine, "innodb_log_file_size")
		},
		Restarts: []contract.Setting{{Name: "innodb_buffer_pool_dump_pct", Value: "100"}},
		Limits: func(d contract.Demand) []contract.Setting {
			return mysqld.Limits(d, mysqld.Stock{Connections: 151, PreparedStatements: 16382, OpenTables: 2000})
		},
		Config:       config,
		Initialise:   initialise,
		Serve:        func(_ contract.Target, p engine.Paths) engine.Command { return mysqld.Serve(programs(), p) },
		Portable:     true,
		BootstrapSQL: bootstrap,
		Replicated:   replicated, UndoesReplication: mysqld.UndoesReplication, Follow: follow, ReplicaStatus: replicaStatus, AwaitPosition: awaitPosition,
	}
}

// programs are the names of the server; the second is its name before 10.5, which some images
// keep.
func programs() []string { return []string{"mariadbd", "mysqld"} }

// config first turns off abbreviations for the following lines: otherwise datad would stand
// for datadir.
func config(t contract.Target, p engine.Paths) []byte {
	t.Settings = append([]contract.Setting{{Name: "loose_getopt_prefix_matching", Value: "OFF"}}, t.Settings...)
	return mysqld.Render(t, append(mysqld.Settings(t, p), contract.Setting{Name: "secure_file_priv", Value: p.Tmp}), member(t))
}

// initialise makes root@localhost only for root of the operating system, through the socket.
// --force, because a small image has no /etc/hosts to look up the host name.
// --skip-name-resolve keeps that name out of the accounts.
func initialise(p engine.Paths) engine.Command {
	return engine.Command{Programs: []string{"mariadb-install-db", "mysql_install_db"}, Args: []string{
		"--defaults-file=" + p.Config, "--datadir=" + p.Data,
		"--auth-root-authentication-method=socket", "--auth-root-socket-user=root",
		"--skip-test-db", "--skip-name-resolve", "--force",
	}}
}

// bootstrap uses the server's default authentication plugin, which every client library
// supports. The image's own scripts may create anonymous accounts and root accounts of other
// hosts; their names are unknown, so they are deleted from the table.
func bootstrap(t contract.Target, password string) []string {
	const by = " IDENTIFIED BY "
	identified := by + engine.QuoteString(password) + ";"
	return slices.Concat(engine.NeutralSession(), engine.CreateSchemas(t), []string{
		"DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');",
		"FLUSH PRIVILEGES;",
		"CREATE USER IF NOT EXISTS " + engine.Account(t) + identified,
		"ALTER USER " + engine.Account(t) + identified,
	}, engine.Grants(t), replicationAccount(t, identified), mysqld.SetterAccount(t, setterPrivileges, by))
}

// setterPrivileges: since 11.0 SUPER does not have those of the binary log, of connections and of replication, which some variables need.
const setterPrivileges = "SUPER, BINLOG ADMIN, CONNECTION ADMIN, REPLICATION MASTER ADMIN, REPLICATION SLAVE ADMIN"
