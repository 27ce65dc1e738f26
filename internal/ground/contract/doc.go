// Package contract has every format that the parts of Assay exchange. Everything that crosses
// a process, a pod or a release is declared here, and nowhere else.
//
//	trial.go        the request from the manager to a client's agent
//	result.go       its result: what a client measured, and where
//	target.go       the request from the manager to a database pod's agent
//	target_agent.go the HTTP interface of that agent
//	termination.go  the termination message of a client's agent; target_termination.go: of a target's
//	journal.go      the records of a run's trials
//	names.go        names of objects, and keys of what they hold
//	paths.go        where things are mounted in pods
//
// A result keeps four states apart that other tools turn into a zero: a value that was measured, one that is absent,
// one that failed, and one that the tool does not support. A number that was not measured has no field at all.
//
// The package imports neither Kubernetes nor the rest of Assay. Every format names
// its version. JSON Schema documents of the formats are in docs/contracts.
package contract
