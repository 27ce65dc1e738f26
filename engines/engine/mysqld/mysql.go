package mysqld

import (
	"slices"
	"strconv"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// This file is for MySQL and for Percona Server, which is built from it.

// redoCapacity is the setting for the redo log since MySQL 8.0.30.
const redoCapacity = "innodb_redo_log_capacity"

// programs are the names of the server; the second is MariaDB's, so that it is recognised.
func programs() []string { return []string{"mysqld", "mariadbd"} }

// MySQL returns the facts about MySQL and Percona Server since 5.7, for the flavor.
func MySQL(flavor string, storageEngines ...string) engine.Engine {
	return engine.Engine{
		Flavor:         flavor,
		StorageEngines: storageEngines,
		Owned:          owned(storageEngines),
		Version:        func() engine.Command { return Version(programs()...) },
		Oldest:         []int{5, 7},
		Facts: engine.Facts{
			Identify: isMySQL, Family: "MySQL", Storage: StorageOf, CommitCosts: CommitCosts(), NonDefault: nonDefault, Gauges: gauges,
			Position: "gtid_executed", Positions: []string{"gtid_executed", "gtid_purged"}, Log: Log(),
		},
		Defaults: func(s engine.Shape, storageEngine string) []contract.Setting {
			return Defaults(s, storageEngine, redoCapacity)
		},
		Restarts: []contract.Setting{{Name: "innodb_buffer_pool_dump_pct", Value: "100"}},
		Limits: func(d contract.Demand) []contract.Setting {
			// MySQL 8.0 and later keep 4000 tables open.
			return Limits(d, Stock{Connections: 151, PreparedStatements: 16382, OpenTables: 2000})
		},
		Config:       config,
		Initialise:   initialise,
		Serve:        func(_ contract.Target, p engine.Paths) engine.Command { return Serve(programs(), p) },
		Portable:     true,
		BootstrapSQL: bootstrap,
		Replicated:   replicated, UndoesReplication: UndoesReplication, Follow: follow, ReplicaStatus: replicaStatus, AwaitPosition: awaitPosition,
	}
}

func owned(storageEngines []string) map[string]string {
	own := engine.Owned{
		"benchmarks use the classic protocol only": {"mysqlx", "mysqlx_port", "mysqlx_socket", "mysqlx_bind_address"},
		"the agent initialises the data directory": {"initialize", "initialize_insecure"},
		"clients have to reach the server":         {"offline_mode"},
		engine.LogStream:                           {"log_error_services"},
		engine.OnlyVolume:                          {"replica_load_tmpdir"},
		engine.Writable:                            {"super_read_only"},
		engine.Process:                             {"daemonize", "validate_config"},
	}
	if slices.Contains(storageEngines, RocksDB) {
		return engine.OwnedWith(own, RocksDBOwned)
	}
	return engine.OwnedWith(own)
}

func config(t contract.Target, p engine.Paths) []byte {
	own := append(Settings(t, p),
		// In MySQL 5.7 this is a plugin, which is not loaded.
		contract.Setting{Name: "loose_mysqlx", Value: "OFF"},
		// No account has the privilege FILE. The server does not start without its default
		// directory, which the image may lack.
		contract.Setting{Name: "secure_file_priv", Value: "NULL"},
	)
	if !t.AtLeast(8, 0, 30) {
		t.Settings = olderRedoLog(t.Settings)
	}
	return Render(t, own, member(t))
}

// olderRedoLog writes the capacity of the redo log for servers before 8.0.30: as the size of
// one of two files. A value that is not a plain number is unchanged, and refused by the
// server.
func olderRedoLog(given []contract.Setting) []contract.Setting {
	out := make([]contract.Setting, 0, len(given))
	for _, s := range given {
		if engine.Bare(s.Name) == redoCapacity {
			if n, ok := settings.Integer(s.Value); ok {
				s = contract.Setting{Name: "innodb_log_file_size", Value: strconv.FormatInt(n/2, 10)}
			}
		}
		out = append(out, s)
	}
	return out
}

// initialise makes root@localhost without a password. That account can only use the socket:
// without name resolution no TCP connection is from localhost.
func initialise(p engine.Paths) engine.Command {
	return engine.Command{Programs: programs(), Args: []string{
		"--defaults-file=" + p.Config, "--initialize-insecure", "--datadir=" + p.Data,
	}}
}

// bootstrap sets the authentication plugin, because the server's default is a setting. Every
// current driver supports caching_sha2_password, the only plugin of MySQL 9; MySQL 5.7 does
// not have it.
func bootstrap(t contract.Target, password string) []string {
	plugin := "caching_sha2_password"
	if !t.AtLeast(8, 0, 4) {
		plugin = "mysql_native_password"
	}
	by := " IDENTIFIED WITH " + plugin + " BY "
	identified := by + engine.QuoteString(password) + ";"
	return slices.Concat(engine.NeutralSession(), engine.CreateSchemas(t), []string{
		"DROP USER IF EXISTS ''@'localhost', 'root'@'%', 'root'@'127.0.0.1', 'root'@'::1';",
		"CREATE USER IF NOT EXISTS " + engine.Account(t) + identified,
		"ALTER USER " + engine.Account(t) + identified,
	}, engine.Grants(t), replicationAccount(t, identified), setterAccount(t, by))
}
