// Command stats holds the statistics of internal/mathematics/stats against their promises, by simulation, and
// fails when a bar is missed. Run it by `make bench-stats`.
//
// Every row is a share of many simulated experiments with its own standard error, or a mean. All
// random numbers follow from the seed: but for time and memory, every run has the same table. Experiments have the
// order of trials of internal/trial/plan.
//
//	main.go         rows side by side, the table, the exit code
//	row.go          a row and its bar
//	experiment.go   noise, drift and order of a simulated experiment
//	comparisons.go  false alarms, families, coverage, equivalence
//	runs.go         comparisons across runs
//	power.go        planned and found power
//	sequential.go   experiments that stop early
//	series.go       steady state of trials
//	sweeps.go       knees, peaks, searches, variance components
//	gates.go        gates against a baseline, and change points of a series
//	losses.go       gates over the comparisons of their own run
//	predictions.go  gates that judge by several runs
//	starts.go       products whose starts differ
//	analysis.go     time and memory of internal/verdict/analysis, measured alone
package main
