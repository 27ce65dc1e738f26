// Package metrics tells Prometheus what the runs and schedules of the cluster do. In: runs, schedules and
// baselines in the cache, what the manager plans, and the time of a scrape. Out: gauges, computed at each
// scrape from the objects, so that they survive the manager, go with their object, and cost nothing
// between scrapes. Refused: labels without a bound. What tenants write is cut to a length, an object has
// a bounded number of series, and so has the manager; what is left out is counted.
//
//	catalogue.go  every metric, with its labels: the one list, from which the reference is made
//	collector.go  answers a scrape of the manager that is elected
//	choose.go     the objects that have series of their own
//	totals.go     sums over all runs
//	run.go        states, trials and times of one run
//	results.go    the final values of one run, in base units
//	schedule.go   when a schedule starts, what it missed, and what became slower
//	baseline.go   the numbers of a baseline, and what the gate of a schedule lets pass
//	store.go      counts what the object store is asked
//	counted.go    counts notifications, reports, and what registries are asked
//
// Package internal/ground/family has what the metrics of client pods need too (internal/agent/live).
package metrics
