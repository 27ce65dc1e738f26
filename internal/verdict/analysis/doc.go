// Package analysis concludes from an experiment what was declared before its data. It is pure.
//
// In: the plan, the declaration of spec.analysis, and records of trials, wherever they come from.
// Out: the family of comparisons, what the planned blocks can show, and after the data a verdict
// for each comparison: numbers and codes, and no sentence. It refuses factors, values and measurements
// that the experiment does not have, and families that are too large.
//
//	declare.go   the declaration, with its defaults
//	layout.go    what an experiment varies: targets, axes, combinations of a trial
//	unlike.go    sides that differ in more than the factor
//	family.go    the pairs that are compared, and what their blocks can show: known before the data
//	stop.go      the interim analyses of a run that may end early
//	series.go    the values that count, by block
//	limits.go    what else than the servers decides the values
//	compare.go   the comparisons
//	judge.go     the verdict of a comparison, with its reasons
//	loss.go      what the comparisons show of the margin of a gate
//	debt.go      sides of which one does within its windows what the other puts off
//	carried.go   what windows carry over to later ones
//	control.go   the baseline against itself
//	explore.go   what was not declared
//	sweep.go     knee and peak of the main measurement over a load
//	reasons.go   why a comparison is not decided, and what limits it: codes with values
//	alike.go     what else differs between the sides, by internal/trial/likeness
//	runs.go      several runs: which analysis they have together
//	same.go      whether they measured the same, by their specs
//	between.go   what differs between two runs
//	over.go      repeated runs of one experiment: one ratio for each run
//	variation.go how a ratio varies within runs and between them, and what to repeat
//	against.go   one run against another one
//	values.go    the values of a run by measurement, for baselines
//
// A trial counts by the same rules as in the summary (internal/verdict/summary). Both sides of a pair are
// from one block. Which trials and measurements are compared never depends on their values.
package analysis
