// Package design is about experiments that have not begun: `plan`.
//
// In: a manifest. Out: what it will do.
// `plan` asks no cluster, and says what it cannot know without one; what it does
// know comes from the code with which the manager accepts a run (controllers/benchmarkrun/accept), and from the embedded
// CRD. Nothing is written to the cluster.
//
//	manifest.go  reads the manifest of a run, as the API server would
//	plan.go      what a manifest will do
package design
