// Package client is `agent client`, process 1 of a client pod: it carries out one
// phase of one trial and delivers exactly one result.
//
// The story is the list in steps.go: connect, put the data back, query the server,
// report ready, wait for the published start, run the tool for the discarded warm-up
// and, at the planned instant, for the measured window, query the server again. A
// step takes what it needs and returns what it found; assemble.go makes the result of
// all that was found, also when a step failed, and run.go writes it into its ConfigMap.
//
// Of several clients only the first speaks with the server and with the target's
// agent; the others ask for the time, and just generate load. Clients that share the
// loading of the data do not wait for one another at a barrier: each begins when the
// server answers, and the first waits at the end, for the results of the others,
// before it counts what is there. The first step that fails ends the list; what is
// known by then is delivered as a Failed result with the reason.
//
// Only a trial that cannot be read, or a result that cannot be stored, leaves
// nothing but the termination message.
package client
