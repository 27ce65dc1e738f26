package contract

import "time"

// EnvironmentVersion names the format of Environment.
const EnvironmentVersion = "assay.dev/environment/v1"

// TargetEnvironment describes the server and its pod. `agent target` serves it as JSON under
// /environment. Unknown values are absent, never 0.
type TargetEnvironment struct {
	// Version is always EnvironmentVersion.
	Version string `json:"version"`
	// Flavor of the target.
	Flavor string `json:"flavor"`
	// ServerVersion is the result of SELECT VERSION() at the last login.
	ServerVersion string `json:"serverVersion,omitempty"`
	// Machine, Limits and Warnings as in Environment.
	Machine  Machine  `json:"machine"`
	Limits   Limits   `json:"limits"`
	Warnings []string `json:"warnings,omitempty"`
	// Storage of the data directory.
	Storage *Storage `json:"storage,omitempty"`
	// Usage now.
	Usage Usage `json:"usage"`
	// Window is present if it was requested and has samples.
	Window *UsageWindow `json:"window,omitempty"`
	// Gap in the samples of the window that was requested; absent if all of them were there in time.
	Gap *Gap `json:"gap,omitempty"`
}

// UsageWindow has the first and the last sample of the agent inside a window.
type UsageWindow struct {
	Before Usage `json:"before"`
	After  Usage `json:"after"`
}

// Paths of the agent's HTTP server in a database pod, besides the probes. Each
// request is signed with the key of the target's Secret (KeyAgent): internal/agent/control.
const (
	// PathEnvironment answers GET with a TargetEnvironment. The parameters from and to, in seconds before now, select
	// its Window. They are ages, so the clocks of the two nodes need not agree.
	PathEnvironment = "/environment"
	// PathClock answers GET with a Clock, at once.
	PathClock = "/clock"
	// PathSpeed answers GET with a Speed, measured during the request, while the server is idle.
	PathSpeed = "/speed"
	// PathSnapshot takes a snapshot of the data directory on POST, in place of an older one.
	// It answers with a Copy when the server accepts logins again.
	PathSnapshot = "/snapshot"
	// PathRestore restores the data directory from the snapshot on POST. It answers with a
	// Copy when the server accepts logins again.
	PathRestore = "/restore"
	// PathArchive stops the server and brings its data directory into an object store on POST. It answers with a Copy, which has
	// the parts, when the server accepts logins again.
	PathArchive = "/archive"
	// PathFetch makes the data directory that of an archive in an object store on POST. It answers with a Copy when the server
	// accepts logins again. An archive that is not what was asked for leaves the data directory as it was.
	PathFetch = "/fetch"
	// PathRestart stops the server and starts it again on POST, with its data. It answers with a Copy of nothing, which says how
	// long there was no server.
	PathRestart = "/restart"
	// PathSettings changes variables of the running server on POST. It answers with a Copy of nothing when all are set.
	PathSettings = "/settings"
)

// Clock has the times at which the agent received the request and sent the response, on its own clock.
type Clock struct {
	Received time.Time `json:"received"`
	Answered time.Time `json:"answered"`
}

// Operation is the body of every POST, such as that to PathSnapshot. A repeated ID gets the same
// answer without another copy, so a client that lost the connection can repeat the request.
type Operation struct {
	ID string `json:"id"`
	// Settings that the server is started with after PathRestore and PathRestart, in place of those of the target by the same
	// names, until the next start; or that PathSettings sets.
	Settings []Setting `json:"settings,omitempty"`
	// Archive of PathArchive and PathFetch; absent for any other operation.
	Archive *Archive `json:"archive,omitempty"`
}

// Refusal is the body of every error response.
type Refusal struct {
	// Reason of the failure.
	Reason TargetReason `json:"reason"`
	// Message is for people.
	Message string `json:"message"`
}

// Reasons of refusals, as in api/v1alpha1/reasons.go. A refusal does not end the agent, even with a reason of the end of
// a server, such as StorageFailed.
const (
	ReasonUnauthorized    TargetReason = "Unauthorized"
	ReasonRequestInvalid  TargetReason = "RequestInvalid"
	ReasonBusy            TargetReason = "Busy"
	ReasonSnapshotMissing TargetReason = "SnapshotMissing"
	ReasonAgentStopped    TargetReason = "AgentStopped"
	ReasonPartDamaged     TargetReason = "DataSetDamaged"
	ReasonPartFailed      TargetReason = "DataSetFailed"
)

// PathReplica answers GET with a ReplicaState, in the database pod of a replica. With the parameters position (of the
// primary) and wait (in seconds), it answers when the replica has applied the position or the time is over.
const PathReplica = "/replica"

// ReplicaState is the state of a replica, from its agent.
type ReplicaState struct {
	// ServerVersion is the result of SELECT VERSION() at the last login.
	ServerVersion string `json:"serverVersion,omitempty"`
	// Running: the replica receives changes from its primary and applies them.
	Running bool `json:"running"`
	// Error of replication, or why the state is unknown; empty for none.
	Error string `json:"error,omitempty"`
	// LagSeconds behind the primary, as the server reports it; absent when it does not.
	LagSeconds *float64 `json:"lagSeconds,omitempty"`
	// MaxLagSeconds is the maximum lag since the previous answer, sampled once a second.
	MaxLagSeconds *float64 `json:"maxLagSeconds,omitempty"`
	// Applied reports whether the requested position is applied; absent without a position.
	Applied *bool `json:"applied,omitempty"`
}
