// Package notification tells the receivers of the operator's configuration what became of runs. There
// is one controller for each receiver, with workers of its own: one that hangs delays neither the
// others nor the runs.
//
// In: BenchmarkRuns that have ended, and one receiver. Out: CloudEvents by HTTP (internal/show/notify), and
// status.notifications of the run, which no other controller writes. An event is sent at least once,
// and recorded when it needs no further attempt; what was sent and not recorded is sent again after a
// restart, with the same id. It is tried until it is too old, less and less often.
//
// What is older than that when the manager starts is neither sent nor recorded: so a new receiver is
// not told of everything that ever ran. A run that is deleted before its events were sent takes them
// with it, which a metric counts.
//
//	controller.go  gathers: the run, from the cache and then from the API server; and acts
//	tries.go       decides, from the attempts of this process and the time
package notification
