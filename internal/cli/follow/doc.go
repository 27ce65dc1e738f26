// Package follow starts a run and follows it to its end: `run` and `watch`.
//
// In: a manifest, or the name of a run, and the rights of the user: `get` of BenchmarkRuns, and for `run` what applying
// the manifest needs. Out: progress on standard error, as a bar on a terminal and as lines elsewhere; at the end the
// numbers and the verdict on standard output, and an exit code that says what became of the run.
//
// The status is read every two seconds rather than watched: so `get` is enough, and a connection that breaks is the
// same as one that was not there yet. Ending the command never ends the run.
//
//	run.go    applies the manifest
//	watch.go  reads the status until the run has ended
//	bar.go    progress for people
package follow
