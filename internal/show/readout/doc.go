// Package readout is what a reader is told of a run: one document, made from a run that goes on or from what one has
// stored. It is pure. Every surface renders it and decides nothing: the status, `kubectl get`, `kubectl assay`, Markdown,
// pages, notifications, JUnit and metrics have the same words, digits, order and caveats because they have them from here.
//
// In: the run, and the summary, comparisons, sweeps and searches that it has stored. Analysis and the checks of validity
// decide; they return data. Out: the document (run.go), whose numbers are decimals, and the sentences about it.
//
//	run.go           the document
//	outcome.go       what became of a run, as a word and as a sentence
//	verdict.go       a comparison as parts, and in one line
//	reasons.go       why a comparison or a sweep is not decided, and what limits it: the sentence of each code
//	answer.go        what a run shows, the answer first
//	differences.go   what else differs between the sides
//	searches.go      the highest rate that holds
//	sweeps.go        knee and peak over a load
//	measurements.go  medians with their intervals
//	doubts.go        what limits a median, and findings
//	headline.go      the main measurement in one line
//	snapshots.go     what became of the VolumeSnapshots that a run makes
//	next.go          what to do next
//	alike.go         the difference that is most worth removing
//	legend.go        what intervals and p-values are
//	status.go        the sentences of the status
//
// A caveat of a comparison is one row in reasons.go, one of a median one row in doubts.go. Figures are those of
// internal/mathematics/figure.
package readout
