package contract

import (
	"net"
	"strconv"
	"strings"
)

// TargetVersion names the format of Target. A reader refuses any other.
const TargetVersion = "assay.dev/target/v1"

// SetterUsername is the name of the account with which an agent changes variables of its server.
const SetterUsername = "assay_settings"

// Target is the message from the manager to `agent target`: the server to provide. It does not
// contain the password, which is mounted as a file.
type Target struct {
	// Version is always TargetVersion.
	Version string `json:"version"`
	// Flavor of the server, such as MySQL.
	Flavor string `json:"flavor"`
	// StorageEngine is the default storage engine, such as InnoDB.
	StorageEngine string `json:"storageEngine"`
	// Database is the schema to create for the benchmark.
	Database string `json:"database"`
	// Tenants have a schema each, that of the first is Database; 0 for a run without tenants.
	Tenants int32 `json:"tenants,omitempty"`
	// Username of the benchmark's account.
	Username string `json:"username"`
	// Port the server listens on.
	Port int32 `json:"port"`
	// TLS is Disabled, Preferred or Required; empty is Disabled.
	TLS TLSMode `json:"tls,omitempty"`
	// Replication; nil for a server without replicas.
	Replication *Replication `json:"replication,omitempty"`
	// Setter is the username of the account with which the agent changes variables of the running server, from
	// inside of its pod alone; empty where it changes none.
	Setter string `json:"setter,omitempty"`
	// SetterPassword is the password of that account. The agent makes one at each start of its own; nobody else knows it.
	SetterPassword string `json:"-"`
	// ServerVersion is the version of the server's binary, such as 5.7.22. The agent sets it;
	// the manager does not know it.
	ServerVersion string `json:"-"`
	// Retained: the volume holds the data of an earlier run, or a copy of it; nil for one that is empty at first.
	Retained *Retained `json:"retained,omitempty"`
	// CPUs that the server keeps to; nil for all.
	CPUs *CPUs `json:"cpus,omitempty"`
	// Settings of the user in the order of the configuration file, each name once (see settings.Merge).
	Settings []Setting `json:"settings,omitempty"`
}

// Schemas to create for the benchmark: one, or that of each tenant.
func (t Target) Schemas() (out []string) {
	for tenant := range max(t.Tenants, 1) {
		out = append(out, TenantDatabase(t.Database, int(tenant)+1))
	}
	return out
}

// Retained is data that an earlier run left on its volume, or a copy of it.
type Retained struct {
	// RunUID is that of the run that measures on the volume now.
	RunUID string `json:"runUID"`
	// ServerVersion is the SELECT VERSION() of the server that wrote it; empty where it is unknown.
	ServerVersion string `json:"serverVersion,omitempty"`
	// Snapshot is the VolumeSnapshot that the volume was made of; empty for the volume of an earlier run.
	Snapshot string `json:"snapshot,omitempty"`
}

// Replication is the role of a server in replication.
type Replication struct {
	// Mode is Async or SemiSync.
	Mode string `json:"mode"`
	// ServerID, from 1; the primary has 1.
	ServerID int32 `json:"serverID"`
	// Primary of a replica, as host:port; empty for the primary itself.
	Primary string `json:"primary,omitempty"`
	// Username of the account for replication; its password is that of the benchmark's account.
	Username string `json:"username"`
	// Replicas is the number of replicas of the primary.
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

// IsReplica reports whether the server is a replica.
func (t Target) IsReplica() bool { return t.Replication != nil && t.Replication.Primary != "" }

// SplitAddress splits host:port; the default port is that of MySQL.
func SplitAddress(address string) (host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, "3306"
	}
	return host, port
}

// HasTLS reports whether the server has a certificate of Assay.
func (t Target) HasTLS() bool { return t.TLS == TLSPreferred || t.TLS == TLSRequired }

// AtLeast reports whether the version of the server is at least the numbers, such as 8, 0, 30;
// true while the version is unknown.
func (t Target) AtLeast(numbers ...int) bool {
	return t.ServerVersion == "" || AtLeast(t.ServerVersion, numbers...)
}

// AtLeast compares a version number by number; missing numbers are 0.
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
