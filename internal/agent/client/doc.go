// Package client is `agent client`, process 1 of the agent's container in a client pod. In: a
// trial, credentials and input files. It executes one phase of the trial. Out: exactly one result
// and a termination message. A client that stands (stand.go) does that for one trial after the other, and leaves
// the message in each result.
//
// The tool runs in a container of its own, under a supervisor that the agent gives orders to
// (package toolside). That container has no access to the API server, and what comes from it is
// not trusted.
//
// The steps are listed in steps.go: connect, put the data back, set what varies of the server, query it, report
// ready, wait for the published start, run the tool for the discarded warm-up and, at the
// planned instant, for the measured window, query the server again. Each step has explicit
// inputs and returns its findings. assemble.go makes the result from them, also when a step
// failed, and run.go writes it into its ConfigMap.
//
// With several clients, only the first queries the server and the target's agent. The others
// only compare clocks and generate load. Clients that share the loading of the data do not use
// the barrier: each starts when the server answers, and the first client waits at the end for
// the results of the others before it counts the rows. The first failed step ends the list.
// The findings so far are delivered as a Failed result with the reason.
//
// For an unreadable trial, or a result that cannot be stored, there is only the termination
// message.
package client
