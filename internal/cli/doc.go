// Package cli is the plugin of kubectl, `kubectl assay`.
//
// In: a kubeconfig, as kubectl reads it, and the rights of whoever runs the command; it needs
// `get` of BenchmarkRuns and of ConfigMaps in the namespace of the run. Out: text for people,
// and an exit code for programs. It writes nothing to the cluster. To verify a run that has not
// ended is refused.
//
//	verify.go  compares what a run has stored with its digests
//	table.go   shows measured and quoted numbers beside each other
package cli
