// Package design is about experiments that have not begun: `plan`, `new` and `shapes`.
//
// In: a manifest, flags and answers of the user, or the nodes of the cluster. Out: what the manifest will do, a manifest, or
// suggestions for InstanceShapes. `plan` and `new` ask no cluster, and say what cannot be known without one; what they do
// know comes from the code with which the manager accepts a run (internal/experiment), and from the embedded
// CRD. Nothing is written to the cluster.
//
//	manifest.go  the run of a manifest, with all defaults
//	plan.go      what a manifest will do
//	new.go       takes the parts of a run as flags
//	ask.go       asks for those that the flags leave open
//	servers.go   reads a target with its settings
//	template.go  writes its manifest, which it has planned
//	shapes.go    suggests shapes from nodes
package design
