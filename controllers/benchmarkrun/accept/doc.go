// Package accept is the first room of a run: it decides whether the spec can be
// carried out, makes the plan, and pins what the references of the spec mean.
//
// What comes in (Input): the run, the catalogue of tools, engines and images, and what
// an earlier pass planned. Objects that the spec names are asked for (decision.Asking);
// so nothing is read that is not needed, and a spec that has no plan is refused before
// anything is read for it.
//
// What goes out (Result):
//
//	Waiting  Suspended: accepted, and spec.suspend holds the run back;
//	         or Progressing: a plan of many cells is made over several passes, one such plan at a time
//	Failed   the user has to act; the message names the field
//	Done     Planned, Demand and Status are complete
//
// and the actions that make it last, in this order: copies of what the user may
// change later, the hash of the spec on the run, the ConfigMaps of the plan.
//
// What it refuses: what internal/experiment refuses, which makes the plan and knows what
// follows from the spec alone; a flavor, version, shape, ConfigMap or Secret that does not
// exist; settings that Assay owns or that are lower than the workload needs; published output
// that cannot be read; the volume of an earlier run that is gone, or that another server wrote; a priority, a deadline or a shape that the operator does not allow;
// pods that the quotas and limit ranges of the namespace can never let be; and results for which the namespace or the cluster has no room.
//
// References are resolved once. A run that was accepted keeps status.resolved, and
// the plan that was written down, whatever the objects that it named have become.
//
// NodeRequest and Place belong here too: what a run that was accepted asks of the
// queue of nodes, and what the queue's answer means for it. The queue itself is state
// of the controller and is asked by nobody else.
package accept
