// Package machinespeed measures the speed of a machine by short loops of fixed work, and tests
// whether two samples of such measurements differ. In: nothing, or two samples of times. Out:
// times of each loop, or a ratio with its interval. Samples that are too small are not
// compared.
//
//	kernel.go    the loops
//	measure.go   timing them
//	compare.go   comparing samples
//
// Each loop has two times. The time by the clock includes waiting for a CPU: a quota of the
// node, another virtual machine, other work. The CPU time of the thread depends on clock
// frequency, caches and a shared core, and hardly on other work. A slower machine shows in one
// or in both.
//
// Only Linux measures; samples are compared on every system that `kubectl assay` runs on.
package machinespeed
