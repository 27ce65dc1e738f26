// Package metrics tells Prometheus what the runs of the cluster do. In: the runs in the cache, what the
// manager plans, and the time of a scrape. Out: gauges, computed at each scrape from the status of
// the runs, so that they survive the manager and cost nothing between scrapes. Refused: labels
// without a bound. What tenants write is cut to a length, a run has a bounded number of series, and so
// has the manager; what is left out is counted.
//
//	catalogue.go  every metric, with its labels: the one list, from which the reference is made
//	collector.go  answers a scrape of the manager that is elected
//	choose.go     the runs that have series of their own
//	totals.go     sums over all runs
//	run.go        states, trials and times of one run
//	results.go    the final values of one run, in base units
//	store.go      counts what the object store is asked
//	reference.go  docs/reference/metrics.md
//
// Package family has what the metrics of client pods need too.
package metrics
