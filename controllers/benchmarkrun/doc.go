// Package benchmarkrun carries out BenchmarkRuns.
//
// Every pass does the same: it reads the world into a scope, walks the steps in
// their order, writes the status once, then sends events and cleans up.
//
//	accept    resolve every reference, make the plan, refuse what cannot work
//	place     find out whether the cluster offers a node for every shape
//	provision bring the targets up
//	load      fill every target with the workload's data, once
//	measure   run the trials of the plan, one at a time
//
// and at the end of it, or where it failed:
//
//	clean     drop the tables that were made in external targets
//	conclude  summarise, check, end
//
// A step is done, waits, has failed for good, or returns an error (try again).
// What happens next is decided from the objects that exist, never from a stored
// phase: a manager that is killed at any instant goes on where it was.
//
// How a trial is neither lost nor run twice: its result ConfigMap is made before
// its Job, is never deleted during the run, and is marked by the client before
// the tool starts. A Job is only created while its result is unmarked, and only
// deleted once its outcome stands in the status.
package benchmarkrun
