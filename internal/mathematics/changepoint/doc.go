// Package changepoint finds where the level of a series of runs changes. It is pure.
//
// In: one number for each run, in the order of their times, and how certain a change has to be. Out:
// the changes, each with its p-value. The random permutations follow from the length of the series: the
// same series always has the same changes. It refuses values that are not finite.
//
//	divisive.go  E-divisive means: the best place to split, and whether it is there by chance
//	energy.go    the distance between the two sides of a split
//
// There is no Go library for it that is maintained: the one for ED-PELT has had no release since 2022,
// and PELT has a penalty in the place of a false-alarm rate.
package changepoint
