// Package cli is the plugin of kubectl, `kubectl assay`.
//
// In: a command line, a kubeconfig, as kubectl reads it, and the rights of whoever runs the command. Out: text
// for people, documents with a version for programs, and an exit code, of which there is one table for all
// commands. Only `run` writes to the cluster. A bundle in
// the place of a run needs none. To verify or to compare a run that has not ended is refused,
// and so is to compare runs that did not measure the same.
//
//	cli.go      the commands, and the runs and bundles that they name
//	verify.go   compares what a run has stored with its digests
//	compare.go  analyses several runs together
//	promote.go  writes the numbers of a run as a BenchmarkBaseline
//	export.go   writes a run into a file
//	import.go   unpacks a bundle
//	rerun.go    writes the manifest that repeats a run, and checks a repetition
//	exit        the exit codes
//	kube        the cluster of the user
//	output      tables, formats, and the documents for programs
//	design      experiments that have not begun: plan, new, shapes
//	show        what is said of a run: get, why, logs, and the explanation of a name
//	follow      starts a run and follows it: run, watch
//	manifest    the file that plan and run take
//
// Its folder is a floor. Nothing but cmd/kubectl-assay imports it.
//
// May import: api, engines, runners, ground, mathematics, trial, verdict, experiment, record, show.
package cli
