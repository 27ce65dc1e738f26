// Package benchmarkrun carries out BenchmarkRuns.
//
// A pass gathers a World, decides from it, acts, and writes the status once:
//
//	gather.go, read.go  the readers: what every pass needs, and what a room asks for
//	pipeline.go         the steps in their order; decide is pure
//	steps.go         each step asks its room, and says what follows; measuring.go is the
//	                    one that runs the trials
//	act.go              the writer: performs the actions in their order
//	status.go           writes the status from the old one and from what the rooms returned
//	events.go           derives events from the old and the new status
//	nodes.go            asks the queue of nodes, which all runs share
//	release.go          a suspended run gives its nodes back
//	ended.go            what happens to a run that has ended
//
// The rooms decide, and read and write nothing:
//
//	accept    resolve every reference, make the plan, refuse what cannot work
//	target    bring the targets up, and describe what runs there
//	trial     one execution: load a target, run a trial, drop tables
//	conclude  summarise, judge, tear down
//	holds     give the nodes back that a run does not use
//	logbook   the records of a run: read them, add one
//	follow    what follows a trial where the plan says only what is possible
//	decision  the words of the rooms: states, actions, questions
//
// decide is asked again with more facts until no room asks for anything. So which
// execution is the current one follows from the records, and nothing is read that it does
// not need. What happens next is decided from the objects that exist, never from a stored
// phase or from a list that is bounded for display: a manager that is killed at any
// instant goes on where it was.
//
// # Invariants
//
// They hold with stale caches, with crashes between any two actions, and with two
// managers. TestInvariants checks 3 to 6 at each write, TestActionsStopAtTheFirstError 1
// and 7, TestForeignObjectIsNotTouched 2.
//
//  1. Actions are performed in their order, and the first that fails is the last.
//  2. An object is created once and belongs to this run, or the actions stop. Objects that
//     exist are replaced only under the version that was read.
//  3. The results of an execution are created first, its Job last. For clients that stand, which have one Job for many trials,
//     what tells them of the trial takes its place, and is written under the lock of its version.
//  4. No tool runs twice for one attempt. A client claims its result, under the lock of the
//     version that it read, before it does anything else; one that finds it claimed refuses,
//     and leaves it alone. A pass that comes upon a claimed result creates no Job. One that
//     came upon none, and is overtaken by another manager, may still create a Job after its
//     attempt has begun: the clients of that Job refuse.
//  5. The record of an attempt is written before the next attempt begins. Records are only
//     added, so that no trial is measured twice and none is lost.
//  6. The Job of a trial, or of clients that were told of it, is deleted only when its record is written, or before any other
//     client may begin; results are never deleted during the run.
//  7. A step whose actions were not performed leaves nothing in the status but why.
package benchmarkrun
