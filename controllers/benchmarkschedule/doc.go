// Package benchmarkschedule starts the runs of BenchmarkSchedules.
//
// In: schedules, their runs, and what the templates name. Out: runs, the ConfigMaps with the history
// of a schedule, and the status of schedules. Refused: a schedule whose times cannot be read.
//
// A pass gathers a World, decides from it, acts, and writes the status once:
//
//	gather.go      the only reader
//	references.go  what a template names, and its digest
//	decide.go      what follows: history, runs to delete, a run to start. It is pure
//	times.go       which times of the schedule are due, and which were missed. It is pure
//	act.go         the only writer of runs and histories
//	settle.go      the status that follows. It is pure
//	alarm.go       what became slower over the history. It is pure
//	searched.go    the series of a run that are searched for changes. It is pure
//	confirm.go     the extra run that confirms a regression. It is pure
//	events.go      derives events from the old and the new status
//
// # Invariants
//
//  1. The name of a run follows from the schedule and from what starts it: a time, a change, a value
//     of the annotation, the run that it is to confirm. A run is created before the status says so. So a manager that dies between
//     the two starts nothing twice, and a time is accounted for only when its run exists or it was
//     missed.
//  2. Times are computed from status.accountedTime, and not from the time of the last pass. So a
//     manager that was not there misses none: it starts the last time that is due, and reports the
//     others.
//  3. A run is deleted by the history limits only when the history has it.
//  4. A pass in which nothing happened writes nothing.
package benchmarkschedule
