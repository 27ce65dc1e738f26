// Package target is the room in which the targets of a run come up, and in which it
// is described what runs there.
//
// What comes in (Input): the run with its placement and its pinned inputs, the
// StatefulSets and pods of its targets, and the name of the active target: with design.idleTargets: Stopped one target runs at a time, and
// whoever knows the position in the plan says which one. The nodes of pods are asked
// for (decision.Asking).
//
// What goes out (Result): the state of each target and what is observed of it, the
// state of them together, and the actions: create the objects of a server, the
// StatefulSet last (when it exists, so do all the others), and scale it to one pod or
// to none.
//
//	Waiting  a target that has to be up is not, and Reason says why
//	Failed   one will not come up
//	Done     every target that Assay starts accepts logins, in its turn
//
// With idleTargets: Stopped, State stays Done while another target is brought up for
// its turn: that is the ordinary course of such a run. So nobody begins an execution
// on a target because of State; Result.Of has the state of that one target.
//
// The volume of an earlier run has one user at a time, whose name is written on it before anything of a server is created. It is taken
// from a user that has ended and whose pod is gone, and from nobody else; not after a run that was let write into it and failed by its server. All
// volumes of a run are taken in the order of their names.
//
// A volume that is made of a VolumeSnapshot has a claim of the run, made when the VolumeSnapshot is that which the run was accepted with. Until the
// volume is there, a VolumeSnapshot that is gone, or is another one, ends the run.
//
// A StatefulSet is created only when no pod of another target is left that is in the
// way, and a replica after its primary, whose Secret it shares. While a trial is under
// way nothing is done: what its client finds says more than a readiness check of a
// server under load, and is written down before anything is done about a server that
// failed.
//
// Describe and CompareDurability are the other half: what a server said of itself when
// its data was loaded, and where that differs from what was asked for, or from what
// the other targets of the run said. Findings are returned, never put into a list.
package target
