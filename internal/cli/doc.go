// Package cli is the plugin of kubectl, `kubectl assay`.
//
// In: a kubeconfig, as kubectl reads it, and the rights of whoever runs the command; it needs
// `get` of BenchmarkRuns and of ConfigMaps in the namespace of the run. Out: text for people,
// and an exit code for programs. A bundle in the place of a run needs no cluster. It writes nothing to the cluster. To verify or to compare a run
// that has not ended is refused, and so is to compare runs that did not measure the same.
//
//	verify.go   compares what a run has stored with its digests
//	table.go    shows measured and quoted numbers beside each other
//	compare.go  analyses several runs together
//	promote.go  writes the numbers of a run as a BenchmarkBaseline
//	export.go   writes a run into a file
//	import.go   unpacks a bundle
//	sources.go  finds the runs and bundles that a command names
package cli
