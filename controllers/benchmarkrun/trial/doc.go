// Package trial is the room of executions: one phase of the workload (Prepare, Run or
// Cleanup) on one target, by the clients of one Job.
//
// In: the run with its plan (Input), the execution that is the current one (Execution),
// and the Jobs and pods that the cache knew when the pass began. What costs a call, such
// as results, logs and the metadata of ConfigMaps, is asked for (decision.Asking) and
// only when the state needs it: while a trial runs, nothing but metadata and nodes is
// asked, which the cache answers.
//
// Out: Decide says where the execution stands, and what is to be done:
//
//	no Job                     begin: results, trial, access, and the Job last
//	no Job, a marked result    it was taken away: ended with ClientLost
//	not every client ready     wait
//	every client ready         publish one start time (phase Run only)
//	started                    wait
//	all ended, or one failed   ended: collect the results, look for the cause
//
// Record, LoadFindings and LoadFigures say what an end means.
//
// It refuses a result that is not the one which its client announced, a trial whose data
// cannot be shown to be what was loaded, and to begin while another client works.
//
// The invariants that make an execution safe from crashes, stale caches and a second
// manager are stated in package benchmarkrun.
package trial
