// Package gate judges a run that has ended by a baseline or by its own comparisons, and a series of runs by its history.
// It is pure.
//
// In: the gate of a run, its baselines as they were read, the values and circumstances of the run. Out: the
// condition Passed, with what failed in words, and what was judged. Of a series: since when which
// measurement is worse. It refuses to call a run passed of which nothing could be compared.
//
//	judge.go   the verdict
//	within.go  the verdict on comparisons of the run
//	entries.go what the status counts and shows of it
//	rules.go   when a measurement is slower: by threshold
//	test.go    by the blocks of both runs, beyond the minimum effect
//	prediction.go  by what several runs of the baseline predict of one more
//	missed.go  what would have been found of what passed
//	alike.go   the circumstances of both sides
//	words.go   the verdict in words
//	alarm.go   a regression of a series, and whether it is confirmed
//	series.go  changes of a series, by change points
//
// Faster is no failure. What is missing on either side is reported whether the gate fails for it or
// not. A baseline of one run has no variance between runs: the test knows that of the blocks alone, and
// the verdict says so. A prediction takes a baseline with the medians of several runs. What passed is said with what would have
// been found.
package gate
