package mysqld_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/mariadb"
	"github.com/assay-bench/assay/engines/mysql"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func member(flavor, version, mode, primary string) contract.Target {
	return contract.Target{
		Flavor: flavor, StorageEngine: "InnoDB", Database: "assay", Username: "assay", Port: 3306, ServerVersion: version,
		Replication: &contract.Replication{Mode: mode, ServerID: 2, Primary: primary, Username: "repl", Replicas: 1},
	}
}

// served are the lines that count only while the server serves.
func served(t *testing.T, config []byte) []string {
	t.Helper()
	_, text, found := strings.Cut(string(config), "[mysqld-serve]\n")
	if !found {
		t.Fatalf("there is no second group:\n%s", config)
	}
	return strings.Split(strings.TrimSpace(text), "\n")
}

// always are the lines that count also while the server makes its data directory.
func always(t *testing.T, config []byte) string {
	t.Helper()
	text, _, _ := strings.Cut(string(config), "[mysqld-serve]\n")
	return text
}

func TestMembersOfReplication(t *testing.T) {
	const primary = "db.ns.svc:3306"
	tests := map[string]struct {
		engine engine.Engine
		target contract.Target
		want   []string
	}{
		"an asynchronous primary of MySQL": {mysql.Engine(), member("MySQL", "9.7.1", "Async", ""),
			[]string{"relay_log = relay"}},
		"an asynchronous replica of MySQL": {mysql.Engine(), member("MySQL", "9.7.1", "Async", primary),
			[]string{"relay_log = relay", "read_only = ON", "skip_replica_start = ON"}},
		"a semi-synchronous primary of MySQL": {mysql.Engine(), member("MySQL", "9.7.1", "SemiSync", ""),
			[]string{"relay_log = relay", "plugin_load_add = semisync_source.so",
				"rpl_semi_sync_source_enabled = ON", "rpl_semi_sync_source_timeout = 60000"}},
		"a semi-synchronous replica of MySQL 5.7": {mysql.Engine(), member("MySQL", "5.7.22", "SemiSync", primary),
			[]string{"relay_log = relay", "read_only = ON", "skip_slave_start = ON",
				"plugin_load_add = semisync_slave.so", "rpl_semi_sync_slave_enabled = ON"}},
		"a semi-synchronous primary of MariaDB": {mariadb.Engine(), member("MariaDB", "11.8.1", "SemiSync", ""),
			[]string{"relay_log = relay", "rpl_semi_sync_master_enabled = ON", "rpl_semi_sync_master_timeout = 60000"}},
		"an asynchronous replica of MariaDB": {mariadb.Engine(), member("MariaDB", "10.11.6", "Async", primary),
			[]string{"relay_log = relay", "read_only = ON", "skip_slave_start = ON"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			config := tt.engine.Config(tt.target, engine.Paths{Data: "/d", Run: "/r", Tmp: "/t"})
			got := served(t, config)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			// MySQL 5.7 with a binary log does not initialise without it.
			if !strings.Contains(always(t, config), "\nserver_id = 2\n") {
				t.Errorf("the server has no server_id when it makes its data directory:\n%s", config)
			}
		})
	}
}

func TestFollow(t *testing.T) {
	tests := map[string]struct {
		engine engine.Engine
		target contract.Target
		tls    contract.TLSMode
		want   []string
	}{
		"MySQL without TLS asks for the public key": {mysql.Engine(), member("MySQL", "9.7.1", "Async", "db.ns.svc:3307"), "", []string{
			"STOP REPLICA",
			"CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'db.ns.svc', SOURCE_PORT = 3307, SOURCE_USER = 'repl', SOURCE_PASSWORD = 'p\\'w', " +
				"SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 86400, SOURCE_AUTO_POSITION = 1, SOURCE_SSL = 0, GET_SOURCE_PUBLIC_KEY = 1",
			"START REPLICA"}},
		"MySQL 5.7 has other words": {mysql.Engine(), member("MySQL", "5.7.22", "Async", "db:3306"), "", []string{
			"STOP SLAVE",
			"CHANGE MASTER TO MASTER_HOST = 'db', MASTER_PORT = 3306, MASTER_USER = 'repl', MASTER_PASSWORD = 'p\\'w', " +
				"MASTER_CONNECT_RETRY = 1, MASTER_RETRY_COUNT = 86400, MASTER_AUTO_POSITION = 1, MASTER_SSL = 0",
			"START SLAVE"}},
		"MySQL 8.0.15 has the old words and the public key": {mysql.Engine(), member("MySQL", "8.0.15", "Async", "db:3306"), "", []string{
			"STOP SLAVE",
			"CHANGE MASTER TO MASTER_HOST = 'db', MASTER_PORT = 3306, MASTER_USER = 'repl', MASTER_PASSWORD = 'p\\'w', " +
				"MASTER_CONNECT_RETRY = 1, MASTER_RETRY_COUNT = 86400, MASTER_AUTO_POSITION = 1, MASTER_SSL = 0, GET_MASTER_PUBLIC_KEY = 1",
			"START SLAVE"}},
		"MariaDB over TLS": {mariadb.Engine(), member("MariaDB", "11.8.1", "Async", "db:3306"), contract.TLSRequired, []string{
			"STOP SLAVE",
			"CHANGE MASTER TO MASTER_HOST = 'db', MASTER_PORT = 3306, MASTER_USER = 'repl', MASTER_PASSWORD = 'p\\'w', " +
				"MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos, MASTER_SSL = 1, MASTER_SSL_VERIFY_SERVER_CERT = 0",
			"START SLAVE"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.target.TLS = tt.tls
			if diff := cmp.Diff(tt.want, tt.engine.Follow(tt.target, "p'w")); diff != "" {
				t.Errorf("statements (-want +got):\n%s", diff)
			}
		})
	}
}

// The account of a primary may replicate and no more; that of a replica is for its agent.
func TestAccountOfReplication(t *testing.T) {
	tests := map[string]struct {
		engine engine.Engine
		target contract.Target
		want   string
	}{
		"a primary":                 {mysql.Engine(), member("MySQL", "9.7.1", "Async", ""), "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'%';"},
		"a replica of MySQL":        {mysql.Engine(), member("MySQL", "9.7.1", "Async", "db:1"), "GRANT REPLICATION CLIENT, REPLICATION_SLAVE_ADMIN ON *.* TO 'repl'@'127.0.0.1';"},
		"a replica of MySQL 5.7":    {mysql.Engine(), member("MySQL", "5.7.22", "Async", "db:1"), "GRANT REPLICATION CLIENT, SUPER ON *.* TO 'repl'@'127.0.0.1';"},
		"a replica of MariaDB":      {mariadb.Engine(), member("MariaDB", "10.11.6", "Async", "db:1"), "GRANT SLAVE MONITOR, REPLICATION SLAVE ADMIN ON *.* TO 'repl'@'127.0.0.1';"},
		"a primary of MariaDB, too": {mariadb.Engine(), member("MariaDB", "10.11.6", "Async", ""), "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'%';"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			statements := tt.engine.BootstrapSQL(tt.target, "pw")
			if !slices.Contains(statements, tt.want) {
				t.Errorf("%q is not among:\n%s", tt.want, strings.Join(statements, "\n"))
			}
			for _, s := range statements {
				if strings.Contains(s, "ON *.*") && s != tt.want {
					t.Errorf("a global privilege that nobody needs: %s", s)
				}
			}
		})
	}
}
