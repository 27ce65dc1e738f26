package mysqld

import (
	"strconv"

	"github.com/assay-bench/assay/engines/engine"

	"github.com/assay-bench/assay/internal/contract"
)

// SemiSync is the mode in which a commit waits for a replica.
const SemiSync = "SemiSync"

// SemiSyncTimeout is how long a commit waits for a replica before the primary goes on
// without, in ms. It is long, so that a slow replica slows the primary down, which is what
// is measured; it is no longer, so that a replica that is gone does not take the whole
// trial. A primary that did go on without counts it, and its result is not used.
const SemiSyncTimeout = 60_000

// BinaryLog is the base name of the files of the binary log.
const BinaryLog = "binlog"

// identity is what tells one server in replication from the others. MySQL 5.7 wants it
// wherever there is a binary log, also while it makes its data directory.
func identity(t contract.Target) []contract.Setting {
	if t.Replication == nil {
		return nil
	}
	return []contract.Setting{{Name: "server_id", Value: strconv.Itoa(int(t.Replication.ServerID))}}
}

// Member are the settings of one server in replication that count while it serves.
func Member(t contract.Target) []contract.Setting {
	// The built-in name has that of the host in it.
	settings := []contract.Setting{{Name: "relay_log", Value: "relay"}}
	if t.IsReplica() {
		settings = append(settings, contract.Setting{Name: "read_only", Value: "ON"})
	}
	return settings
}

// replicated are the settings that every server in replication has.
func replicated(contract.Target) []contract.Setting {
	return []contract.Setting{
		{Name: "log_bin", Value: BinaryLog},
		{Name: "gtid_mode", Value: "ON"},
		{Name: "enforce_gtid_consistency", Value: "ON"},
	}
}

// member are the settings of MySQL's own. Those of semi-synchronous replication are not
// loose_: a build without the plugin refuses them and does not start, where otherwise it
// would replicate asynchronously.
func member(t contract.Target) []contract.Setting {
	if t.Replication == nil {
		return nil
	}
	settings := Member(t)
	if t.IsReplica() {
		// The agent starts replication when it has told the server whom to follow.
		settings = append(settings, contract.Setting{Name: newWord(t, "skip_replica_start", "skip_slave_start"), Value: "ON"})
	}
	if t.Replication.Mode != SemiSync {
		return settings
	}
	source, replica := "source", "replica"
	if !t.AtLeast(8, 0, 26) {
		source, replica = "master", "slave"
	}
	if t.IsReplica() {
		return append(settings,
			contract.Setting{Name: "plugin_load_add", Value: "semisync_" + replica + ".so"},
			contract.Setting{Name: "rpl_semi_sync_" + replica + "_enabled", Value: "ON"})
	}
	return append(settings,
		contract.Setting{Name: "plugin_load_add", Value: "semisync_" + source + ".so"},
		contract.Setting{Name: "rpl_semi_sync_" + source + "_enabled", Value: "ON"},
		contract.Setting{Name: "rpl_semi_sync_" + source + "_timeout", Value: strconv.Itoa(SemiSyncTimeout)})
}

// newWord is the name of a setting since MySQL 8.0.26, or the one before.
func newWord(t contract.Target, word, before string) string {
	if t.AtLeast(8, 0, 26) {
		return word
	}
	return before
}

// replicationUser is the account that replicas log in to the primary with, or, on a
// replica, the one with which the agent beside it tends to replication.
func replicationUser(t contract.Target) string {
	if t.IsReplica() {
		return engine.QuoteString(t.Replication.Username) + "@'127.0.0.1'"
	}
	return engine.QuoteString(t.Replication.Username) + "@'%'"
}

// replicationAccount makes the account. The agent beside a replica needs more in MySQL 5.7.
func replicationAccount(t contract.Target, identified string) []string {
	agent := "REPLICATION CLIENT, REPLICATION_SLAVE_ADMIN"
	if !t.AtLeast(8, 0) {
		agent = "REPLICATION CLIENT, SUPER"
	}
	return ReplicationAccount(t, agent, identified)
}

// ReplicationAccount are the statements that make the account of replicas, or on a replica
// that of its agent with the privileges that it needs; none for a server without replication.
func ReplicationAccount(t contract.Target, agent, identified string) []string {
	if t.Replication == nil {
		return nil
	}
	privileges := "REPLICATION SLAVE"
	if t.IsReplica() {
		privileges = agent
	}
	account := replicationUser(t)
	return []string{
		"CREATE USER IF NOT EXISTS " + account + identified,
		"ALTER USER " + account + identified,
		"GRANT " + privileges + " ON *.* TO " + account + ";",
	}
}

// follow begins where the replica's own data is (auto position). Statements of before
// 8.0.23 have other words.
func follow(t contract.Target, password string) []string {
	host, port := contract.SplitAddress(t.Replication.Primary)
	change, of, stop, start := "CHANGE REPLICATION SOURCE TO ", "SOURCE_", "STOP REPLICA", "START REPLICA"
	if !t.AtLeast(8, 0, 23) {
		change, of, stop, start = "CHANGE MASTER TO ", "MASTER_", "STOP SLAVE", "START SLAVE"
	}
	to := change + of + "HOST = " + engine.QuoteString(host) + ", " + of + "PORT = " + port +
		", " + of + "USER = " + engine.QuoteString(t.Replication.Username) + ", " + of + "PASSWORD = " + engine.QuoteString(password) +
		", " + of + "CONNECT_RETRY = 1, " + of + "RETRY_COUNT = 86400, " + of + "AUTO_POSITION = 1"
	switch {
	case t.HasTLS():
		to += ", " + of + "SSL = 1"
	case t.AtLeast(8, 0, 4):
		// Without TLS caching_sha2_password sends the password under the server's public key.
		to += ", " + of + "SSL = 0, GET_" + of + "PUBLIC_KEY = 1"
	default:
		to += ", " + of + "SSL = 0"
	}
	return []string{stop, to, start}
}

func replicaStatus(t contract.Target) string {
	if t.AtLeast(8, 0, 22) {
		return "SHOW REPLICA STATUS"
	}
	return "SHOW SLAVE STATUS"
}

// awaitPosition waits until a set of transactions is applied; 0 when it is.
const awaitPosition = "SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?)"
