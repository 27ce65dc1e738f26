// Package design is about experiments that have not begun: `plan`, `new` and `shapes`.
//
// In: a manifest, flags and answers of the user, or the nodes of the cluster. Out: what the manifest will do, a manifest, or
// suggestions for InstanceShapes. `plan` and `new` ask no cluster, and say what cannot be known without one; what they do
// know comes from the code with which the manager accepts a run (controllers/benchmarkrun/accept), and from the embedded
// CRD. Nothing is written to the cluster.
//
//	manifest.go  reads the manifest of a run, as the API server would
//	plan.go      what a manifest will do
//	new.go       asks for the parts of a run
//	template.go  writes its manifest, which it has planned
//	shapes.go    suggests shapes from nodes
package design
