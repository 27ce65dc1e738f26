package engine

import "net"

// PathReplica answers GET in the database pod of a replica with a ReplicaState, bearing
// the token like the other paths. With the query "position", a position of the primary,
// and "wait", in seconds, it answers when the replica has applied that much or when the
// time is over.
const PathReplica = "/replica"

// MaxReplicaWait is the longest wait for one answer, in seconds.
const MaxReplicaWait = 30

// ReplicaState is what `agent target` says of a replica.
type ReplicaState struct {
	// ServerVersion as SELECT VERSION() gave it at the last login.
	ServerVersion string `json:"serverVersion,omitempty"`
	// Running: it receives from its primary, and applies.
	Running bool `json:"running"`
	// Error that the server tells of, or why nothing is known; empty for none.
	Error string `json:"error,omitempty"`
	// LagSeconds behind the primary, as the server tells; absent when it does not.
	LagSeconds *float64 `json:"lagSeconds,omitempty"`
	// MaxLagSeconds is the greatest of the lags that were seen once a second since the
	// answer before this one.
	MaxLagSeconds *float64 `json:"maxLagSeconds,omitempty"`
	// Applied says whether the position of the question is applied; absent without one.
	Applied *bool `json:"applied,omitempty"`
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
