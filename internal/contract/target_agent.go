package contract

import "time"

// EnvironmentVersion names the format of Environment.
const EnvironmentVersion = "assay.dev/environment/v1"

// TargetEnvironment is what `agent target` says of the server and the pod it runs in,
// as JSON under /environment. What is not known is absent, never 0.
type TargetEnvironment struct {
	// Version is always EnvironmentVersion.
	Version string `json:"version"`
	// Flavor of the target.
	Flavor string `json:"flavor"`
	// ServerVersion as SELECT VERSION() gave it at the last login.
	ServerVersion string `json:"serverVersion,omitempty"`
	// Machine, Limits and Warnings as in Environment.
	Machine  Machine  `json:"machine"`
	Limits   Limits   `json:"limits"`
	Warnings []string `json:"warnings,omitempty"`
	// Storage of the data directory.
	Storage *Storage `json:"storage,omitempty"`
	// Usage now.
	Usage Usage `json:"usage"`
	// Window is there if it was asked for and samples of it exist.
	Window *UsageWindow `json:"window,omitempty"`
}

// UsageWindow are the first and the last sample that the agent took inside a window.
type UsageWindow struct {
	Before Usage `json:"before"`
	After  Usage `json:"after"`
}

// Paths of the agent's HTTP server in a database pod, besides the probes. Each
// request bears ControlToken in the header Authorization, as "Bearer TOKEN".
const (
	// PathEnvironment answers GET with a TargetEnvironment. With the parameters from and to,
	// seconds before now, it has the Window between them: ages, so that the clocks of two
	// nodes need not agree.
	PathEnvironment = "/environment"
	// PathClock answers GET with a Clock, at once.
	PathClock = "/clock"
	// PathSpeed answers GET with a Speed, measured then: while the server has nothing
	// to do.
	PathSpeed = "/speed"
	// PathSnapshot answers POST when a snapshot of the data directory was taken and
	// the server accepts logins again, with a Copy. It replaces an older one.
	PathSnapshot = "/snapshot"
	// PathRestore answers POST when the data directory is the snapshot's again and
	// the server accepts logins, with a Copy.
	PathRestore = "/restore"
)

// Clock is when the agent got the question and when it sent the answer, on its own clock.
type Clock struct {
	Received time.Time `json:"received"`
	Answered time.Time `json:"answered"`
}

// Operation is the body of POST to PathSnapshot and PathRestore. The same ID again
// gives the same answer, without another copy: a client that lost the connection
// asks again.
type Operation struct {
	ID string `json:"id"`
}

// Refusal is the body of every answer that is no success.
type Refusal struct {
	// Reason of the failure.
	Reason TargetReason `json:"reason"`
	// Message is for people.
	Message string `json:"message"`
}

// Reasons of refusals that do not end the agent. One with a reason of the end of a
// server, such as StorageFailed, does not end it either.
const (
	// ReasonUnauthorized: the request bears no token, or another one.
	ReasonUnauthorized TargetReason = "Unauthorized"
	// ReasonRequestInvalid: the body is no operation, or a parameter is none.
	ReasonRequestInvalid TargetReason = "RequestInvalid"
	// ReasonBusy: another operation is under way. A second try can help.
	ReasonBusy TargetReason = "Busy"
	// ReasonSnapshotMissing: there is no snapshot to restore.
	ReasonSnapshotMissing TargetReason = "SnapshotMissing"
	// ReasonAgentStopped: the agent was told to end before the operation did. A
	// restore goes on when the agent starts again; a snapshot does not.
	ReasonAgentStopped TargetReason = "AgentStopped"
)

// PathReplica answers GET in the database pod of a replica with a ReplicaState, bearing
// the token like the other paths. With the query "position", a position of the primary,
// and "wait", in seconds, it answers when the replica has applied that much or when the
// time is over.
const PathReplica = "/replica"

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
