// Package runreport stores the report of each run that has ended: its tables in a ConfigMap, and the page in the
// object store of the operator, where there is one. It has one worker of its own, and at most one report is made at a
// time. While a part of a report is made, nobody else reads results, so that the memory does not add up: passes of runs
// that want to wait, and where all workers do, so do other runs. After 30 seconds a run is read no further, and what
// is made of it then has bounds, so that it takes seconds at most.
//
// In: BenchmarkRuns that have ended, and what they have stored (internal/show/writeup). Out: the ConfigMap RUN-report,
// which belongs to the run; an object below the folder of the run; and status.report, which no other controller
// writes. What becomes of a report changes nothing else of the run, and no tear-down waits until it is stored.
//
// Everything is decided from the run: from status.report, from the end of the run and from the time. So a manager
// that died at any write goes on where it was, and makes the same bytes. An attempt at the page is counted in the
// status before it begins: a page that kills the manager does so at most MaxAttempts times. A run that ended longer
// than Window before the manager first meets it without a report gets none, so that an upgrade does not make the
// reports of everything that ever ran: kubectl assay report makes them.
//
//	controller.go  gathers: the run, from the cache and then from the API server; and acts
//	decide.go      decides, from the run and the time
//	store.go       writes the ConfigMap, the page and the status, and looks whether the ConfigMap is still there
//
// The Pause between two attempts grows; a store that hangs delays the reports of other runs by half a minute.
package runreport
