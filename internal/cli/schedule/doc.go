// Package schedule is about BenchmarkSchedules: `schedule get`, `schedule history` and `schedule run-now`.
//
// In: the name of a schedule, and the rights of the user. Out: the schedules of a namespace, the runs of one that have ended, or a run
// that is asked for. Only run-now writes: the annotation assay.dev/run-now of the schedule, by which the manager starts a run.
//
//	get.go      schedules, and one of them
//	history.go  the runs that have ended
//	runnow.go   asks for a run
package schedule
