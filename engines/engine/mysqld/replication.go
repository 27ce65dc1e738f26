package mysqld

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// SemiSync is the mode in which a commit waits for a replica.
const SemiSync = "SemiSync"

// SemiSyncTimeout is the maximum wait of a commit for a replica, in ms. It is long enough for
// a slow replica to slow down the primary, which is the measured effect, and short enough for
// a lost replica not to use up the trial. The primary counts commits after a timeout; results
// with such commits are not used.
const SemiSyncTimeout = 60_000

// BinaryLog is the base name of the files of the binary log.
const BinaryLog = "binlog"

// identity has the server ID. MySQL 5.7 needs it wherever there is a binary log, also during
// the initialisation.
func identity(t contract.Target) []contract.Setting {
	if t.Replication == nil {
		return nil
	}
	return []contract.Setting{{Name: "server_id", Value: strconv.Itoa(int(t.Replication.ServerID))}}
}

// Member are the settings of one server in replication, for the running server.
func Member(t contract.Target) []contract.Setting {
	// The default name contains the host name.
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

// UndoesReplication are settings of the family that would undo what Assay sets for replication.
func UndoesReplication(name string) bool {
	return strings.HasPrefix(name, "rpl_semi_sync_") || slices.Contains([]string{
		"server_id", "relay_log", "relay_log_index", "log_bin_index", "skip_log_bin", "disable_log_bin",
		"skip_slave_start", "skip_replica_start", "replicate_same_server_id",
	}, name)
}

// member are the settings that only MySQL has. Those of semi-synchronous replication are not
// loose_: a build without the plugin must not start, because it would replicate
// asynchronously.
func member(t contract.Target) []contract.Setting {
	if t.Replication == nil {
		return nil
	}
	settings := Member(t)
	if t.IsReplica() {
		// The agent starts replication after it has set the primary.
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

// newWord is the name of a setting since MySQL 8.0.26, or its earlier name.
func newWord(t contract.Target, word, before string) string {
	if t.AtLeast(8, 0, 26) {
		return word
	}
	return before
}

// replicationUser is the account of replicas on the primary, or, on a replica, the account of
// its agent for replication.
func replicationUser(t contract.Target) string {
	if t.IsReplica() {
		return engine.QuoteString(t.Replication.Username) + "@'127.0.0.1'"
	}
	return engine.QuoteString(t.Replication.Username) + "@'%'"
}

// replicationAccount makes the account. The agent of a replica needs more privileges in MySQL
// 5.7.
func replicationAccount(t contract.Target, identified string) []string {
	agent := "REPLICATION CLIENT, REPLICATION_SLAVE_ADMIN"
	if !t.AtLeast(8, 0) {
		agent = "REPLICATION CLIENT, SUPER"
	}
	return ReplicationAccount(t, agent, identified)
}

// ReplicationAccount are the statements that create the account of replicas, or on a replica
// the account of its agent; none for a server without replication.
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

// SetterAccount are the statements that create the account with which the agent sets variables of the running server. Where it sets none,
// they drop it: the data may be that of a server that had one. By is what stands before its password. SUPER, where that is the privilege, is more than it needs: the account can log in
// from inside of the pod only, with a password that the agent alone knows.
func SetterAccount(t contract.Target, privileges, by string) []string {
	if t.Setter == "" {
		return []string{"DROP USER IF EXISTS " + engine.QuoteString(contract.SetterUsername) + "@'127.0.0.1';"}
	}
	identified := by + engine.QuoteString(t.SetterPassword) + ";"
	account := engine.QuoteString(t.Setter) + "@'127.0.0.1'"
	return []string{
		"CREATE USER IF NOT EXISTS " + account + identified,
		"ALTER USER " + account + identified,
		"GRANT " + privileges + " ON *.* TO " + account + ";",
	}
}

// setterAccount: MySQL 5.7 has no privilege for variables alone.
func setterAccount(t contract.Target, by string) []string {
	privilege := "SYSTEM_VARIABLES_ADMIN"
	if !t.AtLeast(8, 0) {
		privilege = "SUPER"
	}
	return SetterAccount(t, privilege, by)
}

// follow starts at the position of the replica's own data (auto position). Statements before
// 8.0.23 have other keywords.
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
		// Without TLS, caching_sha2_password encrypts the password with the server's public
		// key.
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

// awaitPosition waits until a set of transactions is applied; the result is then 0.
const awaitPosition = "SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?)"
