package mariadb

import (
	"strconv"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/engine/mysqld"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// replicated are the settings that every server in replication has. Strict mode stops a
// replica with more transactions than its primary.
func replicated(contract.Target) []contract.Setting {
	return []contract.Setting{
		{Name: "log_bin", Value: mysqld.BinaryLog},
		{Name: "gtid_strict_mode", Value: "ON"},
	}
}

// member are the settings of one server. Semi-synchronous replication is built in.
func member(t contract.Target) []contract.Setting {
	if t.Replication == nil {
		return nil
	}
	settings := mysqld.Member(t)
	if t.IsReplica() {
		// The agent starts replication after it has set the primary.
		settings = append(settings, contract.Setting{Name: "skip_slave_start", Value: "ON"})
	}
	if t.Replication.Mode != mysqld.SemiSync {
		return settings
	}
	if t.IsReplica() {
		return append(settings, contract.Setting{Name: "rpl_semi_sync_slave_enabled", Value: "ON"})
	}
	return append(settings,
		contract.Setting{Name: "rpl_semi_sync_master_enabled", Value: "ON"},
		contract.Setting{Name: "rpl_semi_sync_master_timeout", Value: strconv.Itoa(mysqld.SemiSyncTimeout)})
}

// replicationAccount makes the account of replicas, or on a replica that of its agent.
func replicationAccount(t contract.Target, identified string) []string {
	return mysqld.ReplicationAccount(t, "SLAVE MONITOR, REPLICATION SLAVE ADMIN", identified)
}

// follow starts at the position of the replica's own data. Since 11.4 a replica uses TLS and
// checks the name in the certificate by default; here the target's tls decides.
func follow(t contract.Target, password string) []string {
	host, port := contract.SplitAddress(t.Replication.Primary)
	ssl := "0"
	if t.HasTLS() {
		ssl = "1"
	}
	return []string{
		"STOP SLAVE",
		"CHANGE MASTER TO MASTER_HOST = " + engine.QuoteString(host) + ", MASTER_PORT = " + port +
			", MASTER_USER = " + engine.QuoteString(t.Replication.Username) + ", MASTER_PASSWORD = " + engine.QuoteString(password) +
			", MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos" +
			", MASTER_SSL = " + ssl + ", MASTER_SSL_VERIFY_SERVER_CERT = 0",
		"START SLAVE",
	}
}

func replicaStatus(contract.Target) string { return "SHOW SLAVE STATUS" }

// awaitPosition waits until the position is reached; the result is then 0.
const awaitPosition = "SELECT MASTER_GTID_WAIT(?, ?)"
