package contract

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"strconv"
	"strings"
)

// TargetVersion names the format of Target. A reader refuses any other.
const TargetVersion = "assay.dev/target/v1"

// Target is the message from the manager to `agent target`: what server to
// provide. The password is not in it; it is mounted as a file.
type Target struct {
	// Version is always TargetVersion.
	Version string `json:"version"`
	// Flavor is the name of the engine: MySQL, MariaDB, Percona, TiDB.
	Flavor string `json:"flavor"`
	// StorageEngine is the default storage engine, such as InnoDB.
	StorageEngine string `json:"storageEngine"`
	// Database is the schema to create for the benchmark.
	Database string `json:"database"`
	// Username of the benchmark's account.
	Username string `json:"username"`
	// Port the server listens on.
	Port int32 `json:"port"`
	// TLS is Disabled, Preferred or Required; empty is Disabled.
	TLS TLSMode `json:"tls,omitempty"`
	// Replication; nil for a server without replicas.
	Replication *Replication `json:"replication,omitempty"`
	// ServerVersion is what the server's binary says of itself, such as 5.7.22. The agent
	// sets it; the manager does not know.
	ServerVersion string `json:"-"`
	// Settings of the user, in the order in which they are written; a later one
	// of the same name has replaced an earlier one already (see Merge).
	Settings []Setting `json:"settings,omitempty"`
}

// Replication is the part of a server in replication.
type Replication struct {
	// Mode is Async or SemiSync.
	Mode string `json:"mode"`
	// ServerID, from 1: that of the primary.
	ServerID int32 `json:"serverID"`
	// Primary to follow, as host:port; empty for the primary itself.
	Primary string `json:"primary,omitempty"`
	// Username of the account for replication; its password is that of the benchmark's
	// account.
	Username string `json:"username"`
	// Replicas that the primary has.
	Replicas int32 `json:"replicas"`
}

// Setting is one server option of the group [mysqld].
type Setting struct {
	// Name as in my.cnf, with underscores.
	Name string `json:"name"`
	// Value; empty for an option without one, such as skip_log_bin. The empty
	// string is written as two single quotes, as in sql_mode = ''.
	Value string `json:"value,omitempty"`
}

// IsReplica says whether the server follows another one.
func (t Target) IsReplica() bool { return t.Replication != nil && t.Replication.Primary != "" }

// SplitAddress takes host:port apart; an address without a port has that of MySQL.
func SplitAddress(address string) (host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, "3306"
	}
	return host, port
}

// HasTLS says whether the server has a certificate of Assay.
func (t Target) HasTLS() bool { return t.TLS == TLSPreferred || t.TLS == TLSRequired }

// ControlToken is what a client shows to the agent of a database pod. It follows
// from the password of the benchmark's account, which both have as a file, without
// telling it.
func ControlToken(password string) string {
	mac := hmac.New(sha256.New, []byte(password))
	mac.Write([]byte("assay.dev/control/v1"))
	return hex.EncodeToString(mac.Sum(nil))
}

// AtLeast compares the version of the server with numbers, such as 8, 0, 30. A
// server whose version is not known yet counts as new.
func (t Target) AtLeast(numbers ...int) bool {
	return t.ServerVersion == "" || AtLeast(t.ServerVersion, numbers...)
}

// AtLeast compares a version number by number; what is missing is 0.
func AtLeast(version string, numbers ...int) bool {
	parts := strings.Split(version, ".")
	for i, want := range numbers {
		have := 0
		if i < len(parts) {
			have, _ = strconv.Atoi(parts[i]) // a version consists of digits; anything else is as old as 0
		}
		if have != want {
			return have > want
		}
	}
	return true
}
